"""Labels in Python's built-in types, and labels that have none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.ruleset.shape import PLAIN

if TYPE_CHECKING:
    from rulekit.ruleset.ruleset import RuleSet


def plain(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Labels as Python's types instead of NumPy's; dates stay, because some would silently become integers."""
    return tuple(
        label.item() if isinstance(label, np.generic) and label.dtype.kind not in "mM" else label for label in labels
    )


def foreign_labels(ruleset: RuleSet) -> str:
    """Describe labels that are not strings, booleans or numbers, such as dates; empty if there are none."""
    names, by_feature = ruleset.feature_names, ruleset.conditions.categories.by_feature
    groups: list[tuple[str, Iterable[Any]]] = [("class labels", ruleset.classes)]
    groups += [(f"categories of {names[position]!r}", labels) for position, labels in by_feature.items()]
    for name, labels in groups:
        types = {type(label) for label in plain(labels)} - PLAIN
        if types:
            return f"{name} of type {', '.join(sorted(each.__name__ for each in types))}"
    return ""
