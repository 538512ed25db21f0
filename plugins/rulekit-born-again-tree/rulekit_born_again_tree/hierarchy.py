"""A tree over a set of conjunctions, split by information gain (Sagi and Rokach, 2020)."""

from typing import Self

import attrs
import numpy as np

from rulekit.plugin import BoolArray, FloatArray, IntArray
from rulekit_born_again_tree.conjunctions import Conjunctions
from rulekit_born_again_tree.tree import Leaf, Node, joined

# Gains and weights below this are rounding.
ROUNDING = 1e-9


@attrs.frozen(eq=False)
class Axes:
    """How the training samples spread over the cells of each axis.

    Attributes
    ----------
    first : ndarray of shape (n_axes,)
        Index of each axis's first cell if the cells of all axes are concatenated.
    masses : ndarray of shape (n_cells,)
        Samples in each cell of each axis.
    below : ndarray of shape (n_cells,)
        Samples in the cells before it on the same axis.
    """

    first: IntArray
    masses: FloatArray
    below: FloatArray

    @classmethod
    def of(cls, cells: IntArray, shape: tuple[int, ...]) -> Self:
        """Count samples, whose cells are of shape (n_samples, n_axes)."""
        first = np.concatenate([[0], np.cumsum(shape)[:-1]]).astype(np.int64)
        masses = np.bincount((cells + first).ravel(), minlength=sum(shape)).astype(np.float64)
        up_to = np.cumsum(masses)
        # Every axis has all samples: those of the axes before it do not count.
        return cls(first, masses, up_to - masses - len(cells) * np.repeat(np.arange(len(shape)), shape))

    def between(self, low: IntArray, high: IntArray) -> FloatArray:
        """Samples from one cell to another, both included, on each axis: from (n, n_axes) to (n, n_axes)."""
        start, stop = low + self.first, high + self.first
        return np.asarray(self.below[stop] + self.masses[stop] - self.below[start])


@attrs.frozen(eq=False)
class Hierarchy:
    """What a tree is grown from.

    Attributes
    ----------
    axes : Axes
    cells : ndarray of shape (n_samples, n_axes)
        Where the training samples are.
    probabilities : ndarray of shape (n_samples, n_classes)
        The ensemble's predicted probabilities for them.
    max_depth : float
    """

    axes: Axes
    cells: IntArray
    probabilities: FloatArray
    max_depth: float

    def tree(self, conjunctions: Conjunctions) -> Node:
        """Grow a tree over conjunctions."""
        return self._node(conjunctions, np.arange(len(self.cells)), 0)

    def _node(self, inside: Conjunctions, samples: IntArray, depth: int) -> Node:
        """The tree below a node, from the parts of conjunctions inside of it, and from its samples.

        It ends where the conjunctions agree on a class, or the ensemble's predictions for the samples do.
        """
        probabilities = (
            _average(self.probabilities[samples]) if samples.size else _average(inside.probabilities, inside.weights)
        )
        is_decided = _agree(self.probabilities[samples]) or _agree(inside.probabilities)
        split = None if is_decided or depth >= self.max_depth else self._best_split(inside)
        if split is None:
            return Leaf(int(probabilities.argmax()), probabilities)
        axis, position = split
        goes_left = self.cells[samples, axis] <= position
        left, right = self._halves(inside, axis, position)
        return joined(
            axis,
            position,
            self._node(left, samples[goes_left], depth + 1),
            self._node(right, samples[~goes_left], depth + 1),
            probabilities,
        )

    def _best_split(self, inside: Conjunctions) -> tuple[int, int] | None:
        """Axis and last cell to the left of the split with the largest gain; None if nothing is gained."""
        gains, is_split = split_gains(inside, self.axes)
        gains = np.where(is_split, gains, -np.inf)
        if not gains.size or gains.max() <= ROUNDING:
            return None
        best = int(gains.argmax())
        axis = int(np.searchsorted(self.axes.first, best, side="right")) - 1
        return axis, best - int(self.axes.first[axis])

    def _halves(self, inside: Conjunctions, axis: int, position: int) -> list[Conjunctions]:
        """The parts of conjunctions on either side of a split, each with its fraction of the weight."""
        left_high, right_low = inside.high.copy(), inside.low.copy()
        left_high[:, axis] = np.minimum(inside.high[:, axis], position)
        right_low[:, axis] = np.maximum(inside.low[:, axis], position + 1)
        whole = self.axes.between(inside.low, inside.high)[:, axis]
        sides = []
        for low, high in ((inside.low, left_high), (right_low, inside.high)):
            reaches = np.flatnonzero(low[:, axis] <= high[:, axis])
            fraction = self.axes.between(low[reaches], high[reaches])[:, axis] / whole[reaches]
            weights = inside.weights[reaches] * fraction
            kept = reaches[weights > ROUNDING]
            sides.append(Conjunctions(low[kept], high[kept], inside.probabilities[kept], weights[weights > ROUNDING]))
        return sides


def split_gains(inside: Conjunctions, axes: Axes) -> tuple[FloatArray, BoolArray]:
    """Information gain of a split after each cell of each axis, axis by axis.

    A conjunction that reaches over a split is on both sides of it, in proportion to all training samples on either side
    within its bounds on that axis.

    Returns
    -------
    gains : ndarray of shape (n_cells,)
    is_split : ndarray of shape (n_cells,)
        Whether there is something on either side.
    """
    amounts = inside.weights[:, None] * inside.probabilities
    spread = axes.between(inside.low, inside.high)
    # What a conjunction has for each sample is the same from its first to its last cell: it begins, and it ends.
    starts, stops = inside.low + axes.first, inside.high + axes.first + 1
    in_cells = np.column_stack(
        [_between(starts, stops, column[:, None] / spread, len(axes.masses)) * axes.masses for column in amounts.T]
    )
    total = amounts.sum(axis=0)
    n_before = np.searchsorted(axes.first, np.arange(len(axes.masses)), side="right")[:, None] - 1
    left = np.cumsum(in_cells, axis=0) - n_before * total
    right = total - left
    of_left, of_right = left.sum(axis=1), right.sum(axis=1)
    mixed = of_left * entropies(left) + of_right * entropies(right)
    gains = entropies(total[None])[0] - mixed / total.sum()
    least = ROUNDING * (1 + total.sum())
    return gains, (of_left > least) & (of_right > least)


def entropies(amounts: FloatArray) -> FloatArray:
    """Entropy of class amounts, in bits: from (n, n_classes) to (n,); 0 without amounts."""
    positive = np.clip(amounts, 0.0, None)
    fractions = positive / np.maximum(positive.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(-(fractions * np.log2(np.where(fractions > 0, fractions, 1.0))).sum(axis=1))


def _between(starts: IntArray, stops: IntArray, values: FloatArray, n_cells: int) -> FloatArray:
    """Sums of values over all that have started and not yet stopped at each cell; shape (n_cells,)."""
    steps = np.bincount(starts.ravel(), values.ravel(), n_cells + 1) - np.bincount(
        stops.ravel(), values.ravel(), n_cells + 1
    )
    return np.asarray(np.cumsum(steps)[:-1])


def _average(probabilities: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    return np.asarray(np.average(probabilities, axis=0, weights=weights))


def _agree(probabilities: FloatArray) -> bool:
    """Whether all rows, if there are any, have the same most probable class."""
    labels = probabilities.argmax(axis=1)
    return bool((labels == labels[:1]).all())
