"""Leave-one-out pruning: conditions that hardly affect a rule's error are removed."""

from typing import Final, Literal

import numpy as np

from rulekit.plugin import FloatArray, IntArray
from rulekit_intrees.extraction import distinct
from rulekit_intrees.measured import MeasuredRules, wrong_fractions

DecayType = Literal["relative", "absolute"]
DECAY_TYPES: Final = ("relative", "absolute")
#: Smallest divisor of a relative decay: s in equation 2 of the paper.
LEAST_ERROR: Final = 1e-6


def prune(rules: MeasuredRules, max_decay: float, decay_type: DecayType) -> MeasuredRules:
    """Remove conditions whose absence raises the error by no more than `max_decay`.

    Conditions are tried from the last to the first, each in the rule as pruned so far, and one condition always stays.
    A rule keeps its class. Rules that have become equal are merged.

    Parameters
    ----------
    rules : MeasuredRules
    max_decay : float
    decay_type : {"relative", "absolute"}
        Whether the increase is relative to the error, or absolute.
    """
    data, pad = rules.data, rules.data.pad
    antecedents, errors = rules.antecedents.copy(), rules.errors
    for position in range(antecedents.shape[1] - 1, -1, -1):
        lengths = np.count_nonzero(antecedents != pad, axis=1)
        rows = np.flatnonzero((antecedents[:, position] != pad) & (lengths > 1))
        shorter = antecedents[rows]
        shorter[:, position] = pad
        without = wrong_fractions(data.count(data.cover(shorter)), rules.classes[rows])
        goes = decay(without, errors[rows], decay_type) <= max_decay
        antecedents[rows[goes], position] = pad
        errors[rows[goes]] = without[goes]
    return _each_once(data.tidy(antecedents), rules)


def decay(without: FloatArray, error: FloatArray, decay_type: DecayType) -> FloatArray:
    """Increase of the errors when a condition is removed, of shape (n_rules,): equations 2 and 3 of the paper.

    Parameters
    ----------
    without, error : ndarrays of shape (n_rules,)
        Errors without the condition and with it.
    decay_type : {"relative", "absolute"}
    """
    rise = without - error
    return rise / np.maximum(error, LEAST_ERROR) if decay_type == "relative" else rise


def _each_once(antecedents: IntArray, rules: MeasuredRules) -> MeasuredRules:
    rows = distinct(np.column_stack([antecedents, rules.classes]))
    return MeasuredRules.of(rows[:, :-1], rules.data, rows[:, -1])
