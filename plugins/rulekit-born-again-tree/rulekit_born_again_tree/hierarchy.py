"""A tree over a set of conjunctions, split by information gain (Sagi and Rokach, 2020)."""

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit_born_again_tree.conjunctions import Conjunctions
from rulekit_born_again_tree.tree import Leaf, Node, joined

# Gains below this are rounding.
LEAST_GAIN = 1e-9


@attrs.frozen(eq=False)
class Hierarchy:
    """What a tree is grown from.

    Attributes
    ----------
    conjunctions : Conjunctions
    cells : ndarray of shape (n_records, n_axes)
        Where the training records are.
    said : ndarray of shape (n_records, n_classes)
        What the ensemble says of them.
    shape : tuple of int
        Cells of each axis.
    max_depth : float
    """

    conjunctions: Conjunctions
    cells: IntArray
    said: FloatArray
    shape: tuple[int, ...]
    max_depth: float

    def tree(self) -> Node:
        """Grow the tree."""
        return self._node(np.arange(len(self.conjunctions.weights)), np.arange(len(self.cells)), 0)

    def _node(self, members: IntArray, records: IntArray, depth: int) -> Node:
        """The tree below a node that some conjunctions reach into and some records, or none, lie in.

        It ends where the conjunctions agree on a class, or the ensemble's predictions for the records do.
        """
        said = self._average(members, records)
        is_decided = _agree(self.said[records]) or _agree(self.conjunctions.said[members])
        split = None if is_decided or depth >= self.max_depth else self._best_split(members)
        if split is None:
            return Leaf(int(said.argmax()), said)
        axis, position = split
        goes_left = self.cells[records, axis] <= position
        left = members[self.conjunctions.low[members, axis] <= position]
        right = members[self.conjunctions.high[members, axis] > position]
        return joined(
            axis,
            position,
            self._node(left, records[goes_left], depth + 1),
            self._node(right, records[~goes_left], depth + 1),
            said,
        )

    def _average(self, members: IntArray, records: IntArray) -> FloatArray:
        """What the ensemble says on average: of the node's records, or, without any, of its conjunctions."""
        if records.size:
            return np.asarray(self.said[records].mean(axis=0))
        weights = self.conjunctions.weights[members]
        return np.asarray(weights @ self.conjunctions.said[members] / weights.sum())

    def _best_split(self, members: IntArray) -> tuple[int, int] | None:
        """Axis and last cell to the left of the split with the largest gain; None if nothing is gained."""
        gains, is_split = split_gains(self.conjunctions, members, self.shape)
        gains = np.where(is_split, gains, -np.inf)
        if not gains.size or gains.max() <= LEAST_GAIN:
            return None
        best, first = int(gains.argmax()), np.concatenate([[0], np.cumsum(self.shape)])
        axis = int(np.searchsorted(first, best, side="right")) - 1
        return axis, best - int(first[axis])


def _agree(said: FloatArray) -> bool:
    """Whether all rows, if there are any, have the same most probable class."""
    labels = said.argmax(axis=1)
    return bool((labels == labels[:1]).all())


def split_gains(conjunctions: Conjunctions, members: IntArray, shape: tuple[int, ...]) -> tuple[FloatArray, BoolArray]:
    """Information gain of a split after each cell of each axis, axis by axis.

    A conjunction that reaches over a split is on both sides of it. Conjunctions count with their records.

    Returns
    -------
    gains : ndarray of shape (sum of `shape`,)
    is_split : ndarray of the same shape
        Whether either side is without some conjunction of the other.
    """
    first = np.concatenate([[0], np.cumsum(shape)[:-1]]).astype(np.int64)
    n_cells, weights = sum(shape), conjunctions.weights[members]
    amounts = np.column_stack([weights[:, None] * conjunctions.said[members], np.ones(len(members))])
    # Those that begin up to a cell reach into the left side, those that end beyond it into the right one.
    begins = _by_cell(conjunctions.low[members] + first, amounts, n_cells)
    ends = _by_cell(conjunctions.high[members] + first, amounts, n_cells)
    left, right = np.empty_like(begins), np.empty_like(ends)
    for start, length in zip(first.tolist(), shape, strict=True):
        axis = slice(start, start + length)
        left[axis] = np.cumsum(begins[axis], axis=0)
        right[axis] = amounts.sum(axis=0) - np.cumsum(ends[axis], axis=0)
    n_members = len(members)
    is_split = (np.rint(left[:, -1]) < n_members) & (np.rint(right[:, -1]) < n_members)
    is_split &= (np.rint(left[:, -1]) > 0) & (np.rint(right[:, -1]) > 0)
    of_left, of_right = left[:, :-1].sum(axis=1), right[:, :-1].sum(axis=1)
    mixed = of_left * entropies(left[:, :-1]) + of_right * entropies(right[:, :-1])
    gains = entropies(amounts[:, :-1].sum(axis=0)[None])[0] - mixed / np.maximum(of_left + of_right, 1e-300)
    return gains, is_split


def entropies(amounts: FloatArray) -> FloatArray:
    """Entropy of class amounts, in bits: from (n, n_classes) to (n,); 0 without amounts."""
    shares = np.clip(amounts, 0, None) / np.maximum(amounts.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1))


def _by_cell(places: IntArray, amounts: FloatArray, n_cells: int) -> FloatArray:
    """Amounts added up by the cell that each conjunction names on each axis; shape (n_cells, n_amounts)."""
    n_axes = places.shape[1]
    columns = [np.bincount(places.ravel(), np.repeat(column, n_axes), n_cells) for column in amounts.T]
    return np.column_stack(columns)
