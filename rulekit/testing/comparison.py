"""Comparing results with what was promised, and reporting where they differ."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.testing.conformance import expect

#: Far below any difference in probability that matters, far above rounding errors of sums.
TOLERANCE = 1e-9
#: For two fits on the same samples in another order: an optimiser may stop at a slightly different point.
TOLERANCE_OF_FITS = 1e-6

NumberArray = FloatArray | IntArray
#: What a component returns, by name: arrays, or anything that can be compared.
Answer = Mapping[str, Any]


def expect_distributions(probabilities: Any, shape: tuple[int, ...], what: str) -> None:
    """Raise unless this is an array of that shape whose rows along the last axis are class distributions."""
    expect_array(probabilities, shape, what)
    finite = np.isfinite(probabilities).all(axis=-1)
    expect(finite.all(), f"{what}: {_position(~finite)} is {_row(probabilities, ~finite)}, not all finite.")
    negative = (probabilities < -TOLERANCE).any(axis=-1)
    expect(not negative.any(), f"{what}: {_position(negative)} is {_row(probabilities, negative)}, partly negative.")
    totals = probabilities.sum(axis=-1)
    off = np.abs(totals - 1.0) > TOLERANCE
    expect(
        not off.any(), f"{what}: {_position(off)} is {_row(probabilities, off)}, which sums to {_first(totals, off)}."
    )


def expect_array(array: Any, shape: tuple[int, ...], what: str, dtype: Any = np.float64) -> None:
    """Raise unless this is an array of that shape and type."""
    expect(isinstance(array, np.ndarray), f"{what}: an object of type {type(array).__name__}, not an array.")
    expect(array.shape == shape, f"{what}: the shape {array.shape} instead of {shape}.")
    expect(array.dtype == dtype, f"{what}: the type {array.dtype} instead of {np.dtype(dtype)}.")


def expect_close(actual: NumberArray, expected: NumberArray, what: str, tolerance: float = TOLERANCE) -> None:
    """Raise unless two arrays have the same shape and nearly the same values."""
    expect(actual.shape == expected.shape, f"{what}: the shape {actual.shape} instead of {expected.shape}.")
    apart = ~np.isclose(actual, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    rows = apart.any(axis=-1) if apart.ndim > 1 else apart
    expect(not rows.any(), f"{what}: {_position(rows)} is {_row(actual, rows)} instead of {_row(expected, rows)}.")


def expect_same(actual: Answer, expected: Answer, what: str) -> None:
    """Raise unless two answers are exactly equal."""
    for name, wanted in expected.items():
        got = actual[name]
        if not isinstance(wanted, np.ndarray):
            expect(got == wanted, f"{what}: {name} are {got!r} instead of {wanted!r}.")
            continue
        expect(got.shape == wanted.shape, f"{what}: {name} have the shape {got.shape} instead of {wanted.shape}.")
        differs = (got != wanted) & ~((got != got) & (wanted != wanted))
        rows = differs.reshape(len(differs), -1).any(axis=1) if differs.size else np.zeros(0, dtype=bool)
        expect(
            not rows.any(), f"{what}: {name}: {_position(rows)} is {_row(got, rows)} instead of {_row(wanted, rows)}."
        )


def _position(wrong: Any) -> str:
    """Where the first mistake is: "row 3", or "entry (1, 2)"."""
    if not wrong.any():
        return ""
    position = np.argwhere(wrong)[0].tolist()
    return f"row {position[0]}" if len(position) == 1 else f"entry {tuple(position)}"


def _row(array: Any, wrong: Any) -> str:
    return np.array2string(_first(array, wrong), separator=", ", threshold=12, precision=10) if wrong.any() else ""


def _first(array: Any, wrong: Any) -> Any:
    return np.asarray(array[tuple(np.argwhere(wrong)[0])]) if wrong.any() else None
