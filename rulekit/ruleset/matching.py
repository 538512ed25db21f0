"""A list of rules as conditions, and which samples satisfy which rule, whatever values are missing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions, first_match, match
from rulekit.core.errors import InvalidParameterError, UnexpectedMissingWarning
from rulekit.core.messages import short, warn_caller
from rulekit.core.validation import check_codes, check_missing, is_read_by_name, reading_numbers, some_names
from rulekit.ruleset.samples import numbers_by_name, numbers_by_position

if TYPE_CHECKING:
    from rulekit.render.table import Table

#: "error" rejects all samples, "default-rule" lets the default rule answer the affected ones, "other-conditions" leaves
#: out the conditions on values that are missing.
UnexpectedMissing = Literal["error", "default-rule", "other-conditions"]
CHOICES: Final[tuple[str, ...]] = get_args(UnexpectedMissing)
#: Up to this many samples, a call per sample is quicker than a call per condition.
FEW_SAMPLES = 4
#: Positions of samples that a warning lists.
MOST_LISTED = 5


def check_choice(choice: Any) -> None:
    """Raise unless this is one of the choices."""
    if choice not in CHOICES:
        raise InvalidParameterError(
            f"unexpected_missing must be one of {', '.join(map(repr, CHOICES))}, got {short(choice)}."
        )


class Antecedents:
    """The conditions of an ordered list of rules, the last of which has none; the base of every ruleset.

    Attributes
    ----------
    conditions : Conditions
        Every distinct condition of the rules.
    antecedents : tuple of tuples of int
        Rows of `conditions` for each rule; the default rule's is empty.
    """

    conditions: Conditions
    antecedents: tuple[tuple[int, ...], ...]
    unexpected_missing: UnexpectedMissing = "error"

    def __len__(self) -> int:
        return len(self.antecedents)

    def _table(self) -> Table:
        """The rules as a table of strings; every ruleset has its own columns."""
        raise NotImplementedError

    def to_text(self) -> str:
        """An aligned table in plain text: what `print` shows."""
        return self._table().to_text()

    def to_markdown(self) -> str:
        """A Markdown table, its title in bold above it."""
        return self._table().to_markdown()

    def to_latex(self) -> str:
        r"""A LaTeX `table` for `\input`; it needs the package booktabs."""
        return self._table().to_latex()

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()

    @property
    def tested_features(self) -> tuple[int, ...]:
        """Indices of the features that rules test."""
        tested = [condition for antecedent in self.antecedents for condition in antecedent]
        return tuple(np.unique(self.conditions.features[tested]).tolist()) if tested else ()

    @cached_property
    def used_features(self) -> tuple[int, ...]:
        """Indices of the features that a prediction needs."""
        return self.tested_features

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, in order."""
        return self.conditions.feature_names

    @property
    def n_conditions(self) -> int:
        """Number of conditions of all rules together."""
        return sum(len(antecedent) for antecedent in self.antecedents)

    def matches(self, X: Any) -> BoolArray:
        """Which samples satisfy which rule, of shape (n_rules - 1, n_samples); without the default rule."""
        return self.matches_of(self.as_numbers(X))

    def matches_of(self, numbers: FloatArray) -> BoolArray:
        """Like `matches`, for samples that `as_numbers` has returned."""
        return _matches(self, numbers)

    def first_matches(self, X: Any) -> IntArray:
        """Index of the first rule that each sample satisfies, else of the default rule; shape (n_samples,)."""
        return first_match(self.matches(X))

    def as_numbers(self, X: Any) -> FloatArray:
        """Samples as the rules compare them, of shape (n_samples, n_features): labels become codes.

        Raises `ValueError` for samples that the rules cannot answer.
        """
        conditions = self.conditions
        with reading_numbers():
            if is_read_by_name(X, self.feature_names):
                samples = numbers_by_name(X, conditions, self.used_features)
            else:
                samples = numbers_by_position(X, conditions)
        samples = conditions.categories.mark_missing(samples)
        if self.unexpected_missing == "error":
            not_tested = frozenset(range(len(self.feature_names))).difference(self.used_features)
            has_choice = hasattr(self, "with_unexpected_missing")
            check_missing(samples, conditions.missing_features | not_tested, self.feature_names, has_choice=has_choice)
        check_codes(samples, conditions.code_features, self.feature_names)
        return samples

    @cached_property
    def padded_antecedents(self) -> IntArray:
        """The antecedents as an array, padded with the number of conditions; shape (n_rules, width)."""
        width = max(len(antecedent) for antecedent in self.antecedents)
        padded = np.full((len(self), width), len(self.conditions))
        for row, antecedent in zip(padded, self.antecedents, strict=True):
            row[: len(antecedent)] = antecedent
        return padded


