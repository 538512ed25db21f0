"""Training precision, as in RC+."""

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RuleBatch


class Empirical(ProbabilityEstimator):
    """Fraction of each class among the samples that a rule covers: `N_ry / N_r`.

    A rule that covers no sample gets its prior. Rules that cover few samples are badly overconfident.
    """

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Class fractions, of shape (n_rules, n_classes)."""
        support = rules.support[:, None]
        if support.all():
            return rules.counts / support
        return np.where(support > 0, rules.counts / np.where(support > 0, support, 1), rules.priors)
