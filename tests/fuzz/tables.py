"""Samples in every form in which people have them, and in some that nobody should."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse
from hypothesis import strategies as st

from .drawn import Drawn

#: From a plain table of doubles to another form of it; none of them changes what the table says.
FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "float64": lambda X: X,
    "Fortran order": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda X: _read_only(X),
    "other byte order": lambda X: X.astype(">f8"),
    "lists": lambda X: X.tolist(),
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "object": lambda X: X.astype(object),
}
#: The same for whole numbers.
WHOLE_FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "int8": lambda X: X.astype(np.int8),
    "int64": lambda X: X.astype(np.int64),
    "float16": lambda X: X.astype(np.float16),
    "float32": lambda X: X.astype(np.float32),
    "Python integers": lambda X: X.astype(int).tolist(),
}
FRAMES: dict[str, Callable[[np.ndarray, Sequence[Any]], Any]] = {
    "pandas": lambda X, names: pd.DataFrame(X, columns=names),
    "pandas, another index": lambda X, names: pd.DataFrame(X, columns=names, index=np.arange(len(X))[::-1] * 7),
    "pandas, objects": lambda X, names: pd.DataFrame(X.astype(object), columns=names),
    "pandas, Float64": lambda X, names: pd.DataFrame(X, columns=names).astype("Float64"),
    "polars": lambda X, names: pl.DataFrame({name: X[:, position] for position, name in enumerate(names)}),
}
#: Numbers in columns of objects might be codes of categories, which most ensembles do not say how to read.
MAYBE_REFUSED = {"pandas, objects"}
WRONG: dict[str, Callable[[np.ndarray], Any]] = {
    "an infinity": lambda X: _with(X, np.inf),
    "minus infinity": lambda X: _with(X, -np.inf),
    "text": lambda X: _with(X.astype(object), "red"),
    "a list inside": lambda X: _with(X.astype(object), [1, 2]),
    "a dict inside": lambda X: _with(X.astype(object), {}),
    "complex numbers": lambda X: X + 1j,
    "masked values": lambda X: np.ma.array(X, mask=np.eye(*X.shape)),
    "dates": lambda X: np.zeros(X.shape, dtype="datetime64[s]"),
    "a whole number beyond doubles": lambda X: _with(X.astype(object), 10**400),
    "a lazy frame": lambda X: pl.DataFrame(X).lazy(),
    "one dimension": lambda X: X[:, 0],
    "three dimensions": lambda X: X[:, :, None],
    "a number": lambda X: 3.5,
    "None": lambda X: None,
    "a string": lambda X: "samples",
    "no samples": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "rows of different lengths": lambda X: (
        [*X.tolist()[:-1], [1.0]] if X.shape[1] > 1 else [*X.tolist()[:-1], [1.0, 2.0]]
    ),
    "a sparse matrix": scipy.sparse.csr_matrix,
    "a frame with text": lambda X: pd.DataFrame(X).rename(columns=str).assign(colour="red"),
    "a frame with names of two types": lambda X: pd.DataFrame(
        np.hstack([X, X]), columns=[*range(X.shape[1]), *"abcdef"[: X.shape[1]]]
    ),
}

ODD_NAMES = st.text(min_size=0, max_size=6) | st.sampled_from(
    [
        "",
        " ",
        "a",
        "A",
        "x0",
        "rule",
        "<b>",
        "'; DROP TABLE x;--",
        "a\nb",
        "\\",
        "{}",
        "%s",
        "∑",
        "age <= 3",
        "otherwise",
        "\x00",
    ]
)
WHOLE = st.integers(-3, 3).map(float)
WIDE = st.floats(allow_nan=False, allow_infinity=False, width=32) | st.sampled_from(
    [0.0, -0.0, 1e-45, 1e-40, 3e38, -3e38, 0.1]
)


def _read_only(X: np.ndarray) -> np.ndarray:
    copy = X.copy()
    copy.setflags(write=False)
    return copy


def _with(X: np.ndarray, value: Any) -> np.ndarray:
    changed = X.copy()
    changed[len(X) // 2, -1] = value
    return changed


def grid(draw: st.DrawFn, n_samples: int, n_columns: int, *, is_whole: bool, has_missing: bool) -> np.ndarray:
    """Doubles of shape (n_samples, n_columns), full of ties and, unless whole, of extremes; NaN among them if asked."""
    values = draw(st.lists(WHOLE if is_whole else WIDE, min_size=1, max_size=6)) + [np.nan] * has_missing
    positions = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).integers(0, len(values), (n_samples, n_columns))
    return np.array(values)[positions]


@st.composite
def forms_of(draw: st.DrawFn, X: np.ndarray, names: Sequence[str] | None, *, is_whole: bool) -> Drawn:
    """A right form of a table: a frame if there are names, something without names otherwise."""
    has_missing = np.isnan(X).any()
    # Some ensembles take missing values, and the rules take them in columns where training had some.
    told, may_be = (" with NaN", None) if has_missing else ("", False)
    if names is not None:
        kind = draw(st.sampled_from(sorted(FRAMES)))
        return Drawn(FRAMES[kind](X, names), kind + told, None if kind in MAYBE_REFUSED else may_be)
    known = {**FORMS, **(WHOLE_FORMS if is_whole else {})}
    kind = draw(st.sampled_from(sorted(known)))
    return Drawn(known[kind](X), kind + told, may_be)


@st.composite
def wrong_tables(draw: st.DrawFn, X: np.ndarray) -> Drawn:
    """Something that is no table of numbers."""
    kind = draw(st.sampled_from(sorted(WRONG)))
    return Drawn(WRONG[kind](X), kind, is_wrong=True)


@st.composite
def wrong_for_names(draw: st.DrawFn, X: np.ndarray, names: Sequence[str] | None) -> Drawn:
    """A table of numbers with other columns than those of training."""
    wide = np.hstack([X, X[:, :1]])
    if names is None:
        return Drawn(wide, "a column too many", is_wrong=True)
    changes = {
        "a column too many": lambda: pd.DataFrame(wide, columns=[*names, "one more " + "".join(names)]),
        "another name": lambda: pd.DataFrame(X, columns=["other " + names[0], *names[1:]]),
        "no column": lambda: pd.DataFrame(index=range(len(X))),
    }
    if len(names) > 1:
        changes["another order"] = lambda: pd.DataFrame(X, columns=names)[list(reversed(names))]
        changes["a column too few"] = lambda: pd.DataFrame(X, columns=names)[names[1:]]
    kind = draw(st.sampled_from(sorted(changes)))
    # Frames that have the columns which rules test are read by name.
    return Drawn(changes[kind](), kind, is_wrong=True if kind == "another order" else None)
