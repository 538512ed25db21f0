"""The training samples as binary vectors: for every split, on which side a sample is.

The matrix of all indicators has a row per sample and a column per split. It is never made. The indicators of one
feature depend on nothing but the interval of thresholds (the *cell*) that the sample's value lies in, and from one cell
to the next one only a few of them change. So the matrix is a product of three: which cell of each feature a sample is
in (sparse), running sums over cells, and the changes between neighbouring cells (sparse). Samples with equal
indicators and classes are one pattern, splits that divide the samples alike one column; both count as often as they
occur.
"""

from typing import Any, NamedTuple

import attrs
import numpy as np
import numpy.typing as npt
from scipy.sparse import block_diag, csr_array

from rulekit.plugin import BoolArray, FloatArray, IntArray, TrainingData
from rulekit_defragtrees.splits import Splits


@attrs.frozen(eq=False)
class Indicators:
    """Distinct binary vectors of the training samples, with their classes, ready to be multiplied by.

    Attributes
    ----------
    counts : ndarray of shape (n_patterns,)
        Samples with each pattern.
    classes : ndarray of shape (n_patterns,)
    examples : ndarray of shape (n_patterns,)
        A sample with each pattern.
    multiplicity : ndarray of shape (n_columns,)
        Splits behind each column.
    column_of : ndarray of shape (n_splits,)
        The column of each split.
    n_classes : int
    """

    counts: FloatArray
    classes: IntArray
    examples: IntArray
    multiplicity: FloatArray
    column_of: IntArray
    n_classes: int
    _cells: Any
    _cells_transposed: Any
    _steps: Any
    _steps_transposed: Any

    @classmethod
    def of(cls, data: TrainingData, splits: Splits) -> "Indicators":
        """The indicators of some splits for the training samples.

        Parameters
        ----------
        data : TrainingData
        splits : Splits
            At least one.
        """
        parts, codes, column_of, n_columns = [], [], np.empty(len(splits), dtype=np.int64), 0
        for feature in np.unique(splits.features):
            members = np.flatnonzero(splits.features == feature)
            part = _FeatureCells.of(data.samples(data.condition_bits(splits.right[members])))
            parts.append(part)
            codes.append(part.codes)
            column_of[members] = n_columns + part.column_of
            n_columns += part.steps.shape[1]
        starts = np.cumsum([0, *(len(part.steps) for part in parts)])
        patterns = _distinct_rows(np.column_stack([*codes, data.y]))
        positions = np.column_stack(codes)[patterns.first] + starts[:-1]
        row_ends = np.arange(len(positions) + 1) * len(parts)
        cells = csr_array((np.ones(positions.size), positions.ravel(), row_ends), shape=(len(positions), starts[-1]))
        steps = block_diag([csr_array(part.steps.astype(np.float64)) for part in parts], format="csr")
        return cls(
            counts=np.bincount(patterns.which).astype(np.float64),
            classes=data.y[patterns.first],
            examples=patterns.first,
            multiplicity=np.bincount(column_of).astype(np.float64),
            column_of=column_of,
            n_classes=data.n_classes,
            cells=cells,
            cells_transposed=csr_array(cells.T),
            steps=steps,
            steps_transposed=csr_array(steps.T),
        )

    @property
    def n_splits(self) -> int:
        """Splits, those that divide the samples alike included."""
        return len(self.column_of)

    def times(self, table: FloatArray) -> FloatArray:
        """The indicators times a table: from (n_columns, width) to (n_patterns, width)."""
        return self._cells @ np.cumsum(self._steps @ table, axis=0)

    def transposed_times(self, table: FloatArray) -> FloatArray:
        """The transposed indicators times a table: from (n_patterns, width) to (n_columns, width)."""
        per_cell = self._cells_transposed @ table
        return self._steps_transposed @ np.cumsum(per_cell[::-1], axis=0)[::-1]


class _FeatureCells(NamedTuple):
    """The cells of the samples' values of one feature, and the indicators of its splits.

    `codes` (n_samples,) is the cell of each sample, `steps` (n_cells + 1, n_columns) how each column changes from the
    cell before, ending with a cell of no samples where all are 0 again, and `column_of` (n_splits,) the column of each
    split.
    """

    codes: IntArray
    steps: npt.NDArray[np.int8]
    column_of: IntArray

    @classmethod
    def of(cls, indicators: BoolArray) -> "_FeatureCells":
        """From indicators of shape (n_splits, n_samples)."""
        cells = _distinct_rows(np.packbits(indicators, axis=0).T)
        # By their number of ones, cells between thresholds are in the order of values: each column changes once.
        in_order = np.argsort(indicators[:, cells.first].sum(axis=0), kind="stable")
        table = indicators[:, cells.first[in_order]]
        columns = _distinct_rows(np.packbits(table, axis=1))
        outline = np.pad(table[columns.first].astype(np.int8), ((0, 0), (1, 1)))
        return cls(np.argsort(in_order)[cells.which], np.diff(outline, axis=1).T, columns.which)


class _Distinct(NamedTuple):
    """Where each distinct row first occurs, and which of them each row is."""

    first: IntArray
    which: IntArray


def _distinct_rows(table: npt.NDArray[Any]) -> _Distinct:
    rows = np.ascontiguousarray(table)
    as_bytes = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, which = np.unique(as_bytes, return_index=True, return_inverse=True)
    return _Distinct(first, which)
