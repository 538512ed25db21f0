"""Numbers for display, and thresholds with as few digits as keep every training sample on its side."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.columns import Columns
from rulekit.core.conditions import Conditions

#: A threshold that is closer to a training value than this fraction of the gap to the next counts as equal to it.
ON_THE_LINE = 1e-6
#: The largest number in single precision: ensembles split there, or at infinity, to separate missing values.
LARGEST = 3.4028234663852886e38
#: The smallest float64 has this many decimals.
MOST_DECIMALS = 340


def readable(value: float) -> str:
    """At least three decimals or four significant digits, without trailing zeros.

    Examples
    --------
    >>> readable(16.5), readable(0.000123456), readable(8.12512)
    ('16.5', '0.0001235', '8.125')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -6 or magnitude > 14:
        return f"{value:.4g}"
    return np.format_float_positional(value, precision=max(3, 3 - magnitude), trim="-")


def shortest(value: float) -> str:
    """The fewest digits that identify the number.

    Examples
    --------
    >>> shortest(960.0), shortest(0.09), shortest(1e300)
    ('960', '0.09', '1e+300')
    """
    return np.format_float_positional(value, trim="-") if 1e-7 < abs(value) < 1e15 or value == 0 else repr(value)


def fewest_digits(value: float, low: float, high: float) -> float:
    """The number with the fewest decimals strictly between two others, near a value between them.

    Rounding goes no further than one digit of the value, or of the gap where that is coarser. A value that lies on
    `low` may stay there. The value itself is returned if no shorter number lies between.

    Examples
    --------
    >>> fewest_digits(957.45, 947.0, 967.0), fewest_digits(16.5, 16.0, 17.0), fewest_digits(0.0031, -1.0, 1.0)
    (960.0, 16.5, 0.0)
    """
    if not math.isfinite(value):
        return value
    gap = high - low
    is_on_low = value - low <= ON_THE_LINE * (gap if gap < math.inf else 0.0)
    exact = Decimal(value)
    for decimals in range(_fewest_decimals(value, gap), MOST_DECIMALS):
        unit = Decimal(1).scaleb(-decimals)
        near = sorted(
            (float(exact.quantize(unit, rounding=way)) for way in (ROUND_FLOOR, ROUND_CEILING)),
            key=lambda number: abs(number - value),
        )
        for number in near:
            if low < number < high or (is_on_low and number == low):
                return number + 0.0  # no negative zero
        if value in near:
            break
    return value


def fewest_digits_towards(value: float, end: float) -> float:
    """The number with the fewest decimals from a value to an end, both included; the nearest one to the value.

    Examples
    --------
    >>> fewest_digits_towards(928.501, 953.5), fewest_digits_towards(50.0, 48.0)
    (930.0, 50.0)
    """
    exact, rounding = Decimal(value), ROUND_CEILING if end > value else ROUND_FLOOR
    low, high = sorted((value, end))
    for decimals in range(_fewest_decimals(value, high - low), MOST_DECIMALS):
        number = float(exact.quantize(Decimal(1).scaleb(-decimals), rounding=rounding))
        if low <= number <= high:
            return number + 0.0  # no negative zero
    return value


def _fewest_decimals(value: float, gap: float) -> int:
    """Decimals of the first digit of the value or of the gap, whichever is coarser; negative before the point."""
    sizes = [size for size in (abs(value), gap) if 0 < size < math.inf]
    return min((-math.floor(math.log10(size)) for size in sizes), default=0)


def with_displays(conditions: Conditions, columns: Columns) -> Conditions:
    """The conditions with rounded thresholds for display; the exact ones still decide.

    Thresholds on features of whole numbers are rounded down to the next whole number, which divides whole numbers as
    the exact threshold does, and others to the fewest digits that keep every training sample on its side.

    Parameters
    ----------
    conditions : Conditions
    columns : Columns
        The training samples.
    """
    shown = attrs.evolve(conditions, whole_features=_whole_features(conditions, columns))
    displays = np.where(shown.is_whole, np.floor(shown.cutoffs) + 0.0, _fewest_digits(shown, columns))
    return attrs.evolve(shown, displays=displays)


def with_shown_thresholds(conditions: Conditions, columns: Columns) -> Conditions:
    """Conditions that show and compare with the same thresholds, of as few digits as keep samples on their sides.

    Parameters
    ----------
    conditions : Conditions
    columns : Columns
        The training samples.
    """
    shown = attrs.evolve(conditions, whole_features=_whole_features(conditions, columns))
    displays = _fewest_digits(shown, columns)
    # A limit beyond all numbers tests only whether a value is present.
    is_endless = ~shown.is_set & (np.abs(shown.thresholds) >= LARGEST)
    thresholds = np.where(shown.is_limit, displays, shown.thresholds)
    thresholds[is_endless] = np.copysign(np.inf, thresholds[is_endless])
    displays[is_endless] = np.nan
    # Nothing is rounded before it is compared, so that thresholds are cutoffs.
    return attrs.evolve(shown, thresholds=thresholds, displays=displays, input_dtype=np.dtype(np.float64))


def _whole_features(conditions: Conditions, columns: Columns) -> frozenset[int]:
    numeric = set(conditions.limits_by_feature) - set(conditions.categories.by_feature)
    return columns.whole_features(sorted(numeric))


def _fewest_digits(conditions: Conditions, columns: Columns) -> FloatArray:
    """Each threshold with the fewest digits between the training values beside it; NaN where there is none."""
    displays = np.full(len(conditions), np.nan)
    rows = np.flatnonzero(conditions.is_limit)
    for feature in np.unique(conditions.features[rows]).tolist():
        of_feature = rows[conditions.features[rows] == feature]
        below, above = columns.neighbours(feature, conditions.cutoffs[of_feature])
        for row, low, high in zip(of_feature.tolist(), below.tolist(), above.tolist(), strict=True):
            displays[row] = _display(conditions, row, low, high)
    return displays


def _display(conditions: Conditions, row: int, low: float, high: float) -> float:
    threshold, cutoff = float(conditions.thresholds[row]), float(conditions.cutoffs[row])
    if conditions.is_whole[row]:
        # The training value below belongs to the lower side, so that the threshold may lie on it.
        return fewest_digits(float(math.floor(cutoff)), math.nextafter(low, -math.inf), high)
    # The cutoff of an ensemble that compares in float32 may differ from its threshold by a rounding.
    return fewest_digits(threshold if low <= threshold < high else cutoff, low, high)
