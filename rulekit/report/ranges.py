"""Ranges of the sliders: those of the columns, rounded outwards to hide the exact values of samples."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray

#: Smaller steps cannot be represented as floats.
MOST_DECIMALS = 300


@attrs.frozen
class Range:
    """The values of a slider.

    Attributes
    ----------
    low, high : float
        The smallest and the largest value, rounded outwards to a step.
    step : float
        A power of ten, a hundredth to a thousandth of the range; at least 1 for integers.
    start : float
        The median, rounded to a step.
    """

    low: float
    high: float
    step: float
    start: float


def range_of(column: FloatArray) -> Range:
    """The range of a column of numbers.

    Parameters
    ----------
    column : ndarray of shape (n_samples,)
        Missing values are ignored; if all are missing, the range is 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> range_of(np.array([0.137, 1.0, 7.891]))
    Range(low=0.13, high=7.9, step=0.01, start=1.0)
    """
    values = column[np.isfinite(column)]
    if not len(values):
        return Range(0.0, 1.0, 0.01, 0.5)
    least, middle, most = (float(value) for value in (values.min(), np.median(values), values.max()))
    decimals = _decimals(least, most)
    if decimals > 0 and bool((values == np.rint(values)).all()):
        decimals = 0
    low, high = _rounded(least, decimals, ROUND_FLOOR), _rounded(most, decimals, ROUND_CEILING)
    step = float(Decimal(1).scaleb(-decimals))
    high = high if high > low else low + step
    return Range(low, high, step, min(max(_rounded(middle, decimals, ROUND_HALF_EVEN), low), high))


def _decimals(least: float, most: float) -> int:
    """Decimals of a hundredth of the span, negative before the point."""
    span = most / 2 - least / 2  # half of it, which is finite
    size = span * 2 if 0 < span < 1e300 else span or abs(most) or 1.0
    return min(2 - math.floor(math.log10(size)), MOST_DECIMALS)


def _rounded(value: float, decimals: int, rounding: str) -> float:
    unit = Decimal(1).scaleb(-decimals)
    # In units first: quantize raises for numbers with more digits than the default precision.
    rounded = float((Decimal(value) / unit).to_integral_value(rounding=rounding) * unit) + 0.0
    return rounded if math.isfinite(rounded) else math.copysign(1.7e308, value)
