"""Small batches of rules for estimators."""

import numpy as np
from core.training_sets import TrainingSet, conditions_of, random_antecedents, random_priors, random_training_set

from rulekit.core.rules import RuleBatch
from rulekit.probability.empirical import Empirical
from rulekit.probability.hybrid import EnsembleMEstimate, Hybrid
from rulekit.probability.laplace import Laplace
from rulekit.probability.m_estimate import MEstimate
from rulekit.probability.naive_bayes import NaiveBayes

ESTIMATORS = [Empirical(), Laplace(0.5), MEstimate(3.0), EnsembleMEstimate(4.0), NaiveBayes(0.7), Hybrid(0.7, 4.0, 9.0)]


def random_batch(seed, n_classes=3, n_rules=30):
    """Random rules with the drawn they were counted on; some have no condition, some cover nothing."""
    drawn = random_training_set(seed, n_classes=n_classes)
    antecedents = random_antecedents(drawn, seed, n_rules, longest=5)
    return drawn, RuleBatch(drawn.index(), antecedents, random_priors(seed, n_rules, n_classes))


def published_case():
    """The rule `age > 50` of the case study: 72 samples, [33, 39] by class, of which it covers [6, 0]."""
    ages = np.concatenate([np.full(6, 60.0), np.full(27, 20.0), np.full(39, 20.0)])
    classes = np.repeat([0, 1], [33, 39])
    drawn = TrainingSet(ages[:, None], classes, conditions_of([(0, 50.0)], 1), 2)
    above = int(np.flatnonzero(~drawn.conditions.is_upper)[0])
    first = 1 - 1 / (1 + np.exp(-(np.log(39 / 33) - 72 / 33)))
    return RuleBatch(drawn.index(), np.array([[above]]), np.array([[first, 1 - first]]))


def small_case():
    """Ten samples, [4, 6] by class: `x > 2` covers [1, 4], `x <= 2` covers [3, 2], no condition covers all."""
    x = np.array([1.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 3.0, 4.0, 4.0])
    drawn = TrainingSet(x[:, None], np.repeat([0, 1], [4, 6]), conditions_of([(0, 2.0)], 1), 2)
    pad, above, upto = 2, 0, 1
    rules = np.array([[above, pad], [upto, pad], [pad, pad], [above, upto]])
    return RuleBatch(drawn.index(), rules, np.array([[0.9, 0.1], [0.5, 0.5], [0.25, 0.75], [0.2, 0.8]]))
