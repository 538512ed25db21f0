"""From components to regions: the conditions of each, and the order in which they are tried."""

import numpy as np

from rulekit.plugin import BoolArray, Conditions, FloatArray, IntArray, TrainingData, row_sums
from rulekit_defragtrees.splits import Splits

#: A rate this close to 0 or 1 counts as 0 or 1: all samples of the component are on one side of the split.
CERTAIN = 1e-6


def regions(rates: FloatArray, splits: Splits, data: TrainingData) -> IntArray:
    """The region of each component: the sides of splits that all of its samples are on.

    Parameters
    ----------
    rates : ndarray of shape (n_splits, n_components)
    splits : Splits
    data : TrainingData

    Returns
    -------
    antecedents : ndarray of shape (n_components, width)
        Condition ids, padded with `data.pad`; none whose removal would add a training sample.
    """
    conditions = data.conditions
    rows = [
        _tightest(np.concatenate([splits.left[rate < CERTAIN], splits.right[rate > 1 - CERTAIN]]), conditions)
        for rate in rates.T
    ]
    antecedents = np.full((len(rows), max(map(len, rows))), data.pad)
    for antecedent, row in zip(antecedents, rows, strict=True):
        antecedent[: len(row)] = row
    return without_idle_conditions(data.without_redundancy(antecedents), data)


def _tightest(ids: IntArray, conditions: Conditions) -> IntArray:
    """Of the conditions that limit a feature on the same side, and treat missing values alike, the tightest."""
    sides = 2 * conditions.bounds[ids] + conditions.holds_missing[ids]
    order = np.lexsort([-conditions.tightness[ids], sides])
    _, first = np.unique(sides[order], return_index=True)
    return ids[order][first]


def without_idle_conditions(antecedents: IntArray, data: TrainingData) -> IntArray:
    """Shorter antecedents that cover the same training samples.

    As long as some condition of a rule excludes no sample, the first such one is removed; all rules at once.
    """
    antecedents = antecedents.copy()
    covered = row_sums(data.count(data.cover(antecedents)))
    while True:
        rules, positions = np.nonzero(antecedents != data.pad)
        is_idle = row_sums(data.removal_counts(antecedents)) == covered[rules]
        if not is_idle.any():
            return data.tidy(antecedents)
        shortened, first = np.unique(rules[is_idle], return_index=True)
        antecedents[shortened, positions[is_idle][first]] = data.pad


def order_of_trial(covers: BoolArray, claims: IntArray, counts: FloatArray) -> IntArray:
    """An order of regions in which the first that covers a sample is, mostly, the one that claims it.

    The next region is always the one that claims the largest fraction of the uncovered samples that it covers; ties go
    to the region that covers more of them.

    Parameters
    ----------
    covers : ndarray of shape (n_regions, n_patterns)
    claims : ndarray of shape (n_patterns,)
        The most probable region of each pattern.
    counts : ndarray of shape (n_patterns,)
        Samples with each pattern.
    """
    own = (claims == np.arange(len(covers))[:, None]) & covers
    left, remaining, order = counts.copy(), np.ones(len(covers), dtype=bool), []
    while remaining.any():
        n_left = covers @ left
        fraction = own @ left / np.maximum(n_left, 1)
        ranked = np.lexsort([-n_left, -fraction, ~remaining])
        order.append(ranked[0])
        remaining[ranked[0]] = False
        left[covers[ranked[0]]] = 0
    return np.array(order, dtype=np.int64)
