"""Conditions out of splits at thresholds."""

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.conditions import ConditionKey, Conditions


def conditions_of_splits(
    features: IntArray, thresholds: FloatArray, names: list[str]
) -> tuple[Conditions, IntArray, IntArray]:
    """Both conditions of each split, sorted by string, and the ids of `x <= t` and of `x > t`."""
    splits = list(zip(np.asarray(features).tolist(), np.asarray(thresholds).tolist(), strict=True))
    keys = [ConditionKey(feature, upper, value, None, False) for upper in (True, False) for feature, value in splits]
    conditions, ids = Conditions.in_string_order(keys, names, np.float32)
    return conditions, ids[: len(splits)], ids[len(splits) :]
