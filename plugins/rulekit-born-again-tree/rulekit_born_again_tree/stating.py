"""What the leaves of a tree state: the class of the ensemble, with probabilities from the training records."""

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.batch import RuleBatch
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit_born_again_tree.tree import Leaf


def ensemble_means(leaves: list[Leaf], answering: IntArray, said: FloatArray) -> FloatArray:
    """What the ensemble says on average of each leaf's training records, or of the leaf if it has none.

    Parameters
    ----------
    leaves : list of Leaf
    answering : ndarray of shape (n_records,)
        The leaf of each record.
    said : ndarray of shape (n_records, n_classes)
    """
    counts = np.bincount(answering, minlength=len(leaves))
    sums = np.column_stack([np.bincount(answering, column, len(leaves)) for column in said.T])
    everywhere = np.array([leaf.said for leaf in leaves])
    return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], everywhere)


def stated(
    leaves: list[Leaf],
    antecedents: IntArray,
    priors: FloatArray,
    judges: TrainingIndex,
    estimator: ProbabilityEstimator,
) -> FloatArray:
    """What the estimator says, where its most probable class is the leaf's; elsewhere what the ensemble says.

    Parameters
    ----------
    leaves : list of Leaf
    antecedents : ndarray of shape (n_leaves, width)
    priors : ndarray of shape (n_leaves, n_classes)
        What the ensemble says.
    judges : TrainingIndex
        Of the records that the estimator was fitted on.
    estimator : ProbabilityEstimator

    Returns
    -------
    probabilities : ndarray of shape (n_leaves, n_classes)
        In every row the leaf's class is the most probable one.
    """
    labels = np.array([leaf.label for leaf in leaves])
    estimated = estimator.estimate(RuleBatch(judges, antecedents, priors))
    agrees = estimated.argmax(axis=1) == labels
    return _decided(np.where(agrees[:, None], estimated, priors), labels)


def _decided(probabilities: FloatArray, labels: IntArray) -> FloatArray:
    """The same, with the label's probability raised to the next number where rounding has made it no longer largest."""
    rows = np.flatnonzero(probabilities.argmax(axis=1) != labels)
    probabilities[rows, labels[rows]] = np.nextafter(probabilities[rows].max(axis=1), 2.0)
    return probabilities
