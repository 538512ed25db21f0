"""Several set conditions on one feature are one: that of their intersection."""

from collections.abc import Iterable

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.rules import tidy

# Few categories have few intersections; of many, those beyond this number stay two conditions.
MOST_SETS = 2000


def close_under_intersection(keys: Iterable[ConditionKey]) -> list[ConditionKey]:
    """Set conditions that arise as intersections of the given ones and are not among them."""
    given = [key for key in keys if key.codes is not None]
    known, new = set(given), list(given)
    added: list[ConditionKey] = []
    while new and len(added) < MOST_SETS:
        found: list[ConditionKey] = []
        for key in new:
            for other in given:
                both = key.intersect(other) if key.feature == other.feature else key
                if both not in known and len(added) + len(found) < MOST_SETS:
                    known.add(both)
                    found.append(both)
        added += found
        new = found
    return added


def merge_sets(antecedents: IntArray, conditions: Conditions) -> IntArray:
    """Antecedents of the same meaning, with one set condition per feature where their intersection is a condition."""
    if not conditions.sets:
        return antecedents
    is_set = np.append(conditions.is_set, False)
    pad, merged = len(conditions), antecedents.copy()
    for row in np.flatnonzero(is_set[antecedents].sum(axis=1) > 1):
        ids = [condition for condition in antecedents[row].tolist() if condition != pad]
        by_feature: dict[int, list[int]] = {}
        for condition in ids:
            if is_set[condition]:
                by_feature.setdefault(int(conditions.features[condition]), []).append(condition)
        kept = [condition for condition in ids if not is_set[condition]]
        for same_feature in by_feature.values():
            kept += _one_if_possible(same_feature, conditions)
        merged[row] = kept + [pad] * (antecedents.shape[1] - len(kept))
    return tidy(merged, pad)


def _one_if_possible(ids: list[int], conditions: Conditions) -> list[int]:
    both = conditions.key(ids[0])
    for condition in ids[1:]:
        both = both.intersect(conditions.key(condition))
    known = conditions.ids_of_sets.get(both)
    return ids if known is None else [known]
