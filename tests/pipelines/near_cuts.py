"""Samples around the values at which a restated forest decides otherwise, with unseen categories and missing values."""

from typing import Any

import numpy as np
import pandas as pd

from rulekit.pipelines.raw_columns import RawColumns


def near_cuts(rng: np.random.Generator, X: Any, raw: RawColumns, forest: Any, n_samples: int = 300) -> Any:
    """Samples of a table with values on both sides of cuts, and with everything that the pipeline accepts."""
    rows = rng.integers(0, len(X), n_samples)
    sample = X.iloc[rows].reset_index(drop=True) if hasattr(X, "iloc") else X[rows].copy()
    for column, own in raw.columns.items():
        given = column_of(sample, column)
        new = list(given)
        cuts = cuts_of(forest, column)
        for row in np.flatnonzero(rng.random(n_samples) < 0.5):
            value = replacement(rng, own, given, cuts)
            if value is not None:
                new[row] = value
        sample = with_column(sample, column, new)
    return sample


def replacement(rng: np.random.Generator, own: Any, given: Any, cuts: np.ndarray) -> Any:
    kind = rng.random()
    if own.missing_row is not None and kind < 0.2:
        return next(value for value in given if value != value) if any(v != v for v in given) else None
    if own.cells.labels is not None:
        if own.unknown_row is not None and kind < 0.5:
            return "never seen" if isinstance(own.cells.labels[0], str) else 77
        return own.cells.labels[rng.integers(len(own.cells.labels))]
    is_single = getattr(given, "dtype", None) == np.float32
    if np.asarray(given).dtype.kind in "ib":
        return None
    if len(cuts) and kind < 0.8:
        cut = cuts[rng.integers(len(cuts))]
        if is_single:
            below = np.float32(cut)
            below = below if below <= cut else np.nextafter(below, np.float32(-np.inf))
            return below if rng.random() < 0.5 else np.nextafter(below, np.float32(np.inf))
        return float(cut) if rng.random() < 0.5 else float(np.nextafter(cut, np.inf))
    known = np.asarray(given, dtype=float)
    value = rng.uniform(np.nanmin(known), np.nanmax(known))
    return np.float32(value) if is_single else value


def cuts_of(forest: Any, feature: int) -> np.ndarray:
    trees = [tree for trees in forest.rounds for tree in trees]
    found = [tree.thresholds[tree.features == feature] for tree in trees]
    cuts = np.unique(np.concatenate(found))
    return cuts[np.isfinite(cuts)]


def column_of(sample: Any, column: int) -> Any:
    return sample.iloc[:, column] if hasattr(sample, "iloc") else sample[:, column]


def with_column(sample: Any, column: int, values: list[Any]) -> Any:
    if not hasattr(sample, "iloc"):
        sample = sample.copy()
        sample[:, column] = values
        return sample
    dtype = sample.dtypes.iloc[column]
    series = pd.Series(values, dtype=dtype if dtype.kind in "fib" else object)
    if dtype.kind in "ib" and any(value not in (True, False) for value in values):
        series = pd.Series(values)
    sample.isetitem(column, series)
    return sample


def accepted(pipeline: Any, samples: Any) -> Any:
    """The samples that a pipeline does not reject."""
    try:
        pipeline.predict_proba(samples)
    except ValueError:
        return take(samples, [row for row in range(len(samples)) if is_accepted(pipeline, take(samples, [row]))])
    return samples


def is_accepted(pipeline: Any, sample: Any) -> bool:
    try:
        pipeline.predict_proba(sample)
    except ValueError:
        return False
    return True


def take(samples: Any, rows: list[int]) -> Any:
    return samples.iloc[rows].reset_index(drop=True) if hasattr(samples, "iloc") else samples[rows]
