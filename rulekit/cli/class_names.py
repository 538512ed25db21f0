"""--classes: names for the labels of a table, and for the classes of a model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from rulekit.cli.errors import CommandError
from rulekit.cli.tabular import quoted
from rulekit.core.arrays import LabelArray
from rulekit.model import unwrapped
from rulekit.wrappers.named_classes import NamedClasses


def with_classes(model: Any, names: Sequence[str]) -> Any:
    """A fitted model, or a pipeline with one at its end, whose classes have these names."""
    if isinstance(model, Pipeline):
        *before, (step, last) = model.steps
        return Pipeline([*before, (step, with_classes(unwrapped(last), names))])
    own = own_labels(model, names)
    if len(own) != len(names):
        raise CommandError(
            f"--classes has {len(names)} names, but the model knows {len(own)} classes: {quoted(list(map(str, own)))}. "
            "Give one name for each, in this order."
        )
    if isinstance(model, NamedClasses):
        return NamedClasses(model.model, list(names))
    return NamedClasses(model if hasattr(model, "fit") else FrozenEstimator(model), list(names))


def own_labels(model: Any, names: Sequence[str]) -> list[Any]:
    """The label that each name stands for; a library's own booster has 0, 1, and so on."""
    if isinstance(model, NamedClasses):
        return list(model.classes)
    return np.asarray(getattr(model, "classes_", np.arange(len(names)))).tolist()


def labels_of_table(y: LabelArray, names: Sequence[str], name: str) -> list[Any]:
    """The label of a table that each name stands for: itself if the table has it, otherwise in sorted order."""
    own = sorted(set(y.tolist()))
    if {str(label) for label in own} <= set(names):
        return list(names)
    if len(own) != len(names):
        raise CommandError(
            f"--classes has {len(names)} names, but {name} has {len(own)} labels: {quoted(list(map(str, own)))}. Give "
            "one name for each label, in sorted order."
        )
    return own


def named(y: LabelArray, names: Sequence[str], own: Sequence[Any], name: str) -> LabelArray:
    """Labels of a table by their names; they may be names already.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    names : sequence of str
    own : sequence
        The label that each name stands for.
    name : str
        Name of the table in error messages.
    """
    found = {str(label) for label in y.tolist()}
    if found <= set(names):
        return np.array([str(label) for label in y.tolist()])
    by_label = dict(zip(map(str, own), names, strict=True))
    unknown = sorted(found - set(by_label))
    if unknown:
        raise CommandError(
            f"{name} has the labels {quoted(unknown)}, which are neither names of --classes ({quoted(list(names))}) "
            f"nor labels that they stand for ({quoted(list(by_label))})."
        )
    return np.array([by_label[str(label)] for label in y.tolist()])
