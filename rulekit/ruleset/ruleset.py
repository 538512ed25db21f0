"""Rules, their probabilities and a default rule, independent of the ensemble and the training samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, overload

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, FloatArray, IntArray, LabelArray
from rulekit.core.columns import ColumnFacts
from rulekit.core.conditions import Conditions
from rulekit.core.containment import first_containing, most_values
from rulekit.core.interfaces import InferenceMode
from rulekit.core.rules import list_counts
from rulekit.core.validation import is_frame, some_rows
from rulekit.render.table import Table
from rulekit.ruleset.condition import Condition
from rulekit.ruleset.matching import Affected, Antecedents, UnexpectedMissing, check_choice
from rulekit.ruleset.numbers import with_displays, with_shown_thresholds
from rulekit.ruleset.rule import Rule, RuleWeights
from rulekit.ruleset.table import frame, rule_table
from rulekit.ruleset.weighted import WeightedCounts, true_counts

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from rulekit.core.training_data import TrainingData
    from rulekit.explain import Counterfactual, Explanation, Explanations
    from rulekit.explain.constraints import Direction

#: Small enough for the cache, large enough to hide the overhead.
BLOCK_SAMPLES = 2**15
#: In larger rulesets, which nobody reads, rules are not compared with one another: the work grows with the square.
MOST_COMPARED_RULES = 2_000
#: Conditions of such a ruleset and categories of its features, together.
MOST_COMPARED_VALUES = 5_000

#: Which thresholds decide: the ensemble's own, or those that are shown.
Thresholds = Literal["exact", "shown"]
ROUNDINGS: Final = {"exact": with_displays, "shown": with_shown_thresholds}


@attrs.frozen(eq=False, repr=False)
class RuleSet(Antecedents, Sequence[Rule]):
    """An ordered list of rules; the last one, without conditions, is the default rule.

    Attributes
    ----------
    conditions : Conditions
        Every distinct condition of the rules.
    antecedents : tuple of tuples of int
        Rows of `conditions` for each rule; the default rule's is empty.
    probabilities : ndarray of shape (n_rules, n_classes)
        Predicted class probabilities.
    counts : ndarray of shape (n_rules, n_classes)
        Training samples of each class that a rule covers; for the default rule, those that no rule covers.
    classes : ndarray of shape (n_classes,)
        Class labels.
    n_samples : int
        Size of the training set.
    inference : InferenceMode
        How the rules that match a sample become its class probabilities.
    answered_counts : ndarray of shape (n_rules, n_classes) or None
        Training samples of each class for which a rule is the first that matches; None if unknown. `from_rules` counts
        them.
    weighted : WeightedCounts or None
        What these samples weigh, if `fit` got weights: counts stay those of samples, but fractions are those of
        weights. None if each sample counts as one.
    unexpected_missing : {"error", "default-rule", "other-conditions"}
        What happens to a sample with a missing value in a column that had none in training; see
        `with_unexpected_missing`.
    """

    conditions: Conditions
    antecedents: tuple[tuple[int, ...], ...]
    probabilities: FloatArray
    counts: IntArray
    classes: LabelArray
    n_samples: int
    inference: InferenceMode
    answered_counts: IntArray | None = attrs.field(default=None, kw_only=True)
    weighted: WeightedCounts | None = attrs.field(default=None, kw_only=True)
    unexpected_missing: UnexpectedMissing = attrs.field(default="error", kw_only=True)

    def __attrs_post_init__(self) -> None:
        check_choice(self.unexpected_missing)
        for array in (self.probabilities, self.counts, self.classes, self.answered_counts):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def from_rules(
        cls,
        data: TrainingData,
        antecedents: IntArray,
        probabilities: FloatArray,
        inference: InferenceMode,
        bits: BitArray | None = None,
        *,
        thresholds: Thresholds = "exact",
    ) -> RuleSet:
        """Assemble a ruleset from rules that were found on training data.

        Parameters
        ----------
        data : TrainingData
            All of its samples are counted, including held-back ones.
        antecedents : ndarray of shape (n_rules, width)
            Condition ids in the order in which the rules are tried, padded with `data.pad`; none is empty.
        probabilities : ndarray of shape (n_rules + 1, n_classes)
            Class probabilities of each rule and, in the last row, of the default rule.
        inference : InferenceMode
        bits : ndarray of shape (n_rules, n_words), optional
            Samples of `data` that each rule covers, if they are already known.
        thresholds : {"exact", "shown"}, default="exact"
            Whether the ensemble's own thresholds decide, or the rounded ones; see `with_shown_thresholds`.
        """
        bits = data.index.cover(antecedents) if bits is None else bits
        is_weighted = data.weights is not None
        counts, answered = true_counts(data, bits) if is_weighted else list_counts(bits, data.index)
        used = np.unique(antecedents[antecedents != data.pad])
        rows = (row[row != data.pad] for row in antecedents)
        return cls(
            conditions=ROUNDINGS[thresholds](data.conditions.take(used), data),
            antecedents=(*(tuple(np.searchsorted(used, row).tolist()) for row in rows), ()),
            # Rounding may carry a probability past 1, which scikit-learn's scores would reject.
            probabilities=np.clip(probabilities, 0.0, 1.0),
            counts=counts,
            classes=data.forest.classes,
            n_samples=data.n_samples,
            inference=inference,
            answered_counts=answered,
            weighted=WeightedCounts.of(data, bits) if is_weighted else None,
        )

    @property
    def knows_answered(self) -> bool:
        """Whether the first rule that matches answers, and the training samples that each rule answers are known."""
        return self.answered_counts is not None and self.inference.combination == "first"

    def with_shown_thresholds(self, X: Any) -> RuleSet:
        """The rules with rounded thresholds, which are shown and decide.

        Each threshold gets the fewest digits that keep every one of these samples on its side, whole numbers where all
        of them are whole. The rules answer these samples as before, and any other sample as they are printed.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The training samples; with others, the numbers of covered and answered training samples may not fit any
            more.

        Returns
        -------
        ruleset : RuleSet

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import rulekit
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> ruleset = rulekit.build("rcprob", random_state=0).fit(X, y).ruleset_
        >>> [condition.threshold for condition in ruleset.with_shown_thresholds(X)[0].conditions]
        [0.7, 5.55]
        """
        facts = ColumnFacts.of(self.as_numbers(X), self.conditions.cutoffs_by_feature)
        return attrs.evolve(self, conditions=with_shown_thresholds(self.conditions, facts))

    def with_unexpected_missing(self, choice: UnexpectedMissing) -> Self:
        """The rules with another way to answer samples with missing values where training had none.

        Only columns that some rule tests count. In columns that had missing values in training, the conditions say
        themselves what a missing value does.

        Parameters
        ----------
        choice : {"error", "default-rule", "other-conditions"}
            "error" raises `ValueError` for the whole batch. "default-rule" lets the default rule answer these samples.
            "other-conditions" leaves out the conditions on the missing values: a rule matches if all of its other
            conditions hold, and it has at least one. Both warn of the samples by `UnexpectedMissingWarning`, once a
            call. Documents keep the choice.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import rulekit
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> ruleset = rulekit.build("rcprob", random_state=0).fit(X, y).ruleset_
        >>> ruleset.with_unexpected_missing("default-rule").unexpected_missing
        'default-rule'
        """
        return attrs.evolve(self, unexpected_missing=choice)

    @cached_property
    def used_features(self) -> tuple[int, ...]:
        """Indices of the features that a prediction needs: those that rules test."""
        if self.inference.looks_at_values:
            return tuple(range(len(self.feature_names)))
        return self.tested_features

    def predict_proba(self, X: Any) -> FloatArray:
        """Class probabilities of samples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features), mapping, or list of mappings
            Dictionaries, and frames with named columns, are read by name: they need the features that rules test, and
            others are ignored. Anything else is read by position. Arrays and frames are read in blocks and never copied
            as a whole, so an array may be mapped from a file that is larger than the memory.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        affected = Affected(self)
        answers = in_blocks(X, lambda some: self.answer(affected.add(self.as_numbers(some))), len(self.classes))
        affected.warn()
        return answers

    def answer(self, numbers: FloatArray) -> FloatArray:
        """Class probabilities of samples that `as_numbers` has returned, of shape (n_samples, n_classes)."""

        def answer(some: FloatArray) -> FloatArray:
            return self.inference.infer_samples(self.matches_of(some), some, self)

        return in_blocks(numbers, answer, len(self.classes))

    def predict(self, X: Any) -> LabelArray:
        """Most probable class of each sample, of shape (n_samples,)."""
        return self.classes[self.predict_proba(X).argmax(axis=1)]

    def explain(self, X: Any) -> Explanation | Explanations:
        """Explain which rule answers, and why.

        Parameters
        ----------
        X : Series, mapping, DataFrame or array-like of shape (n_features,) or (n_samples, n_features)
            One sample or several; mappings, series and frames are read by name.

        Returns
        -------
        explanation : Explanation or Explanations
            An `Explanation` for one sample, a sequence of them for several.
        """
        from rulekit.explain.explanations import explain

        explanations = explain(self, X)
        return explanations[0] if len(explanations) == 1 else explanations

    def counterfactual(
        self,
        x: Any,
        target: Any = None,
        *,
        immutable: Sequence[str] = (),
        ranges: Mapping[str, Any] | None = None,
        directions: Mapping[str, Direction] | None = None,
        linked: Sequence[Sequence[str]] = (),
        scales: ArrayLike | None = None,
        max_boxes: int = 10_000,
    ) -> Counterfactual:
        """The smallest change of a sample that changes its predicted class.

        As few features as possible are changed, and these as little as possible. Features that held whole numbers only
        in training change to whole numbers. A feature may always keep its value, even one outside of its range.

        Parameters
        ----------
        x : Series, mapping or array-like of shape (n_features,)
            One sample.
        target : label, default=None
            The class to reach; None for any other than the predicted one.
        immutable : sequence of str, default=()
            Names of features that must not change.
        ranges : mapping of str, optional
            Values to which a feature may change: the smallest and the largest number, `{"age": (18, 90)}`, None for no
            limit; or a collection of labels of a feature of categories.
        directions : mapping of str to {"increase", "decrease"}, optional
            Numbers that may only increase or decrease; one that is missing then stays missing.
        linked : sequence of sequences of str, default=()
            Groups of numbers that change by the same amount: with `[("age", "tenure")]`, who gets five years older has
            worked five years longer. A group with a missing value does not change.
        scales : array-like of shape (n_features,), optional
            What a change of a number is divided by before changes are added up. By default this is the range of the
            thresholds on the feature, or 1 where there is none. A change of a category, or of a missing value, counts
            as 1.
        max_boxes : int, default=10000
            Maximum number of boxes to search. If it is reached, `is_smallest` is False.

        Raises
        ------
        NoCounterfactualError
            If no allowed change leads to the class.
        InvalidParameterError
            If a constraint contradicts the features or itself.
        """
        from rulekit.explain.constraints import Constraints
        from rulekit.explain.counterfactual_search import counterfactual

        constraints = Constraints(immutable, ranges or {}, directions or {}, linked)
        return counterfactual(self, x, target, constraints=constraints, scales=scales, max_boxes=max_boxes)

    def to_frame(self) -> pd.DataFrame:
        """One row per rule: class, predicted probability, answered samples, what the rule covers, and conditions."""
        return frame(self)

    def to_dict(self) -> dict[str, Any]:
        """A versioned description in plain types that JSON can hold; see `from_dict`."""
        from rulekit.ruleset.document import to_document

        return to_document(self)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> RuleSet:
        """Rebuild a ruleset, exactly, from what `to_dict` returned; `from_json` reads JSON.

        Nothing in a document is executed, and one that is not a ruleset raises `RuleSetFormatError`.
        """
        from rulekit.ruleset.document import from_document

        return from_document(document)

    @classmethod
    def from_json(cls, document: str | bytes) -> RuleSet:
        """Rebuild a ruleset, exactly, from JSON that `export` or `rulekit extract --out` wrote.

        The document may come from an untrusted source: nothing in it is executed, sizes are limited, and anything but a
        ruleset raises `RuleSetFormatError`, as do repeated keys, NaN and deep nesting, which other readers accept.
        """
        from rulekit.ruleset.document import from_document
        from rulekit.ruleset.json_reading import parse

        return from_document(parse(document))

    def export(self, path: str | Path, format: str | None = None, **options: Any) -> None:
        """Write the rules to a file for another program.

        Parameters
        ----------
        path : str or Path
            The file; its suffix determines the format unless `format` is given.
        format : str, optional
            A registered name, such as "sql"; `rulekit.list_components("export")` lists the names.
        **options
            Options of the format, such as `table` for SQL.
        """
        from rulekit.export.formats import write

        write(self, path, format, options)

    def report(self, path: str | Path, X: Any, y: Any, **options: Any) -> None:
        """Write a report about the rules: one HTML file that needs no network and contains no samples unless asked to.

        Parameters
        ----------
        path : str or Path
            The file; an existing one is replaced.
        X : array-like or DataFrame of shape (n_samples, n_features)
            Held-out samples.
        y : array-like of shape (n_samples,)
            Their labels.
        **options
            Options of `rulekit.report.write`: `compare`, `name`, `title` and `n_examples`.
        """
        from rulekit.report import write

        write(path, self, X, y, **options)

    @overload
    def __getitem__(self, position: int) -> Rule: ...
    @overload
    def __getitem__(self, position: slice) -> list[Rule]: ...
    def __getitem__(self, position: int | slice) -> Rule | list[Rule]:
        chosen = range(len(self))[position]
        return self._rule(chosen) if isinstance(chosen, int) else [self._rule(each) for each in chosen]

    def __iter__(self) -> Iterator[Rule]:
        return (self._rule(position) for position in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleSet):
            return NotImplemented
        return self._facts() == other._facts()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<RuleSet: {len(self)} rules, {self.n_conditions} conditions, classes {self.classes.tolist()}>"

    def _table(self) -> Table:
        """The rules as a table of strings."""
        return rule_table(self)

    def _facts(self) -> tuple[Any, ...]:
        """Everything that must be equal for two rulesets to be equal."""
        from rulekit.ruleset.document import describe

        missing_value = self.conditions.categories.missing_value
        return describe(self), missing_value, type(self.inference), self.inference.get_params()

    def _rule(self, position: int) -> Rule:
        best = int(self.probabilities[position].argmax())
        answered = None if self.answered_counts is None or not self.knows_answered else self.answered_counts[position]
        return Rule(
            position=position + 1,
            conditions=tuple(Condition.of(self.conditions, row) for row in self.antecedents[position]),
            label=self.classes.tolist()[best],
            class_index=best,
            probabilities=self.probabilities[position],
            counts=self.counts[position],
            n_samples=self.n_samples,
            answered_counts=answered,
            weights=None if self.weighted is None else self._weights(position),
            # Only a rule without answered samples can lie inside an earlier one, and most rulesets have none.
            inside=None if answered is None or answered.any() or position == len(self) - 1 else self._inside[position],
        )

    def _weights(self, position: int) -> RuleWeights:
        assert self.weighted is not None, "it is asked for only if there are weights"
        answered = self.weighted.answered if self.knows_answered else None
        return RuleWeights(
            self.weighted.counts[position], None if answered is None else answered[position], self.weighted.total
        )

    @cached_property
    def _inside(self) -> tuple[int | None, ...]:
        """Position, from 1, of the first earlier rule that each rule lies inside; None if the ruleset is too large."""
        conditions = self.conditions
        if len(self) > MOST_COMPARED_RULES or most_values(conditions) > MOST_COMPARED_VALUES:
            return (None,) * len(self)
        containing = first_containing(self.padded_antecedents, conditions)
        return tuple(rule + 1 if rule >= 0 else None for rule in containing.tolist())


def in_blocks(
    X: Any, answer: Callable[[Any], FloatArray], n_classes: int, rest: Callable[[Any], FloatArray] | None = None
) -> FloatArray:
    """What `answer` returns for samples, of shape (n_samples, n_classes).

    It is called for one block of an array or frame after the other, so it copies at most one block at a time, even of
    an array that is mapped from a file. Anything else is passed on as it is.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
    answer : callable
        Turns samples into class probabilities, each row independently.
    n_classes : int
    rest : callable, optional
        Does the same for the blocks after the first one, for which checks of the columns need not be repeated.
    """
    is_array = isinstance(X, np.ndarray) and X.ndim == 2
    if not (is_array or is_frame(X)) or len(X) <= BLOCK_SAMPLES:
        return answer(X)
    answers = np.empty((len(X), n_classes))
    try:
        for start in range(0, len(X), BLOCK_SAMPLES):
            stop = min(start + BLOCK_SAMPLES, len(X))
            answers[start:stop] = (rest if rest and start else answer)(some_rows(X, start, stop))
    except (TypeError, ValueError, NotImplementedError):
        if is_array:
            raise
        # The error about the whole frame may name more columns; and some frames cannot be sliced.
        return answer(X)
    return answers
