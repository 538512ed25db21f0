"""Hierarchical shrinkage: the class fractions of a leaf, drawn towards those of the nodes above it."""

from collections.abc import Collection
from typing import Final

import attrs
import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.forest import Tree
from rulekit.trees.growth import Growth, from_the_root, node_counts

#: Strengths that cross-validation chooses from, those of the authors' own code.
STRENGTHS: Final = (0.0, 0.1, 1.0, 10.0, 50.0, 100.0, 500.0)
N_FOLDS: Final = 5
#: Smallest probability that a logarithm is taken of.
SMALLEST: Final = 1e-15


def shrunken(tree: Tree, counts: FloatArray, strength: float) -> FloatArray:
    """Class probabilities of every node after hierarchical shrinkage (Agarwal et al., 2022).

    On the path t_0, …, t_l from the root to a node, with class fractions p and numbers of samples N:

        f(t_l) = p(t_0) + sum over i = 1, …, l of (p(t_i) - p(t_(i-1))) / (1 + strength / N(t_(i-1)))

    A strength of 0 returns the fractions of each node; the larger it is, the closer all come to those of the root.

    Parameters
    ----------
    tree : Tree
    counts : ndarray of shape (n_nodes, n_classes)
        Training samples of each class at every node.
    strength : float

    Returns
    -------
    probabilities : ndarray of shape (n_nodes, n_classes)
    """
    totals = counts.sum(axis=1)
    fractions = np.divide(counts, totals[:, None], out=np.zeros_like(counts), where=totals[:, None] > 0)
    probabilities = fractions.copy()
    for node in from_the_root(tree):
        for child in (int(tree.left[node]), int(tree.right[node])) if tree.features[node] >= 0 else ():
            # A node without samples adds nothing to what is known about the one above it.
            step = (fractions[child] - fractions[node]) / (1 + strength / totals[node]) if totals[child] else 0.0
            probabilities[child] = probabilities[node] + step
    return np.clip(probabilities, 0.0, 1.0)


@attrs.frozen
class CrossValidation:
    """The choice of a strength: the one with the lowest log-loss on held-out folds; the larger one if two tie.

    Attributes
    ----------
    growth : Growth
        How the tree of each fold grows.
    n_classes : int
    categorical : collection of int
        Features that hold codes of categories.
    """

    growth: Growth
    n_classes: int
    categorical: Collection[int] = ()

    def strength(self, X: FloatArray, y: IntArray) -> float:
        """The chosen one of `STRENGTHS`; 1 if there are too few samples for two folds.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Numbers and codes of categories.
        y : ndarray of shape (n_samples,)
            Class indices.
        """
        n_folds = min(N_FOLDS, len(y))
        if n_folds < 2:
            return 1.0
        counts = np.bincount(y)
        kind = StratifiedKFold if counts[counts > 0].min() >= n_folds else KFold
        folds = kind(n_folds, shuffle=True, random_state=self.growth.random_state or 0)
        losses = np.sum([self._losses(X, y, train, test) for train, test in folds.split(X, y)], axis=0)
        best = np.flatnonzero(losses <= losses.min() * (1 + 1e-12))
        return STRENGTHS[int(best[-1])]

    def _losses(self, X: FloatArray, y: IntArray, train: IntArray, test: IntArray) -> FloatArray:
        """Summed log-loss of the held-out samples for every strength, of shape (n_strengths,)."""
        tree = self.growth.tree(X[train], y[train], self.n_classes, self.categorical)
        counts = node_counts(tree, X[train], y[train], self.n_classes)
        leaves = tree.apply(np.asarray(X[test], dtype=np.float32).astype(np.float64))
        stated = [shrunken(tree, counts, strength)[leaves, y[test]] for strength in STRENGTHS]
        return -np.log(np.maximum(stated, SMALLEST)).sum(axis=1)