def lacks(numbers: FloatArray, used: Sequence[int], missing_features: frozenset[int]) -> BoolArray:
    """Which values are unexpectedly missing, of shape (n_samples, n_features): those that some rule tests."""
    missing = np.zeros(numbers.shape, dtype=bool)
    tested = [feature for feature in used if feature not in missing_features]
    missing[:, tested] = np.isnan(numbers[:, tested])
    return missing


def _matches(ruleset: Antecedents, numbers: FloatArray) -> BoolArray:
    """Which samples satisfy which rule, of shape (n_rules - 1, n_samples), whatever is missing."""
    conditions, antecedents = ruleset.conditions, ruleset.antecedents[:-1]
    is_few = len(numbers) <= FEW_SAMPLES
    found = _match_few(ruleset, numbers) if is_few else match(conditions, antecedents, numbers)
    if ruleset.unexpected_missing == "error":
        return found
    missing = lacks(numbers, ruleset.used_features, conditions.missing_features)
    rows = np.flatnonzero(missing.any(axis=1))
    if len(rows):
        found[:, rows] = False
        if ruleset.unexpected_missing == "other-conditions":
            found[:, rows] = _by_other_conditions(conditions, antecedents, numbers[rows], missing[rows])
    return found


def _match_few(ruleset: Antecedents, numbers: FloatArray) -> BoolArray:
    """As `match`, sample by sample: all conditions at once, instead of all samples at once."""
    found = np.empty((len(ruleset) - 1, len(numbers)), dtype=bool)
    for position, sample in enumerate(numbers):
        holds = np.append(ruleset.conditions.hold_for(sample), True)
        found[:, position] = holds[ruleset.padded_antecedents[:-1]].all(axis=1)
    return found


def _by_other_conditions(
    conditions: Conditions, antecedents: Sequence[Sequence[int]], numbers: FloatArray, missing: BoolArray
) -> BoolArray:
    """Which rules match if conditions on missing values are left out; a rule needs at least one other condition."""
    left_out = missing.T[conditions.features]
    holds = np.array([conditions.hold_for(sample) for sample in numbers]).T | left_out
    rows = [list(antecedent) for antecedent in antecedents]
    found = [holds[row].all(axis=0) & ~left_out[row].all(axis=0) for row in rows]
    return np.array(found, dtype=bool).reshape(len(rows), len(numbers))


class Affected:
    """Samples with unexpected missing values, over all blocks of one call.

    Parameters
    ----------
    ruleset : Antecedents
    """

    def __init__(self, ruleset: Antecedents) -> None:
        self.ruleset = ruleset
        self.features: set[int] = set()
        self.rows: list[int] = []
        self.n_samples = 0

    def add(self, numbers: FloatArray) -> FloatArray:
        """Look at the next samples, of shape (n_samples, n_features), and return them."""
        if self.ruleset.unexpected_missing != "error":
            missing = lacks(numbers, self.ruleset.used_features, self.ruleset.conditions.missing_features)
            self.features.update(np.flatnonzero(missing.any(axis=0)).tolist())
            self.rows += (np.flatnonzero(missing.any(axis=1)) + self.n_samples).tolist()
            self.n_samples += len(numbers)
        return numbers

    def warn(self) -> None:
        """Warn once if there were any."""
        if not self.rows:
            return
        names = [self.ruleset.feature_names[feature] for feature in sorted(self.features)]
        verb = "has" if len(self.rows) == 1 else "have"
        more = ", …" if len(self.rows) > MOST_LISTED else ""
        warn_caller(
            f"{len(self.rows)} of {self.n_samples} samples {verb} missing values in {some_names(names)}, which had "
            f"none in training: {', '.join(map(str, self.rows[:MOST_LISTED]))}{more}, counted from 0. "
            f"{ANSWERS[self.ruleset.unexpected_missing]} (unexpected_missing="
            f"{self.ruleset.unexpected_missing!r}).",
            UnexpectedMissingWarning,
        )


ANSWERS: Final = {
    "default-rule": "The default rule answers",
    "other-conditions": "Rules answer by their other conditions",
}
