"""Containment of antecedents: which rules lie inside an earlier one, so that they can never answer first."""

import attrs
import numpy as np
from scipy.sparse import csr_array

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.validation import UNKNOWN

#: Entries of the matrices that are held at once.
BLOCK = 2**22
_LARGEST = np.finfo(np.float64).max


def first_containing(antecedents: IntArray, conditions: Conditions) -> IntArray:
    """The first earlier antecedent that each antecedent lies inside.

    An antecedent lies inside another if every possible sample that satisfies the one satisfies the other, whether or
    not there is such a training sample. One that no sample can satisfy lies inside every other.

    Parameters
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids in the order in which the rules are tried, padded with `len(conditions)`: those of a
        `TrainingData`, with its conditions.
    conditions : Conditions

    Returns
    -------
    containing : ndarray of shape (n_rules,)
        Position of the earlier antecedent, -1 where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from rulekit.core.conditions import Conditions
    >>> conditions = Conditions(np.array([0, 0]), np.array([True, True]), np.array([1.0, 2.0]), ("x",))
    >>> first_containing(np.array([[1], [0]]), conditions).tolist()  # x <= 1 lies inside x <= 2
    [-1, 0]
    """
    n_rules, pad = len(antecedents), len(conditions)
    used = np.unique(antecedents[antecedents != pad])
    # Ids become positions among the conditions that are used; the pad is the last.
    rows = np.searchsorted(used, antecedents)
    rules, columns = np.nonzero(rows < len(used))
    required = csr_array(
        (np.ones(len(rules), dtype=np.float32), (rules, rows[rules, columns])), shape=(n_rules, len(used))
    )
    containing = np.full(n_rules, -1)
    at_once = max(1, BLOCK // max(1, n_rules + len(used)))
    for start in range(0, n_rules, at_once):
        stop = min(start + at_once, n_rules)
        excludes, is_empty = _exclusions(rows[start:stop], conditions.take(used))
        # How many conditions of each rule up to here exclude a sample of each rule of this block.
        is_inside = (required[:stop] @ excludes.astype(np.float32) == 0) | is_empty
        is_inside &= np.arange(stop)[:, None] < np.arange(start, stop)
        containing[start:stop] = np.where(is_inside.any(axis=0), is_inside.argmax(axis=0), -1)
    return containing


def inside_earlier(antecedents: IntArray, conditions: Conditions) -> BoolArray:
    """Whether each antecedent lies inside an earlier one, of shape (n_rules,); see `first_containing`."""
    return first_containing(antecedents, conditions) >= 0


def most_values(conditions: Conditions) -> int:
    """At most how many values of one feature `first_containing` tells apart, roughly; a quick look at sizes."""
    labels = (len(each) for each in conditions.categories.by_feature.values())
    return len(conditions) + sum(labels) + max((len(codes) for codes in conditions.sets if codes), default=0)


def _exclusions(antecedents: IntArray, conditions: Conditions) -> tuple[BoolArray, BoolArray]:
    """Which conditions exclude a sample that satisfies an antecedent, and which antecedents no sample satisfies.

    Antecedents limit each feature independently of the others, so it suffices to look at one feature at a time.

    Returns
    -------
    excludes : ndarray of shape (n_conditions, n_rules)
    is_empty : ndarray of shape (n_rules,)
    """
    excludes = np.zeros((len(conditions), len(antecedents)), dtype=bool)
    is_empty = np.zeros(len(antecedents), dtype=bool)
    codes = conditions.codes_by_feature
    for feature in np.unique(conditions.features).tolist():
        own = np.flatnonzero(conditions.features == feature)
        values = _distinct_values(feature, own, conditions, codes.get(feature))
        holds = _hold(own, values, conditions)
        # The last row stands for the conditions on other features, and for the pad.
        with_pad = np.vstack([holds, np.ones(len(values), dtype=bool)])
        at = np.full(len(conditions) + 1, len(own))
        at[own] = np.arange(len(own))
        allowed = np.ones((len(antecedents), len(values)), dtype=bool)
        for column in antecedents.T:
            allowed &= with_pad[at[column]]
        excludes[own] = (~holds).astype(np.float32) @ allowed.T.astype(np.float32) > 0
        is_empty |= ~allowed.any(axis=1)
    return excludes, is_empty


def _distinct_values(feature: int, own: IntArray, conditions: Conditions, codes: frozenset[int] | None) -> FloatArray:
    """One value of each kind that the conditions on a feature can tell apart, of shape (n_values,)."""
    values = [float(code) for code in codes or ()]
    has_labels = feature in conditions.categories.by_feature
    if codes is not None and not (has_labels and conditions.categories.unknown_as_missing):
        values.append(UNKNOWN)
    cutoffs = conditions.cutoffs[own[~conditions.is_set[own]]]
    if len(cutoffs):
        # Intervals are closed on the right, so a cutoff belongs to the one below it.
        values += [*cutoffs[np.isfinite(cutoffs)].tolist(), _LARGEST]
    if feature in conditions.missing_features:
        values.append(np.nan)
    return np.unique(values)


def _hold(own: IntArray, values: FloatArray, conditions: Conditions) -> BoolArray:
    """Whether the conditions on one feature hold for its values, of shape (n_conditions, n_values)."""
    alone = attrs.evolve(conditions.take(own), features=np.zeros_like(own))
    column, missing = values[None], np.isnan(values)[None]
    return np.array([alone.hold(condition, column, missing) for condition in range(len(own))])
