"""Reading stored values back: in a damaged file every value may be anything."""

import io
import json
import tokenize
import zlib
from numbers import Real
from typing import Any

import numpy as np

#: NumPy's exceptions for damaged arrays: invalid headers, and sizes beyond the memory.
_OF_ARRAYS = (ValueError, TypeError, EOFError, SyntaxError, OverflowError, MemoryError, tokenize.TokenError)


class DamagedError(ValueError):
    """A stored value is damaged."""


def document_of(data: Any) -> Any:
    """A document that was stored compressed."""
    return _json(_inflated(data))


def array_of(data: Any) -> Any:
    """An array that was stored compressed."""
    try:
        return np.load(io.BytesIO(_inflated(data)), allow_pickle=False)
    except _OF_ARRAYS as error:
        raise DamagedError(f"an array cannot be read: {error}") from error


def table_of(document: Any) -> dict[str, Any]:
    """A table that was stored as JSON."""
    found = _json(document)
    if not isinstance(found, dict):
        raise DamagedError(f"a table was expected, not {type(found).__name__}")
    return found


def number_of(value: Any) -> float:
    """A measure; NaN where it does not apply."""
    if value is None:
        return float("nan")
    if not isinstance(value, Real):
        raise DamagedError(f"a number was expected, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError as error:
        raise DamagedError(str(error)) from error


def _json(document: Any) -> Any:
    if not isinstance(document, str | bytes):
        raise DamagedError(f"a string was expected, not {type(document).__name__}")
    try:
        return json.loads(document)
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"JSON cannot be read: {error}") from error


def _inflated(data: Any) -> bytes:
    if not isinstance(data, bytes):
        raise DamagedError(f"bytes were expected, not {type(data).__name__}")
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        raise DamagedError(str(error)) from error
