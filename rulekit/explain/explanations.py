"""The predictions for many samples: arrays, until one of them is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.statistics import hits, precision, precision_interval
from rulekit.explain.explanation import Explanation, Tried, checks_of
from rulekit.explain.samples import read_samples
from rulekit.ruleset.matching import Affected, lacks
from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.ruleset.ruleset import RuleSet


@attrs.frozen(eq=False, repr=False)
class Explanations(Sequence[Explanation]):
    """Explanations of several samples, in their order.

    Attributes
    ----------
    ruleset : RuleSet
    samples : ndarray of shape (n_samples, n_features)
        Values: numbers, and labels of categories.
    numbers : ndarray of shape (n_samples, n_features)
        The values as the rules compare them.
    names : tuple
        Names of the samples: the index of a data frame, or their positions.
    matches : ndarray of shape (n_rules - 1, n_samples)
        Which samples satisfy which rule, without the default rule.
    behind : ndarray of shape (n_rules, n_samples)
        Which rules answer which sample, according to the inference mode; the default rule is the last.
    probabilities : ndarray of shape (n_samples, n_classes)
        Predicted probabilities.
    ensemble : ndarray of shape (n_samples, n_classes) or None
        Probabilities that the ensemble itself predicts, if they were computed.
    """

    ruleset: RuleSet
    samples: np.ndarray[Any, Any]
    numbers: FloatArray
    names: tuple[Any, ...]
    matches: BoolArray
    behind: BoolArray
    probabilities: FloatArray
    ensemble: FloatArray | None = None

    @property
    def first(self) -> IntArray:
        """Index of the first rule that answers each sample, from 0; shape (n_samples,)."""
        return self.behind.argmax(axis=0)

    def answering(self, probabilities: FloatArray) -> Explanations:
        """The explanations with other probabilities, such as calibrated ones, of shape (n_samples, n_classes)."""
        return attrs.evolve(self, probabilities=probabilities)

    def to_frame(self) -> pd.DataFrame:
        """One row per sample.

        Its predicted class and probability; the first rule that answers it, with that rule's probability; how many
        training samples that rule answers, its precision among them and the interval of this precision, if they are
        known; the same for the training samples that it covers; how many other rules match and how many of them agree;
        how many values are missing unexpectedly, if the ruleset answers such samples; and the ensemble's class and
        probability, if they were computed.
        """
        import pandas as pd

        ruleset, first = self.ruleset, self.first
        concluded = ruleset.probabilities.argmax(axis=1)
        answers = self.probabilities.argmax(axis=1)
        agrees = concluded[:-1, None] == answers
        is_other = self.matches & (np.arange(len(self.matches))[:, None] != first)
        columns = {
            "class": ruleset.classes[answers],
            "probability": self.probabilities.max(axis=1),
            "rule": first + 1,
            "rule_probability": ruleset.probabilities.max(axis=1)[first],
            **{name: values[first] for name, values in self._of_rules(concluded).items()},
            "n_others": is_other.sum(axis=0),
            "n_agreeing": (is_other & agrees).sum(axis=0),
        }
        if ruleset.unexpected_missing != "error":
            columns["n_unexpected_missing"] = self._lacks(self.numbers).sum(axis=1)
        if self.ensemble is not None:
            columns["ensemble_class"] = ruleset.classes[self.ensemble.argmax(axis=1)]
            columns["ensemble_probability"] = self.ensemble.max(axis=1)
        return pd.DataFrame(columns, index=pd.Index(self.names, name="sample"))

    def _of_rules(self, concluded: IntArray) -> dict[str, FloatArray | IntArray]:
        """The training samples that each rule answers, if they are known, and covers; each of shape (n_rules,)."""
        ruleset, columns = self.ruleset, {}
        if ruleset.answered_counts is not None and ruleset.knows_answered:
            right, whole = hits(ruleset.answered_counts, concluded), ruleset.answered_counts.sum(axis=1)
            columns = {"n_answered": whole, "n_right": right}
            weights = None if ruleset.weighted is None else ruleset.weighted.answered
            precise, low, high = _precisions(ruleset.answered_counts, weights, concluded)
            columns["answered_precision"] = np.where(whole > 0, precise, np.nan)
            columns["answered_low"], columns["answered_high"] = low, high
        weights = None if ruleset.weighted is None else ruleset.weighted.counts
        precise, low, high = _precisions(ruleset.counts, weights, concluded)
        n_covered = ruleset.counts.sum(axis=1)
        return {**columns, "n_covered": n_covered, "precision": precise, "low": low, "high": high}

    def to_dict(self) -> list[dict[str, Any]]:
        """What `Explanation.to_dict` returns for each sample."""
        return [explanation.to_dict() for explanation in self]

    def __len__(self) -> int:
        return len(self.samples)

    @overload
    def __getitem__(self, position: int) -> Explanation: ...
    @overload
    def __getitem__(self, position: slice) -> Explanations: ...
    def __getitem__(self, position: int | slice) -> Explanation | Explanations:
        positions = range(len(self))[position]
        return self._one(positions) if isinstance(positions, int) else self._some(list(positions))

    def __iter__(self) -> Iterator[Explanation]:
        return (self._one(position) for position in range(len(self)))

    def __str__(self) -> str:
        from rulekit.explain.overview import overview

        return overview(self).to_text()

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} samples>"

    def _repr_html_(self) -> str:
        from rulekit.explain.overview import overview

        return overview(self).to_html()

    def _some(self, positions: list[int]) -> Explanations:
        return attrs.evolve(
            self,
            samples=self.samples[positions],
            numbers=self.numbers[positions],
            names=tuple(self.names[position] for position in positions),
            matches=self.matches[:, positions],
            behind=self.behind[:, positions],
            probabilities=self.probabilities[positions],
            ensemble=None if self.ensemble is None else self.ensemble[positions],
        )

    def _one(self, position: int) -> Explanation:
        ruleset = self.ruleset
        sample, numbers = tuple(self.samples[position].tolist()), tuple(self.numbers[position].tolist())
        matching = np.flatnonzero(self.matches[:, position]).tolist()
        first, *together = behind = np.flatnonzero(self.behind[:, position]).tolist()
        is_first_match = ruleset.inference.combination == "first"
        best = int(self.probabilities[position].argmax())
        classes = tuple(ruleset.classes.tolist())
        missing = self._unexpected(position)
        was_tried = is_first_match and not (missing and ruleset.unexpected_missing == "default-rule")
        return Explanation(
            label=classes[best],
            probabilities=self.probabilities[position],
            classes=classes,
            rule=ruleset[first],
            together=tuple(ruleset[other] for other in together),
            others=tuple(ruleset[other] for other in matching if other != first),
            tried=tuple(_failed(ruleset[rule], sample, numbers, missing) for rule in range(first)) if was_tried else (),
            sample=sample,
            numbers=numbers,
            feature_names=ruleset.feature_names,
            is_first_match=is_first_match,
            mode=type(ruleset.inference).__name__,
            without=() if is_first_match else _without(ruleset, self.numbers[position], matching, behind, best),
            ensemble=None if self.ensemble is None else self.ensemble[position],
            unexpected_missing=tuple(ruleset.feature_names[feature] for feature in missing),
            missing_choice=ruleset.unexpected_missing,
        )

    def _unexpected(self, position: int) -> list[int]:
        """The features with an unexpected missing value in one sample."""
        return np.flatnonzero(self._lacks(self.numbers[[position]])[0]).tolist()

    def _lacks(self, numbers: FloatArray) -> BoolArray:
        return lacks(numbers, self.ruleset.used_features, self.ruleset.conditions.missing_features)


def explain(ruleset: RuleSet, X: Any) -> Explanations:
    """Explain the ruleset's predictions; see `RuleSet.explain`."""
    labels = ruleset.conditions.categories.by_feature
    samples = read_samples(X, ruleset.feature_names, used=ruleset.used_features, numbers_only=not labels)
    affected = Affected(ruleset)
    numbers = affected.add(ruleset.as_numbers(samples.values))
    matches = ruleset.matches_of(numbers)
    affected.warn()
    return Explanations(
        ruleset=ruleset,
        samples=samples.values,
        numbers=numbers,
        names=tuple(samples.index),
        matches=matches,
        behind=ruleset.inference.answering(matches, numbers, ruleset),
        probabilities=ruleset.answer(numbers),
    )


