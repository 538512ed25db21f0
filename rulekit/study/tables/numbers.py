"""Numbers as strings, formatted alike in every table."""

import math
from collections.abc import Sequence

NOTHING = "-"
_LETTERS = {"better": "B", "worse": "W", "not significant": "n.s.", "cannot be significant": "too few datasets"}


def number(value: float, decimals: int) -> str:
    """A number with so many decimals, or a dash if it is missing."""
    return NOTHING if math.isnan(value) else f"{value:.{decimals}f}"


def mean_sd(mean: float, sd: float, decimals: int) -> str:
    """A mean and its standard deviation, which two decimals are enough for.

    Examples
    --------
    >>> mean_sd(0.44283, 0.3671, 4)
    '0.4428 ± 0.37'
    """
    return number(mean, decimals) if math.isnan(sd) else f"{number(mean, decimals)} ± {sd:.2f}"


def p_value(p: float) -> str:
    """A p-value with four decimals; smaller ones are all the same.

    Examples
    --------
    >>> p_value(0.00003), p_value(0.0362), p_value(float("nan"))
    ('<0.0001', '0.0362', '-')
    """
    if math.isnan(p):
        return NOTHING
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def percent(value: float) -> str:
    """A change in percent, with its sign.

    Examples
    --------
    >>> percent(-71.93), percent(0.04)
    ('-71.9', '0.0')
    """
    if math.isnan(value):
        return NOTHING
    rounded = round(value, 1) + 0.0  # without the sign of a zero
    return f"{rounded:+.1f}" if rounded else "0.0"


def interval(low: float, high: float) -> str:
    """Limits of an interval of changes."""
    return NOTHING if math.isnan(low) else f"{percent(low)} to {percent(high)}"


def verdict_text(verdict: str, p: float) -> str:
    """The verdict on the reference, with its p-value.

    Examples
    --------
    >>> verdict_text("better", 0.0007), verdict_text("not significant", 0.2229)
    ('B (0.0007)', 'n.s. (0.2229)')
    """
    letter = _LETTERS.get(verdict)
    return NOTHING if letter is None else f"{letter} ({p_value(p)})"


def effect(value: float) -> str:
    """A rank-biserial correlation, with its sign.

    Examples
    --------
    >>> effect(1.0), effect(-0.333)
    ('+1.00', '-0.33')
    """
    return NOTHING if math.isnan(value) else f"{value:+.2f}"


def best(values: Sequence[float], sign: int) -> list[int]:
    """Positions of the best values; several if they agree but for rounding, none if there is nothing to choose from.

    Parameters
    ----------
    values : sequence of float
        NaN where there is none.
    sign : int
        1 if higher is better, -1 if lower is.

    Examples
    --------
    >>> best([0.1, 0.3, 0.3], 1), best([0.1, float("nan")], -1)
    ([1, 2], [])
    """
    gains = [sign * round(value, 12) for value in values if not math.isnan(value)]
    if len(gains) < 2 or max(gains) == min(gains):
        return []
    return [position for position, value in enumerate(values) if sign * round(value, 12) == max(gains)]


def balance(wins: float, ties: float, losses: float) -> str:
    """Wins, ties and losses."""
    return f"{wins:.0f}/{ties:.0f}/{losses:.0f}"


def counted(count: int, noun: str) -> str:
    """A count and its noun: 1 dataset, 2 datasets."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """Names in a row: a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
