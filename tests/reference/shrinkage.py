"""Hierarchical shrinkage, sample by sample, on scikit-learn's own tree."""

from itertools import pairwise

import numpy as np


def shrunken_probabilities(tree, X, y, strength, new):
    """Probabilities of new samples: each walks down its path, where the training samples are counted anew.

    Parameters
    ----------
    tree : fitted DecisionTreeClassifier
    X, y : arrays
        Training samples, and class indices.
    strength : float
    new : array
        Samples to predict.
    """
    inside = tree.decision_path(X).toarray().astype(bool)
    n_classes = len(tree.classes_)

    def fractions(node):
        return np.bincount(y[inside[:, node]], minlength=n_classes) / inside[:, node].sum()

    rows = []
    for path in tree.decision_path(new).toarray().astype(bool):
        # Of nodes that contain one another, the one above holds more of the training samples.
        nodes = sorted(np.flatnonzero(path), key=lambda node: -inside[:, node].sum())
        found = fractions(nodes[0])
        for above, below in pairwise(nodes):
            found = found + (fractions(below) - fractions(above)) / (1 + strength / inside[:, above].sum())
        rows.append(found)
    return np.array(rows)
