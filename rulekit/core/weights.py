"""What each training sample counts as: the weight of the sample times the weight of its class, in fixed point.

Sums of weights are whole numbers of one unit, a power of two, so they are exact in float64 whatever their order.
Weights that are whole numbers are exact too: a sample of weight 3 counts as three samples. Others are rounded to a
multiple of 1/4,096 of the largest, or rather of the power of two above it.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Any, Self

import attrs
import numpy as np

from rulekit.core.arrays import WORD, BoolArray, CountArray, FloatArray, IntArray, LabelArray
from rulekit.core.errors import InvalidParameterError, SampleWeightError
from rulekit.core.messages import short

#: Binary digits of sample weights that are not whole.
SAMPLE_DIGITS = 12
#: Largest whole weight of a sample.
LARGEST_WHOLE = 2**31
#: How many words of counting a block costs besides its own.
COST_OF_BLOCK = 4
#: Widest digit of a weight, in bits: weights of up to 65,536 different values can have a block for each.
WIDEST_DIGIT = 16
#: Sums of weights are smaller than two to this power, in units: float64 holds them exactly.
SUM_DIGITS = 52


def checked_weights(sample_weight: Any, n_samples: int) -> FloatArray:
    """Sample weights as an array of shape (n_samples,); raise `SampleWeightError` for others.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,) or number
        A single number counts for every sample.
    n_samples : int
    """
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SampleWeightError(f"sample_weight must be numbers, got {short(sample_weight)}.") from error
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.shape != (n_samples,):
        raise SampleWeightError(
            f"sample_weight must have one number for each of the {n_samples} samples, shape ({n_samples},), got "
            f"{weights.shape}."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise SampleWeightError(
            f"sample_weight must be finite and not negative, got {weights[wrong[0]]:g} for sample {wrong[0]}."
        )
    if not weights.any():
        raise SampleWeightError("sample_weight is zero for every sample: at least one sample needs a positive weight.")
    return weights


@attrs.frozen(eq=False)
class Weights:
    """What samples count as; a sample of class c counts `units * of_class[c] * unit`.

    Attributes
    ----------
    units : ndarray of shape (n_samples,) or None
        Weight of each sample in whole numbers, all positive; None if they are equal.
    of_class : ndarray of shape (n_classes,)
        Factor of each class, a positive whole number.
    sample_unit, class_unit : float
        What `units` and `of_class` count in: powers of two, 1 at most.
    """

    units: IntArray | None
    of_class: IntArray
    sample_unit: float = 1.0
    class_unit: float = 1.0

    @classmethod
    def of(cls, sample_weight: FloatArray | None, class_weight: Any, y: IntArray, classes: LabelArray) -> Self | None:
        """The weights in fixed point; None if every sample counts as one.

        Parameters
        ----------
        sample_weight : ndarray of shape (n_samples,) or None
            Positive.
        class_weight : dict, "balanced" or None
        y : ndarray of shape (n_samples,)
            Class indices.
        classes : ndarray of shape (n_classes,)
            Labels.
        """
        units, sample_unit = (None, 1.0) if sample_weight is None else _in_units(sample_weight)
        sums = np.bincount(y, weights=units, minlength=len(classes)).astype(np.float64) * sample_unit
        factors, class_unit = _factors(class_weight_of(class_weight, sums, classes), sums / sample_unit)
        if units is None and (factors == 1).all() and class_unit == 1:
            return None
        return cls(units, factors, sample_unit, class_unit)

    @property
    def unit(self) -> float:
        """What one unit counts as in samples."""
        return self.sample_unit * self.class_unit

    @property
    def class_factors(self) -> FloatArray:
        """What one sample of each class counts as, sample weights aside; shape (n_classes,)."""
        return np.asarray(self.of_class * self.class_unit, dtype=np.float64)

    def of_samples(self, y: IntArray) -> FloatArray:
        """What each sample counts as, of shape (n_samples,)."""
        own = self.class_factors[y]
        return own if self.units is None else own * (self.units * self.sample_unit)

    def sums(self, y: IntArray) -> CountArray:
        """What the samples of each class count as together, of shape (n_classes,)."""
        counts = np.bincount(y, weights=self.units, minlength=len(self.of_class)).astype(np.int64)
        return self.weighed(counts)

    def weighed(self, units: IntArray) -> CountArray:
        """Counts of samples by class, from their sums of `units`; of shape (..., n_classes)."""
        counts = units * self.of_class
        return counts if self.unit == 1 else counts * self.unit

    def take(self, rows: BoolArray | IntArray) -> Self:
        """The weights of some of the samples."""
        return self if self.units is None else attrs.evolve(self, units=self.units[rows])


def equal(one: Weights | None, other: Weights | None) -> bool:
    """Whether weights of the same samples are equal."""
    if one is None or other is None:
        return one is other
    if one.unit != other.unit or not np.array_equal(one.of_class, other.of_class):
        return False
    if one.units is None or other.units is None:
        return one.units is other.units
    return np.array_equal(one.units, other.units)


def _in_units(weights: FloatArray) -> tuple[IntArray | None, float]:
    """Sample weights as whole numbers, and what one counts as; None if each counts as one sample."""
    largest, smallest = float(weights.max()), float(weights.min())
    if largest == smallest == 1.0:
        return None, 1.0
    if (weights == np.rint(weights)).all() and largest <= LARGEST_WHOLE:
        return weights.astype(np.int64), 1.0
    unit = min(1.0, 2.0 ** (ceil(log2(largest)) - SAMPLE_DIGITS))
    if unit == 0 or smallest < unit:
        raise SampleWeightError(
            f"The largest sample weight, {largest:g}, is more than {2**SAMPLE_DIGITS:,} times the smallest positive "
            f"one, {smallest:g}: weights are rounded to about 1/{2**SAMPLE_DIGITS:,} of the largest. Set the smallest "
            "ones to 0, which leaves these samples out, or limit the largest ones."
        )
    return np.rint(weights / unit).astype(np.int64), unit


def class_weight_of(class_weight: Any, sums: FloatArray, classes: LabelArray) -> FloatArray:
    """The weight of each class, of shape (n_classes,).

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        "balanced" makes all classes that have samples equally heavy, without changing the sum of all weights.
    sums : ndarray of shape (n_classes,)
        What the samples of each class count as together, sample weights included.
    classes : ndarray of shape (n_classes,)
    """
    weights = np.ones(len(classes))
    present = sums > 0
    if isinstance(class_weight, str):
        weights[present] = sums.sum() / (np.count_nonzero(present) * sums[present])
    elif class_weight is not None:
        labels = classes.tolist()
        unknown = [label for label in class_weight if label not in labels]
        lacking = [
            label for label, is_there in zip(labels, present, strict=True) if is_there and label not in class_weight
        ]
        # A class may be absent from the samples of a fold, or keep its weight of 1; both together are a mistake.
        if unknown and lacking:
            raise InvalidParameterError(
                f"class_weight has weights of unknown classes, {short(unknown)}, and none of {short(lacking)}. The "
                f"classes are {short(labels)}."
            )
        weights = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    return weights


def _factors(weights: FloatArray, sums: FloatArray) -> tuple[IntArray, float]:
    """Class weights as whole numbers, and what one counts as; `sums` are those of sample weights, in units."""
    most = max(float(weights @ sums), float(weights.max()))
    if most > 2.0**SUM_DIGITS:
        raise SampleWeightError(
            f"The sum of all weights, {most:.3g} times the unit that they are rounded to, is too large to be exact. "
            "Divide sample_weight or class_weight by a number."
        )
    if (weights == np.rint(weights)).all():
        return weights.astype(np.int64), 1.0
    # As fine as sums of all samples allow.
    unit = min(1.0, 2.0 ** (ceil(log2(most)) - SUM_DIGITS))
    factors = np.rint(weights / unit).astype(np.int64)
    if (factors < 1).any():
        raise InvalidParameterError(
            f"class_weight goes from {weights.min():g} to {weights.max():g}, which is too far apart to count both. "
            "Choose weights that are closer."
        )
    return factors, unit


def digits(units: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The digits of some weights that are not 0: the block of each, its weight's position, and what blocks count as.

    A class without samples has one block.
    """
    if not len(units):
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, np.ones(1, dtype=np.int64)
    distinct, which, counts = np.unique(units, return_inverse=True, return_counts=True)
    n_bits = int(distinct[-1]).bit_length()
    candidates = [_split(distinct, n_bits, width) for width in range(1, min(n_bits, WIDEST_DIGIT) + 1)]
    best = min(candidates, key=lambda digits: _cost(digits, counts))
    blocks, keys = np.unique(best[best > 0], return_inverse=True)
    of_distinct = np.full(best.shape, -1)
    of_distinct[best > 0] = keys
    of_units = of_distinct[which]
    positions, places = np.nonzero(of_units >= 0)
    return of_units[positions, places], positions, blocks


def _split(distinct: IntArray, n_bits: int, width: int) -> IntArray:
    """What each digit of some numbers counts as, of shape (n_numbers, n_digits); they add up to the number."""
    shifts = np.arange(0, n_bits, width)
    return distinct[:, None] & ((2**width - 1) << shifts)


def _cost(digits: IntArray, counts: IntArray) -> int:
    """Words that numbers take in these digits, and what their blocks cost besides."""
    is_used = digits > 0
    _, keys = np.unique(digits[is_used], return_inverse=True)
    members = np.bincount(keys, weights=np.broadcast_to(counts[:, None], digits.shape)[is_used])
    return int(np.ceil(members / WORD).sum()) + COST_OF_BLOCK * len(members)
