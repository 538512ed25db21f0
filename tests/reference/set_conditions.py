"""Set conditions intersected one pair at a time, as pairs of frozensets."""

from collections.abc import Iterable

import numpy as np

from rulekit.core.conditions import ConditionKey, Conditions, tidy
from rulekit.core.regions import Codes


def intersection(one: ConditionKey, other: ConditionKey) -> ConditionKey:
    """The set condition that holds where both of the same feature do."""
    assert one.codes is not None
    assert other.codes is not None
    own = Codes(one.codes, one.is_upper, one.holds_missing)
    both = own.intersect(Codes(other.codes, other.is_upper, other.holds_missing))
    return ConditionKey(one.feature, both.is_inside, 0.0, both.codes, both.missing)


def close_under_intersection(keys: Iterable[ConditionKey], most: int) -> list[ConditionKey]:
    """Intersections of the given set conditions that are not among them, at most so many."""
    given = [key for key in keys if key.codes is not None]
    known, new = set(given), list(given)
    added: list[ConditionKey] = []
    while new and len(added) < most:
        found: list[ConditionKey] = []
        for key in new:
            for other in given:
                both = intersection(key, other) if key.feature == other.feature else key
                if both not in known and len(added) + len(found) < most:
                    known.add(both)
                    found.append(both)
        added += found
        new = found
    return added


def merge_sets(antecedents: np.ndarray, conditions: Conditions) -> np.ndarray:
    """Antecedents with one set condition per feature where their intersection is a condition."""
    pad, merged = len(conditions), antecedents.copy()
    id_of = {conditions.key(condition): condition for condition in np.flatnonzero(conditions.is_set).tolist()}
    for row, antecedent in enumerate(antecedents.tolist()):
        ids = [condition for condition in antecedent if condition != pad]
        by_feature: dict[int, list[int]] = {}
        for condition in ids:
            if conditions.is_set[condition]:
                by_feature.setdefault(int(conditions.features[condition]), []).append(condition)
        kept = [condition for condition in ids if not conditions.is_set[condition]]
        for same_feature in by_feature.values():
            both = conditions.key(same_feature[0])
            for condition in same_feature[1:]:
                both = intersection(both, conditions.key(condition))
            kept += [id_of[both]] if both in id_of else same_feature
        merged[row] = kept + [pad] * (antecedents.shape[1] - len(kept))
    return tidy(merged, pad)
