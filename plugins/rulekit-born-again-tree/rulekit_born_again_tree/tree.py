"""One tree over the cells of a grid."""

from collections.abc import Iterator

import attrs
import numpy as np

from rulekit.plugin import FloatArray, IntArray
from rulekit_born_again_tree.grid import Grid


@attrs.frozen(eq=False)
class Leaf:
    """A leaf of the tree.

    Attributes
    ----------
    label : int
        Index of the class.
    probabilities : ndarray of shape (n_classes,)
        The ensemble's mean predicted probabilities there.
    """

    label: int
    probabilities: FloatArray

    @property
    def depth(self) -> int:
        """Splits below: none."""
        return 0


@attrs.frozen(eq=False)
class Split:
    """A test of one feature: cells of the axis up to `position` go left.

    Attributes
    ----------
    axis, position : int
    left, right : Leaf or Split
    """

    axis: int
    position: int
    left: "Node"
    right: "Node"

    @property
    def depth(self) -> int:
        """Splits on the longest way down from here, this one included."""
        return 1 + max(self.left.depth, self.right.depth)


Node = Leaf | Split


def joined(axis: int, position: int, left: Node, right: Node, probabilities: FloatArray) -> Node:
    """A split, or a single leaf if both sides predict the same class; its probabilities are then `probabilities`."""
    if isinstance(left, Leaf) and isinstance(right, Leaf) and left.label == right.label:
        return Leaf(left.label, probabilities)
    return Split(axis, position, left, right)


def pruned(node: Node, cells: IntArray) -> Node:
    """The tree without parts that no training sample reaches; for these samples it answers as before.

    Parameters
    ----------
    node : Leaf or Split
    cells : ndarray of shape (n_samples, n_axes)
        Where the samples of the node are; there is at least one.
    """
    if isinstance(node, Leaf):
        return node
    goes_left = cells[:, node.axis] <= node.position
    if goes_left.all():
        return pruned(node.left, cells)
    if not goes_left.any():
        return pruned(node.right, cells)
    left, right = pruned(node.left, cells[goes_left]), pruned(node.right, cells[~goes_left])
    probabilities = (
        left.probabilities if isinstance(left, Leaf) else np.empty(0)
    )  # of no leaf that is left: all have samples
    return joined(node.axis, node.position, left, right, probabilities)


def leaves(node: Node, low: IntArray, high: IntArray) -> Iterator[tuple[Leaf, IntArray, IntArray]]:
    """Every leaf from left to right, with its first and last cell on each axis.

    Parameters
    ----------
    node : Leaf or Split
    low, high : ndarrays of shape (n_axes,)
        First and last cells of the node.
    """
    if isinstance(node, Leaf):
        yield node, low, high
        return
    left_high, right_low = high.copy(), low.copy()
    left_high[node.axis] = min(node.position, high[node.axis])
    right_low[node.axis] = max(node.position + 1, low[node.axis])
    yield from leaves(node.left, low, left_high)
    yield from leaves(node.right, right_low, high)


def antecedents(tree: Node, grid: Grid, pad: int) -> tuple[list[Leaf], IntArray]:
    """The leaves of a tree, and what leads to each: at most two conditions per feature.

    Returns
    -------
    leaves : list of Leaf
    antecedents : ndarray of shape (n_leaves, width)
        Condition ids, ascending, padded with `pad`.
    """
    last = np.array(grid.shape, dtype=np.int64) - 1
    found = list(leaves(tree, np.zeros_like(last), last))
    rows = np.full((len(found), 2 * len(last)), pad, dtype=np.int64)
    for row, (_, low, high) in zip(rows, found, strict=True):
        for axis in np.flatnonzero(low > 0):
            row[2 * axis] = grid.above[axis][low[axis] - 1]
        for axis in np.flatnonzero(high < last):
            row[2 * axis + 1] = grid.at_most[axis][high[axis]]
    rows.sort(axis=1)
    return [leaf for leaf, _, _ in found], rows[:, : max(1, int((rows != pad).sum(axis=1).max()))]