def _failed(rule: Rule, sample: tuple[Any, ...], numbers: tuple[float, ...], missing: list[int]) -> Tried:
    """The first condition that fails, of those that are not left out; the first if all are left out."""
    checks = checks_of(rule, sample, numbers)
    decisive = [check for check in checks if check.condition.feature_index not in missing]
    return Tried(rule, next((check for check in decisive if not check.holds), checks[0]))


def _without(
    ruleset: RuleSet, numbers: FloatArray, matching: list[int], behind: list[int], label: int
) -> tuple[float, ...]:
    """The probability of a class if one of the answering rules did not match, for each but the default rule."""
    removed = [rule for rule in behind if rule < len(ruleset) - 1]
    if not removed:
        return ()
    matches = np.zeros((len(ruleset) - 1, len(removed)), dtype=bool)
    matches[matching] = True
    matches[removed, np.arange(len(removed))] = False
    answers = ruleset.inference.infer_samples(matches, np.tile(numbers, (len(removed), 1)), ruleset)
    return tuple(answers[:, label].tolist())


def _precisions(
    counts: IntArray, weights: FloatArray | None, classes: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision of each rule, by weight if there are weights, and the limits of its interval; shape (n_rules,) each."""
    right, whole = hits(counts, classes), counts.sum(axis=1)
    precise = precision(counts if weights is None else weights, classes)
    return precise, *precision_interval(right if weights is None else precise * whole, whole)
