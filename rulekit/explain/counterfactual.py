"""What would have to change for another prediction."""

from __future__ import annotations

from typing import Any

import attrs

from rulekit.core.arrays import FloatArray
from rulekit.explain.check import plain, shown_value
from rulekit.explain.explanation import describe
from rulekit.render.escaping import visible
from rulekit.ruleset.rule import Rule


@attrs.frozen
class Change:
    """The change of one feature's value.

    Attributes
    ----------
    feature : str
    feature_index : int
    before
        The sample's value: a number, a category's label, NaN or None for a missing value.
    after
        A value that is sufficient, with as few digits as possible.
    nearest
        The nearest sufficient value: for numbers, just across the rule's limit.
    """

    feature: str
    feature_index: int
    before: Any
    after: Any
    nearest: Any


@attrs.frozen(eq=False)
class Counterfactual:
    """The smallest change of a sample that changes its predicted class.

    Attributes
    ----------
    before
        The predicted class of the sample.
    label
        The predicted class after the changes.
    probabilities : ndarray of shape (n_classes,)
        The predicted probabilities after the changes.
    changes : tuple of Change
    rule : Rule
        The rule that answers the changed sample; the first of them if there are several.
    sample : tuple
        The changed sample, with the values `after`.
    nearest : tuple
        The changed sample, with the values `nearest`.
    feature_names : tuple of str
    distance : float
        Sum of the changes to the nearest values, each in units of its feature's scale.
    is_smallest : bool
        Whether it is certain that no smaller allowed change is sufficient.
    classes : tuple
        All labels, in the order of the probabilities.
    ensemble : ndarray of shape (n_classes,) or None
        Probabilities that the ensemble predicts for `sample`; None from a ruleset, or where it cannot predict them.
    n_passed_over : int
        Smaller changes that are sufficient for the rules, but with whose class the ensemble disagrees.
    n_disagreeing : int
        If the ensemble disagrees with all changes that were compared, this one included, their number.
    """

    before: Any
    label: Any
    probabilities: FloatArray
    changes: tuple[Change, ...]
    rule: Rule
    sample: tuple[Any, ...]
    nearest: tuple[Any, ...]
    feature_names: tuple[str, ...]
    distance: float
    is_smallest: bool
    classes: tuple[Any, ...] = ()
    ensemble: FloatArray | None = None
    n_passed_over: int = 0
    n_disagreeing: int = 0

    @property
    def ensemble_label(self) -> Any:
        """The class that the ensemble predicts for `sample`; None without `ensemble`."""
        return None if self.ensemble is None else self.classes[int(self.ensemble.argmax())]

    @property
    def ensemble_agrees(self) -> bool | None:
        """Whether the ensemble predicts the new class too; None without `ensemble`."""
        return None if self.ensemble is None else bool(self.ensemble_label == self.label)

    @property
    def values(self) -> dict[str, Any]:
        """The changed sample's values by name."""
        return dict(zip(self.feature_names, self.sample, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain types, for JSON; missing values become None."""
        return {
            "before": plain(self.before),
            "label": plain(self.label),
            "probabilities": self.probabilities.tolist(),
            "changes": [
                {
                    "feature": change.feature,
                    "before": plain(change.before),
                    "after": plain(change.after),
                    "nearest": plain(change.nearest),
                }
                for change in self.changes
            ],
            "rule": describe(self.rule),
            "sample": [
                {"feature": name, "value": plain(value)}
                for name, value in zip(self.feature_names, self.sample, strict=True)
            ],
            "distance": self.distance,
            "is_smallest": self.is_smallest,
            "ensemble": None
            if self.ensemble is None
            else {
                "label": plain(self.ensemble_label),
                "probabilities": self.ensemble.tolist(),
                "agrees": self.ensemble_agrees,
            },
            "n_passed_over": self.n_passed_over,
        }

    def lines(self) -> list[str]:
        """The counterfactual in sentences, line by line."""
        number = "1 value" if len(self.changes) == 1 else f"{len(self.changes)} values"
        note = "" if self.is_smallest or self.n_passed_over else "; there may be a smaller change"
        width = max(len(visible(change.feature)) for change in self.changes)
        return [
            f"Changing {number} changes the predicted class from {visible(self.before)} to {visible(self.label)} "
            f"(probability {self.probabilities.max():.3f}){note}:",
            *(
                f"  {visible(change.feature).ljust(width)}   {shown_value(change.before)} -> "
                f"{shown_value(change.after)}"
                for change in self.changes
            ),
            f"Rule {self.rule.position} is then the first to answer: {self.rule}",
            *self._about_ensemble(),
        ]

    def _about_ensemble(self) -> list[str]:
        """What the ensemble predicts for the changed sample, if it is known."""
        if self.ensemble is None:
            return []
        predicts = f"predicts {visible(self.ensemble_label)} with probability {self.ensemble.max():.3f}"
        if not self.ensemble_agrees:
            others = f", as with the {self.n_disagreeing - 1} next larger changes" if self.n_disagreeing > 1 else ""
            return [f"The ensemble disagrees{others}: it {predicts}."]
        smaller = " A smaller change suffices for the rules, but not for the ensemble." if self.n_passed_over else ""
        return [f"The ensemble agrees: it {predicts}.{smaller}"]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        from rulekit.explain.notebook import counterfactual_html

        return counterfactual_html(self)
