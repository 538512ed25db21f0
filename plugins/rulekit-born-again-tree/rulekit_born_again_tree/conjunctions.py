"""Conjunctions of an ensemble: one leaf of every tree, where they have samples in common (Sagi and Rokach, 2020)."""

import attrs
import numpy as np

from rulekit.plugin import FloatArray, Forest, IntArray
from rulekit_born_again_tree.grid import Grid


@attrs.frozen(eq=False)
class Conjunctions:
    """Boxes of a grid on each of which an ensemble is constant.

    Attributes
    ----------
    low, high : ndarrays of shape (n, n_axes)
        First and last cell on each axis.
    probabilities : ndarray of shape (n, n_classes)
        The ensemble's predicted probabilities there.
    weights : ndarray of shape (n,)
        Training samples inside.
    """

    low: IntArray
    high: IntArray
    probabilities: FloatArray
    weights: FloatArray


def conjunctions_of(forest: Forest, X: FloatArray, grid: Grid, max_conjunctions: int) -> Conjunctions:
    """Merge the leaves of one tree after the other, and keep the conjunctions that most training samples satisfy.

    Every sample reaches one leaf of each tree, so conjunctions with samples are found by grouping the samples; no
    others are made.

    Parameters
    ----------
    forest : Forest
    X : ndarray of shape (n_samples, n_features)
    grid : Grid
    max_conjunctions : int
        After each tree; of equally many samples the first conjunction is kept.
    """
    rounded = np.asarray(X, dtype=forest.input_dtype).astype(np.float64)
    low = np.zeros((1, len(grid.features)), dtype=np.int64)
    high, scores = np.array([grid.shape], dtype=np.int64) - 1, forest.start[None]
    # The conjunction that each sample satisfies; samples whose conjunction was dropped leave.
    inside, weights = np.zeros(len(X), dtype=np.int64), np.array([len(X)])
    for tree in (tree for trees in forest.rounds for tree in trees):
        box_low, box_high = grid.node_boxes(tree, forest)
        n_nodes = len(tree.features)
        # A pair is a conjunction so far and a leaf: there are few enough to count them all.
        pairs = inside * n_nodes + tree.apply(rounded)
        n_satisfy = np.bincount(pairs, minlength=len(low) * n_nodes)
        found = np.flatnonzero(n_satisfy)
        kept = np.sort(found[np.argsort(-n_satisfy[found], kind="stable")[:max_conjunctions]])
        above, leaves = np.divmod(kept, n_nodes)
        low, high = np.maximum(low[above], box_low[leaves]), np.minimum(high[above], box_high[leaves])
        scores, weights = scores[above] + tree.values[leaves], n_satisfy[kept]
        position_of = np.full(len(n_satisfy), -1)
        position_of[kept] = np.arange(len(kept))
        inside = position_of[pairs]
        if len(kept) < len(found):
            inside, rounded = inside[inside >= 0], rounded[inside >= 0]
    return Conjunctions(low, high, forest.probabilities(scores), weights.astype(np.float64))
