"""Probabilities of the leaves of a tree: the class of the ensemble, with probabilities from the training samples."""

import numpy as np

from rulekit.plugin import FloatArray, IntArray, ProbabilityEstimator, RuleList
from rulekit_born_again_tree.tree import Leaf


def ensemble_means(leaves: list[Leaf], answering: IntArray, probabilities: FloatArray) -> FloatArray:
    """Mean predicted probabilities of the ensemble for each leaf's training samples, or for the leaf without any.

    Parameters
    ----------
    leaves : list of Leaf
    answering : ndarray of shape (n_samples,)
        The leaf of each sample.
    probabilities : ndarray of shape (n_samples, n_classes)
    """
    counts = np.bincount(answering, minlength=len(leaves))
    sums = np.column_stack([np.bincount(answering, column, len(leaves)) for column in probabilities.T])
    everywhere = np.array([leaf.probabilities for leaf in leaves])
    return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], everywhere)


def leaf_probabilities(leaves: list[Leaf], rules: RuleList, estimator: ProbabilityEstimator) -> FloatArray:
    """Probabilities from the estimator if its most probable class is the leaf's, otherwise from the ensemble.

    Parameters
    ----------
    leaves : list of Leaf
    rules : RuleList
        The leaves as rules; their priors are the ensemble's mean probabilities.
    estimator : ProbabilityEstimator
        Fitted.

    Returns
    -------
    probabilities : ndarray of shape (n_leaves + 1, n_classes)
        The last row is the default rule's. In every other row the leaf's class is the most probable one.
    """
    labels = np.array([leaf.label for leaf in leaves])
    *estimated, default = estimator.estimate_list(rules)
    agrees = np.argmax(estimated, axis=1) == labels
    return np.vstack([_decided(np.where(agrees[:, None], estimated, rules.priors), labels), default])


def _decided(probabilities: FloatArray, labels: IntArray) -> FloatArray:
    """The same, with the label's probability raised to the next number if rounding has made it not the largest."""
    rows = np.flatnonzero(probabilities.argmax(axis=1) != labels)
    probabilities[rows, labels[rows]] = np.nextafter(probabilities[rows].max(axis=1), 2.0)
    return probabilities
