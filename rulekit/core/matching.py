"""Which records satisfy which rules, outside of training."""

from collections.abc import Sequence

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions


def match(conditions: Conditions, antecedents: Sequence[Sequence[int]], X: FloatArray) -> BoolArray:
    """Whether records satisfy antecedents, of shape (n_rules, n_records).

    Parameters
    ----------
    conditions : Conditions
    antecedents : sequence of sequences of int
        Rows of `conditions` that each rule asks for.
    X : ndarray of shape (n_records, n_features)
    """
    columns = np.ascontiguousarray(X.T)
    needed = {condition for antecedent in antecedents for condition in antecedent}
    missing = np.isnan(columns) if conditions.missing_features else None
    holds = {condition: conditions.hold(condition, columns, missing) for condition in needed}
    matches = np.ones((len(antecedents), len(X)), dtype=bool)
    for row, antecedent in zip(matches, antecedents, strict=True):
        for condition in antecedent:
            row &= holds[condition]
    return matches


def first_match(matches: BoolArray) -> IntArray:
    """Position of the first rule that matches each record, the number of rules where none does; (n_records,)."""
    n_rules, n_records = matches.shape
    first = np.full(n_records, n_rules)
    for rule in range(n_rules - 1, -1, -1):
        first[matches[rule]] = rule
    return first
