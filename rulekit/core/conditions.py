"""Every distinct condition of an ensemble, as rows of arrays; the one place that knows what a condition is."""

from collections.abc import Sequence
from typing import Self

import attrs
import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BoolArray, FloatArray, IntArray


@attrs.frozen(eq=False)
class Conditions:
    """Conditions `x <= t` and `x > t`; a condition's id is its row.

    Attributes
    ----------
    features : ndarray of shape (n_conditions,)
    is_upper : ndarray of shape (n_conditions,)
        True for `x <= t`, False for `x > t`.
    thresholds : ndarray of shape (n_conditions,)
        As the library states them.
    feature_names : tuple of str
    input_dtype : numpy dtype
        What the library rounds a record's values to before it compares them.
    cutoffs : ndarray of shape (n_conditions,)
        The float64 values that decide unrounded records exactly as the library decides rounded ones.
    """

    features: IntArray
    is_upper: BoolArray
    thresholds: FloatArray
    feature_names: tuple[str, ...]
    input_dtype: npt.DTypeLike = np.float32
    cutoffs: FloatArray = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "cutoffs", exact_cutoffs(self.thresholds, self.input_dtype))

    def __len__(self) -> int:
        return len(self.features)

    @classmethod
    def in_text_order(
        cls, features: IntArray, thresholds: FloatArray, feature_names: Sequence[str], input_dtype: npt.DTypeLike
    ) -> tuple[Self, IntArray, IntArray]:
        """Both conditions of each distinct split, sorted once by their text so that an id is a rank.

        Upper and lower case count as the same: the published case study comes out with its columns' own names only if
        "age" stands before "Area". Conditions that print alike are told apart by their exact thresholds.

        Returns
        -------
        conditions : Conditions
        at_most, above : ndarray of shape (n_splits,)
            Ids of `x <= t` and of `x > t` for each split.
        """
        names = [str(name) for name in feature_names]
        values = [f"{value:.3f})" for value in thresholds.tolist()]
        heads = [f"({names[feature]} " for feature in features.tolist()]
        texts = [f"{head}{sign} {value}" for sign in "≤>" for head, value in zip(heads, values, strict=True)]
        folded = [text.casefold() for text in texts]
        exact = thresholds.tolist() * 2
        ranked = sorted(range(len(texts)), key=lambda row: (folded[row], texts[row], exact[row]))
        order = np.array(ranked, dtype=np.int64)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        at_most, above = rank[: len(features)], rank[len(features) :]
        split = order % max(len(features), 1)
        conditions = cls(
            features=features[split],
            is_upper=order < len(features),
            thresholds=thresholds[split],
            feature_names=tuple(names),
            input_dtype=np.dtype(input_dtype),
        )
        return conditions, at_most, above

    def take(self, ids: IntArray) -> Self:
        """Only these conditions, in this order."""
        return attrs.evolve(
            self, features=self.features[ids], is_upper=self.is_upper[ids], thresholds=self.thresholds[ids]
        )

    def hold(self, condition: int, columns: FloatArray) -> BoolArray:
        """Whether a condition holds, of shape (n_records,); `columns` has shape (n_features, n_records)."""
        at_most: BoolArray = columns[self.features[condition]] <= self.cutoffs[condition]
        return at_most if self.is_upper[condition] else ~at_most


def exact_cutoffs(thresholds: FloatArray, input_dtype: npt.DTypeLike) -> FloatArray:
    """Largest float64 values that still count as at most the thresholds once rounded to `input_dtype`.

    Rounding to float32 sends everything up to the midpoint of two neighbours to the lower one, and the midpoint
    itself to the one with the even last bit. Comparing with that point needs no rounded copy of the records.
    """
    if np.dtype(input_dtype) == np.float64:
        return thresholds
    infinity = np.float32(np.inf)
    with np.errstate(over="ignore"):
        nearest = thresholds.astype(np.float32)
        low = np.where(nearest > thresholds, np.nextafter(nearest, -infinity), nearest)
        high = np.nextafter(low, infinity)
        # Beyond the largest float32, rounding behaves as if the next number were 2**128, or its opposite.
        ends = [np.clip(end.astype(np.float64), -(2.0**128), 2.0**128) for end in (low, high)]
        middle = ends[0] / 2 + ends[1] / 2
        middle_rounds_down = middle.astype(np.float32) == low
    return np.asarray(np.where(middle_rounds_down, middle, np.nextafter(middle, -np.inf)))
