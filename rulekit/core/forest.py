"""A neutral description of a fitted tree ensemble; adapters make it, everything else reads it."""

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from rulekit.core.arrays import FloatArray, IntArray, LabelArray

Link = Literal["mean", "logistic", "softmax"]


@attrs.frozen(eq=False)
class Tree:
    """A binary decision tree as arrays over its nodes; node 0 is the root.

    A record goes left when its value, rounded to the forest's `input_dtype`, is at most the threshold.

    Attributes
    ----------
    features : ndarray of shape (n_nodes,)
        The feature a node splits on, -1 for a leaf.
    thresholds : ndarray of shape (n_nodes,)
    left, right : ndarray of shape (n_nodes,)
        Children; meaningless for leaves.
    values : ndarray of shape (n_nodes, n_values)
        Class distribution (link "mean") or scores before the learning rate (other links); read at leaves only.
    """

    features: IntArray
    thresholds: FloatArray
    left: IntArray
    right: IntArray
    values: FloatArray

    def apply(self, X: FloatArray) -> IntArray:
        """Leaf node of every record of `X`, whose values are already rounded to the forest's `input_dtype`."""
        nodes = np.zeros(len(X), dtype=np.int64)
        inner = np.flatnonzero(self.features[nodes] >= 0)
        while inner.size:
            at = nodes[inner]
            goes_left = X[inner, self.features[at]] <= self.thresholds[at]
            nodes[inner] = np.where(goes_left, self.left[at], self.right[at])
            inner = inner[self.features[nodes[inner]] >= 0]
        return nodes


@attrs.frozen(eq=False)
class Forest:
    """Trees, and how their leaves become class probabilities.

    Attributes
    ----------
    rounds : tuple of tuples of Tree
        The trees of one round form one ruleset: a single tree, or one tree per class in multiclass boosting.
    classes : ndarray of shape (n_classes,)
        Labels, in the order of the columns of every probability.
    n_features : int
    link : {"mean", "logistic", "softmax"}
        "mean" averages leaf distributions (bagging); the others map summed scores to probabilities (boosting).
    initial_scores : ndarray of shape (n_values,)
        What boosting starts from; unused by "mean".
    learning_rate : float
        Factor of every leaf score in the ensemble's own prediction.
    prior_scale : float
        Factor of leaf scores in the rules' local priors: 1 for scores as they were before the learning rate.
    input_dtype : numpy dtype
        Records are rounded to this type before they are compared, as the library does.
    """

    rounds: tuple[tuple[Tree, ...], ...]
    classes: LabelArray
    n_features: int
    link: Link
    initial_scores: FloatArray = attrs.field(factory=lambda: np.zeros(1))
    learning_rate: float = 1.0
    prior_scale: float = 1.0
    input_dtype: npt.DTypeLike = np.float32

    def leaf_priors(self, tree: Tree, nodes: IntArray, *, first_round: bool) -> FloatArray:
        """Local class distribution of each leaf, of shape (n_leaves, n_classes).

        The initial score counts in the first round only: there it is part of what the leaf says.
        """
        values = tree.values[nodes]
        if self.link == "mean":
            return values / values.sum(axis=1, keepdims=True)
        start = self.initial_scores if first_round else np.zeros_like(self.initial_scores)
        return self._to_probabilities(start + self.prior_scale * values)

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Rebuild the ensemble's own class probabilities, of shape (n_records, n_classes), from the trees alone."""
        rounded = np.asarray(X, dtype=self.input_dtype).astype(np.float64)
        trees = (tree for trees in self.rounds for tree in trees)
        if self.link == "mean":
            return np.asarray(sum(tree.values[tree.apply(rounded)] for tree in trees) / len(self.rounds))
        scores = np.tile(self.initial_scores, (len(rounded), 1))
        # Tree by tree, as libraries do: huge scores that cancel leave the same remainder only in the same order.
        for tree in trees:
            scores += self.learning_rate * tree.values[tree.apply(rounded)]
        return self._to_probabilities(scores)

    def _to_probabilities(self, scores: FloatArray) -> FloatArray:
        if self.link == "logistic":
            # expit(-v), not 1 - expit(v): the two classes are treated alike down to the smallest probability.
            return expit(np.column_stack([-scores[:, 0], scores[:, 0]]))
        return np.asarray(softmax(scores, axis=1))
