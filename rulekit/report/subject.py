"""A model that a report is about: its name, its rules, and their evaluation on held-out samples."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.errors import InvalidParameterError
from rulekit.evaluation.held_out import evaluate
from rulekit.evaluation.labels import class_indices
from rulekit.evaluation.reliability import bin_sums
from rulekit.model import transformed
from rulekit.render.escaping import visible
from rulekit.report.facts import Facts
from rulekit.ruleset import RuleSet


@attrs.frozen(eq=False)
class Subject:
    """One evaluated model.

    Attributes
    ----------
    name : str
    ruleset : RuleSet
    numbers : ndarray of shape (n_samples, n_columns)
        The held-out samples as the rules compare them.
    facts : Facts
    bins : ndarray of shape (3, n_bins)
        Samples, sum of predicted probabilities and correct predictions, by the probability of the predicted class.
    measures : dict of str to float
    """

    name: str = attrs.field(converter=visible)
    ruleset: RuleSet
    numbers: FloatArray
    facts: Facts
    bins: FloatArray
    measures: dict[str, float]

    @classmethod
    def of(cls, name: str, model: Any, X: Any, y: Any) -> Self:
        """Evaluate a model.

        Parameters
        ----------
        name : str
        model : RuleSet or fitted classifier with `ruleset_`
        X : array-like or DataFrame of shape (n_samples, n_features)
            Held-out samples, as the model takes them.
        y : array-like of shape (n_samples,)
            Their labels.
        """
        ruleset = model if isinstance(model, RuleSet) else getattr(model, "ruleset_", None)
        if not isinstance(ruleset, RuleSet):
            raise InvalidParameterError(
                f"{name!r} is a {type(model).__name__} without rules. Pass a RuleSet, or a "
                "fitted model that has its rules in ruleset_."
            )
        samples = transformed(getattr(model, "transformer_", None), X)
        facts = Facts.of(ruleset, samples, y)
        predicted = model.predict_proba(X)
        return cls(
            name=name,
            ruleset=ruleset,
            numbers=ruleset.as_numbers(samples),
            facts=facts,
            bins=bin_sums(class_indices(y, ruleset.classes), predicted),
            measures=evaluate(model, X, y),
        )


def subjects_of(models: Mapping[str, Any], X: Any, y: Any) -> list[Subject]:
    """Every model, evaluated on the same samples; raise if they differ in columns or classes."""
    found = [Subject.of(name, model, X, y) for name, model in models.items()]
    for other in found[1:]:
        _check_alike(found[0], other)
    return found


def _check_alike(one: Subject, other: Subject) -> None:
    """Raise unless both have the same columns and classes, because they share a form."""
    for what, ours, theirs in (
        ("columns", one.ruleset.feature_names, other.ruleset.feature_names),
        ("classes", one.ruleset.classes.tolist(), other.ruleset.classes.tolist()),
        ("categorical columns", _categorical(one.ruleset), _categorical(other.ruleset)),
    ):
        if list(ours) != list(theirs):
            raise InvalidParameterError(
                f"compare: the rules {other.name!r} have other {what} than {one.name!r}: {_some(theirs)} instead of "
                f"{_some(ours)}. Write separate reports."
            )
    plain = [
        position
        for position in range(one.numbers.shape[1])
        if position not in one.ruleset.conditions.categories.by_feature
    ]
    if not np.array_equal(one.numbers[:, plain], other.numbers[:, plain], equal_nan=True):
        raise InvalidParameterError(
            f"compare: the rules {other.name!r} get other feature values for the same samples than {one.name!r}, "
            "because their preprocessing steps differ. Write separate reports."
        )


def _categorical(ruleset: RuleSet) -> list[str]:
    return [ruleset.feature_names[position] for position in sorted(ruleset.conditions.categories.by_feature)]


def _some(names: Sequence[Any], most: int = 5) -> str:
    return f"{', '.join(repr(name) for name in names[:most])}{', …' if len(names) > most else ''}"
