"""The splits of an ensemble: pairs of conditions, exactly one of which every sample satisfies."""

import attrs
import numpy as np

from rulekit.plugin import Conditions, IntArray


@attrs.frozen(eq=False)
class Splits:
    """Distinct splits, as ids of their two conditions.

    Attributes
    ----------
    left : ndarray of shape (n_splits,)
        `x <= t` or `x in {…}`: the indicator is 0.
    right : ndarray of shape (n_splits,)
        The opposite: the indicator is 1.
    features : ndarray of shape (n_splits,)
        The feature that is split.
    """

    left: IntArray
    right: IntArray
    features: IntArray

    def __len__(self) -> int:
        return len(self.left)


def splits_of(conditions: Conditions) -> Splits:
    """Every condition whose opposite is among the conditions, together with it.

    This includes all conditions of an ensemble, but not necessarily intersections of category sets.
    """
    ids = {conditions.key(condition): condition for condition in range(len(conditions))}
    pairs: list[tuple[int, int]] = []
    for key, left in ids.items():
        right = ids.get(key.opposite(conditions.missing_features)) if key.is_upper else None
        if right is not None:
            pairs.append((left, right))
    left_ids, right_ids = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Splits(left_ids, right_ids, conditions.features[left_ids])
