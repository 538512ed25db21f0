"""Class labels of every type, and what is none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

from .drawn import Drawn

#: From positions among five classes to labels.
LABELS: dict[str, Callable[[np.ndarray], Any]] = {
    "integers": lambda y: y,
    "negative integers": lambda y: y - 3,
    "large integers": lambda y: y + 2**62,
    "int8": lambda y: y.astype(np.int8),
    "unsigned integers": lambda y: y.astype(np.uint64),
    "whole floats": lambda y: y.astype(float),
    "single-precision whole floats": lambda y: y.astype(np.float32),
    "strings": lambda y: np.array(["no", "yes", "", " ", "ß\n<b>"])[y],
    "string objects": lambda y: np.array(["no", "yes", "", " ", "ß\n<b>"], dtype=object)[y],
    "a list": lambda y: y.tolist(),
    "a list of strings": lambda y: [f"class {label}" for label in y.tolist()],
    "a series": lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
    "a categorical series": lambda y: pd.Series([f"c{label}" for label in y.tolist()], dtype="category"),
    "a series of strings": lambda y: pd.Series([f"c{label}" for label in y.tolist()], dtype="str"),
    "a nullable series": lambda y: pd.Series(y, dtype="Int64"),
    "a polars series": lambda y: pl.Series(y),
}
TWO_CLASSES: dict[str, Callable[[np.ndarray], Any]] = {
    "truth values": lambda y: y > 0,
    "a list of truth values": lambda y: (y > 0).tolist(),
}
WRONG: dict[str, Callable[[np.ndarray], Any]] = {
    "one class": lambda y: np.zeros_like(y),
    "fractions": lambda y: y + 0.5 + np.arange(len(y)) / 1000,
    "NaN": lambda y: np.where(np.arange(len(y)) == 1, np.nan, y),
    "None inside": lambda y: np.array([None, *["a"] * (len(y) - 1)], dtype=object),
    "two types": lambda y: np.array(["a", *[1] * (len(y) - 1)], dtype=object),
    "one too few": lambda y: y[1:],
    "two columns": lambda y: np.column_stack([y, y]),
    "None": lambda y: None,
    "a number": lambda y: 1,
    "nothing": lambda y: [],
    "bytes": lambda y: np.array([b"a", b"b"])[y % 2],
    "infinity": lambda y: np.where(np.arange(len(y)) == 1, np.inf, y),
}


@st.composite
def labels(draw: st.DrawFn, n_samples: int, *, is_wrong: bool) -> Drawn:
    """Labels of so many samples: of two classes at least, unless wrong."""
    n_classes = draw(st.integers(2, min(5, n_samples)))
    positions = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).integers(0, n_classes, n_samples)
    positions[:2] = 0, 1
    if is_wrong:
        kind = draw(st.sampled_from(sorted(WRONG)))
        return Drawn(WRONG[kind](positions), kind, is_wrong=True)
    known = {**LABELS, **(TWO_CLASSES if n_classes == 2 else {})}
    kind = draw(st.sampled_from(sorted(known)))
    return Drawn(known[kind](positions), kind)
