"""Names, strings and numbers in SQL syntax."""

from decimal import Decimal
from typing import Any

from rulekit.core.errors import ExportError
from rulekit.export.spelling import LARGEST_INTEGER, SMALLEST_INTEGER

#: Decimals of at most this many digits are read exactly wherever their value is a double.
SAFE_DIGITS = 15
#: The largest power of two that is an integer everywhere.
LARGEST_POWER = 62


def identifier(name: str) -> str:
    """An identifier in double quotes."""
    return '"' + _without_nul(name).replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A label: a string in single quotes, a boolean, a 64-bit integer or a double; otherwise raise `ExportError`."""
    if isinstance(value, str):
        return "'" + _without_nul(value).replace("'", "''") + "'"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return number(value)
    if not SMALLEST_INTEGER <= value <= LARGEST_INTEGER:
        raise ExportError(
            f"Not supported in SQL: {value}, which no signed 64-bit integer holds. "
            "Convert such labels to strings before fit."
        )
    return str(value)


def number(value: float) -> str:
    """A double, to the last bit.

    SQLite does not round every decimal to the nearest double. An integer divided or multiplied by powers of two is
    exact in every database, so numbers that need many digits are written like that; a comment shows the decimal.

    Examples
    --------
    >>> number(16.5)
    '16.5e0'
    >>> number(0.1)
    '(CAST(3602879701896397 AS DOUBLE PRECISION) / 36028797018963968 /* 0.1 */)'
    """
    exact = Decimal(value)
    _, digits, exponent = exact.as_tuple()
    assert isinstance(exponent, int)
    if len(digits) <= SAFE_DIGITS and -SAFE_DIGITS <= exponent <= 0:
        return f"{exact:f}e0"  # without an exponent, DuckDB would read a decimal type
    numerator, denominator = value.as_integer_ratio()
    shift = (abs(numerator) & -abs(numerator)).bit_length() - 1
    factors = [f" / {power}" for power in _powers(denominator.bit_length() - 1)] + [
        f" * {power}" for power in _powers(shift)
    ]
    return f"(CAST({numerator >> shift} AS DOUBLE PRECISION){''.join(factors)} /* {value!r} */)"


def _powers(exponent: int) -> list[int]:
    """Powers of two whose product is the power with this exponent."""
    whole, rest = divmod(exponent, LARGEST_POWER)
    return [2**LARGEST_POWER] * whole + ([2**rest] if rest else [])


def _without_nul(string: str) -> str:
    if "\0" in string:
        raise ExportError(f"Not supported in SQL: a NUL character in {string!r}. Rename it before fit.")
    return string
