"""What every list of rules has: conditions, and which samples satisfy which rule."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions, first_match
from rulekit.core.validation import check_codes, check_missing, reading_numbers
from rulekit.ruleset.matching import UnexpectedMissing, matches
from rulekit.ruleset.samples import is_read_by_name, numbers_by_name, numbers_by_position


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
        return matches(self, numbers)

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
            check_missing(samples, conditions.missing_features | not_tested, self.feature_names)
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
