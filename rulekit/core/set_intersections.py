"""Intersections of set conditions: which become conditions of their own, and where they take the place of several."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from rulekit.core.arrays import BitArray, BoolArray, IntArray
from rulekit.core.conditions import ConditionKey, Conditions, tidy
from rulekit.core.regions import Codes
from rulekit.core.set_bits import MISSING, N_UNNAMED, UNNAMED, SetBits, identities, unpacked

# A few categories have few intersections. With many, intersections beyond this number stay two conditions.
MOST_SETS = 2000
#: Words of sets that are worked on at once.
BLOCK_WORDS = 2**14


def close_under_intersection(keys: Iterable[ConditionKey]) -> list[ConditionKey]:
    """Intersections of the given set conditions that are not among them: at most `MOST_SETS`.

    Each set is intersected with the given ones in their order, then each set that was found, and so on.
    """
    given = [(key.feature, Codes(key.codes, key.is_upper, key.holds_missing)) for key in keys if key.codes is not None]
    if not given:
        return []
    sets = SetBits.of([feature for feature, _ in given], [codes for _, codes in given])
    # All sets that are known, the given ones first.
    features, rows, known = sets.features, sets.rows, np.sort(sets.identities)
    first, most = 0, len(given) + MOST_SETS
    while first < len(features) < most:
        last = len(features)
        for left, right in _pairs(np.arange(first, last), features, sets):
            both = rows[left] & sets.rows[right]
            found, positions = np.unique(identities(features[left], both), return_index=True)
            new = np.sort(positions[~_is_among(found, known)])[: most - len(features)]
            features, rows = np.concatenate([features, features[left[new]]]), np.concatenate([rows, both[new]])
            known = np.sort(np.concatenate([known, identities(features[left[new]], both[new])]))
            if len(features) == most:
                break
        first = last
    return _keys(features[len(given) :], rows[len(given) :], sets)


def _pairs(new: IntArray, features: IntArray, sets: SetBits) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs of a new set and a given one of the same feature, in the order of both; a block at a time."""
    by_feature = np.argsort(sets.features, kind="stable")
    ascending = sets.features[by_feature]
    first = np.searchsorted(ascending, features[new], side="left")
    sizes = np.searchsorted(ascending, features[new], side="right") - first
    ends = np.cumsum(sizes)
    most, start = max(1, BLOCK_WORDS // sets.rows.shape[1]), 0
    while start < len(new):
        n_before = ends[start] - sizes[start]
        stop = max(start + 1, int(np.searchsorted(ends, n_before + most, side="right")))
        block = slice(start, stop)
        within = np.arange(n_before, ends[stop - 1]) - np.repeat(ends[block] - sizes[block], sizes[block])
        yield np.repeat(new[block], sizes[block]), by_feature[np.repeat(first[block], sizes[block]) + within]
        start = stop


def _is_among(numbers: BitArray, ascending: BitArray) -> BoolArray:
    at = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[at] == numbers)


def _keys(features: IntArray, rows: BitArray, sets: SetBits) -> list[ConditionKey]:
    """The conditions that rows of bits stand for."""
    keys: dict[int, ConditionKey] = {}
    for feature in np.unique(features).tolist():
        own, named = np.flatnonzero(features == feature), sets.codes[feature]
        values = unpacked(rows[own], len(named) + N_UNNAMED)
        is_inside = ~values[:, UNNAMED]
        of_row, members = np.nonzero(values[:, N_UNNAMED:] == is_inside[:, None])
        codes, ends = named[members].tolist(), np.searchsorted(of_row, np.arange(len(own) + 1)).tolist()
        facts = zip(own.tolist(), pairwise(ends), is_inside.tolist(), values[:, MISSING].tolist(), strict=True)
        for row, (start, end), inside, missing in facts:
            keys[row] = ConditionKey(feature, inside, 0.0, frozenset(codes[start:end]), missing)
    return [keys[row] for row in range(len(features))]


def merge_sets(antecedents: IntArray, conditions: Conditions) -> IntArray:
    """Antecedents of the same meaning, with one set condition per feature where their intersection is a condition.

    Parameters
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Tidy condition ids, padded with `len(conditions)`.
    conditions : Conditions

    Returns
    -------
    antecedents : ndarray of shape (n_rules, narrower width)
        Tidy; the same array if no antecedent has several sets of a feature.
    """
    if not conditions.sets:
        return antecedents
    ranks, pad = conditions.set_order.ranks, len(conditions)
    ranked = np.sort(ranks[antecedents], axis=1)
    features = conditions.set_order.features[ranked]
    is_next = (features[:, 1:] == features[:, :-1]) & (features[:, 1:] >= 0)
    rows = np.flatnonzero(is_next.any(axis=1))
    if not len(rows):
        return antecedents
    merged = antecedents.copy()
    at_once = max(1, BLOCK_WORDS // (ranked.shape[1] * conditions.set_bits.rows.shape[1]))
    for start in range(0, len(rows), at_once):
        block = rows[start : start + at_once]
        merged[block] = conditions.set_order.ids[_merged(ranked[block], is_next[block], conditions)]
    return tidy(merged, pad)


def _merged(ranked: IntArray, is_next: BoolArray, conditions: Conditions) -> IntArray:
    """Antecedents with one set per feature where possible, as ranks.

    Parameters
    ----------
    ranked : ndarray of shape (n_rules, width)
        Ascending ranks of conditions, so that the sets of a feature are neighbours.
    is_next : ndarray of shape (n_rules, width - 1)
        Whether a condition is a set of the same feature as the one before.
    conditions : Conditions
    """
    bits, pad = conditions.set_bits, len(conditions)
    follows, leads = np.zeros(ranked.shape, dtype=bool), np.zeros(ranked.shape, dtype=bool)
    follows[:, 1:] = is_next
    leads[:, :-1] = is_next
    # Only sets that are not alone are looked at, one group after the other.
    several = follows | leads
    sets, is_first = ranked[several], ~follows[several]
    firsts = np.flatnonzero(is_first)
    both = np.bitwise_and.reduceat(bits.rows[sets], firsts, axis=0)
    found = bits.find(bits.features[sets[firsts]], both)[np.cumsum(is_first) - 1]
    ranked[several] = np.where(found < 0, sets, np.where(is_first, found, pad))
    return ranked
