"""Samples at the thresholds of a forest, in a table like that of training."""

from random import Random
from typing import Any

import attrs

from rulekit.core.forest import Forest
from rulekit.testing.forests import thresholds, values_around
from rulekit.testing.fuzz.table import Column, Table

MOST_THRESHOLDS = 6


def table_at_thresholds(forest: Forest, X: Table) -> Table:
    """Samples of `X` with one number replaced by a threshold, or by a number next to it or to a rounding boundary."""
    rng = Random(0)
    found = [split for split in thresholds(forest) if X.columns[split[0]].kind in ("float64", "float32", "int64")]
    changes: list[tuple[int, Any]] = []
    for feature, threshold in rng.sample(found, min(len(found), MOST_THRESHOLDS)):
        changes += [(feature, value) for value in values_around(threshold).tolist()]
    rows = [rng.randrange(len(X)) for _ in changes] or [0]
    asked = X.take(rows)
    return attrs.evolve(
        asked, columns=tuple(_changed(column, feature, changes) for feature, column in enumerate(asked.columns))
    )


def _changed(column: Column, feature: int, changes: list[tuple[int, Any]]) -> Column:
    """A column with the values that belong to its feature; whole numbers become floats."""
    if column.kind not in ("float64", "float32", "int64"):
        return column
    values = list(column.values)
    for row, (changed, value) in enumerate(changes):
        if changed == feature:
            values[row] = value
    kind = "float64" if column.kind == "int64" else column.kind
    return attrs.evolve(column, kind=kind, values=tuple(None if v is None else float(v) for v in values))
