"""The way of a number through the steps of a pipeline, and where along the number line something changes on it."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.pipelines.crossings import last_before
from rulekit.pipelines.sources import Cast, Source, Sparse
from rulekit.pipelines.sparse import AbsentAsMissing

#: Ends of the number line to try: steps that check for infinity reject what overflows before them.
ENDS = (float(np.finfo(np.float64).max), 1e300, 1e150, 1e75, 1e38, 1e30, 1e15, 1e6)


class Path:
    """A monotone function of the values of one column of a table: what a pipeline makes of them.

    Parameters
    ----------
    source : Source
    steps : sequence of fitted transformers of one column
        Those of the source, or those up to an encoder of it.
    values : ndarray of shape (n_samples,)
        Values in the table; missing ones are NaN.
    """

    def __init__(self, source: Source, steps: Sequence[Any], values: FloatArray) -> None:
        self.steps = steps
        self.zero_is_missing = source.zero_is_missing
        # An imputer compares what a value has been rounded to.
        self.dtype = steps[0].dtype if steps and isinstance(steps[0], Cast) else np.dtype(np.float64)
        self.points = np.array([float(point) for point in source.points], dtype=self.dtype)
        present = values[~np.isnan(values)]
        self._ends(np.unique(present) if len(present) else np.zeros(1))

    def __call__(self, values: FloatArray) -> FloatArray:
        """What the ensemble gets for numbers, of the same shape."""
        found = self._after(self.steps, values)
        if self.zero_is_missing and hasattr(found, "toarray"):
            found = AbsentAsMissing().transform(found)
        return _dense(found, values)

    def _after(self, steps: Sequence[Any], values: FloatArray) -> Any:
        """What steps make of numbers: a column, which may be a sparse matrix."""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            column: Any = np.asarray(values, dtype=np.float64).reshape(-1, 1)
            for step in steps:
                column = _finite(step.transform(column))
            return column

    def _ends(self, present: FloatArray) -> None:
        """Find the ends of what the steps accept, and of what they map to numbers, and where the points are."""
        self.low, self.high = float(present[0]), float(present[-1])
        for end in ENDS:
            if end < max(abs(self.low), abs(self.high)):
                break
            try:
                self._after(self.steps, np.array([-end, end]))
            except ValueError:
                continue
            self.low, self.high = -end, end
            break
        breaks = [self._breaks_at_points()]
        found = self.smooth(present)
        inner = present[~np.isnan(found)]
        middle = float(inner[len(inner) // 2]) if len(inner) else 0.0
        # A logarithm, say, has no value below some number.
        if np.isnan(self.smooth(np.array([self.low])))[0]:
            last = self._last_missing(self.low, middle)
            breaks.append(last)
            self.low = float(np.nextafter(last[0], np.inf))
        if np.isnan(self.smooth(np.array([self.high])))[0]:
            last = self._last_missing(middle, self.high)
            breaks.append(last)
            self.high = float(last[0])
        ends = self.smooth(np.array([self.low, self.high]))
        self.rises = bool(ends[0] <= ends[1])
        if self.zero_is_missing:
            breaks.append(self._breaks_at_zero())
        self.breaks: FloatArray = np.unique(np.concatenate(breaks))

    def _breaks_at_points(self) -> FloatArray:
        """The last number before each point that an imputer replaces, and the last one that is rounded to it."""
        before = np.nextafter(self.points, np.asarray(-np.inf, dtype=self.dtype))
        limits = np.concatenate([before, self.points])[:, None]
        ends = np.full(len(limits), np.finfo(np.float64).max)

        def holds(probes: FloatArray) -> BoolArray:
            with np.errstate(over="ignore"):
                return np.asarray(probes.astype(self.dtype) <= limits)

        return last_before(holds, -ends, ends)

    def _last_missing(self, low: float, high: float) -> FloatArray:
        """The largest number up to which the steps return a missing value, or do not, as at the lower end."""
        return last_before(lambda probes: np.isnan(self.smooth(probes)), np.array([low]), np.array([high]))

    def _breaks_at_zero(self) -> FloatArray:
        """The last number before those that a sparse matrix does not store, and the last one of these."""
        at = next((at for at, step in enumerate(self.steps) if isinstance(step, Sparse)), len(self.steps))
        limits = np.array([np.nextafter(0.0, -np.inf), 0.0])

        def holds(probes: FloatArray) -> BoolArray:
            return np.asarray(self.smooth(probes, self.steps[:at]) <= limits[:, None])

        low, high = np.full(2, self.low), np.full(2, self.high)
        is_crossed = (holds(low[:, None]) != holds(high[:, None])).all(axis=1)
        limits = limits[is_crossed]
        return last_before(holds, low[is_crossed], high[is_crossed])

    def smooth(self, values: FloatArray, steps: Sequence[Any] | None = None) -> FloatArray:
        """What the steps make of numbers, but at points that an imputer replaces what they make of the next number."""
        steps = self.steps if steps is None else steps
        if not len(self.points):
            return _dense(self._after(steps, values), values)
        with np.errstate(over="ignore"):
            rounded = np.asarray(values, dtype=np.float64).astype(self.dtype)
        after = np.nextafter(rounded, np.asarray(np.inf, dtype=self.dtype))
        return _dense(self._after(steps, np.where(np.isin(rounded, self.points), after, rounded)), values)

    def is_monotone(self, values: FloatArray) -> bool:
        """Whether the function is monotone on some numbers."""
        ascending = np.unique(values[~np.isnan(values)])
        found = self.smooth(ascending)
        change = np.diff(found[~np.isnan(found)])
        return bool((change >= 0).all() if self.rises else (change <= 0).all())

    def cuts(self, limits: FloatArray, rounded: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """The largest number before each change from "at most a limit" to "above it", or the opposite.

        Parameters
        ----------
        limits : ndarray of shape (n_limits,)
        rounded : callable
            What is compared with the limits, from what the steps return.

        Returns
        -------
        cuts : ndarray of shape (at most n_limits,)
            Ascending; limits that no number crosses are left out.
        """
        ends = rounded(self.smooth(np.array([self.low, self.high])))
        crossed = limits[(ends[0] <= limits) != (ends[1] <= limits)]
        if not len(crossed):
            return np.empty(0)

        def holds(probes: FloatArray) -> BoolArray:
            return np.asarray(rounded(self.smooth(probes)) <= crossed[:, None])

        return np.unique(last_before(holds, np.full(len(crossed), self.low), np.full(len(crossed), self.high)))


def _dense(column: Any, values: FloatArray) -> FloatArray:
    """A column as doubles, in the shape of the numbers that it was made of."""
    dense = column.toarray() if hasattr(column, "toarray") else column
    return np.asarray(dense, dtype=np.float64).reshape(np.shape(values))


def _finite(column: Any) -> Any:
    """Numbers without infinity, which steps reject: the next one gets the largest number instead."""
    if hasattr(column, "toarray"):
        column.data = _finite(column.data)
        return column
    array = np.asarray(column)
    largest = np.finfo(array.dtype).max if array.dtype.kind == "f" else np.inf
    return np.clip(array, -largest, largest)
