"""Likelihoods of single conditions, multiplied as if they were independent within each class."""

from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import FloatArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RuleBatch
from rulekit.core.statistics import row_sums
from rulekit.core.training_data import TrainingData

# Logarithms are rounded to this step, far below any digit that matters. Sums of up to 2**17 are then exact in
# float64, whatever their order, and two antecedents with the same likelihoods tie exactly.
LOG_STEP = 2.0**-36


class NaiveBayes(ProbabilityEstimator):
    """`p(y|r) ∝ p(y) * prod_a p(a|y)` over the conditions `a` of a rule, smoothed by `smoothing`.

    It uses no counts of rules: all it needs is counted once per condition. With `n` samples and `C` classes,
    `p(y) = (N_y + smoothing) / (n + C smoothing)` and `p(a|y) = (N_ay + smoothing) / (N_y + 2 smoothing)`.

    Parameters
    ----------
    smoothing : float, default=1.0
        Imaginary samples, above 0.
    """

    uses_counts: ClassVar[bool] = False

    supports_weights: ClassVar[bool] = True

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    def fit(self, data: TrainingData) -> Self:
        """Learn the likelihoods of every condition."""
        check_number(self, "smoothing", 0, above=True)
        class_counts = data.class_counts
        total, n_classes = data.total, data.n_classes
        self.total_ = total
        self.log_prior_ = exact_logs((class_counts + self.smoothing) / (total + n_classes * self.smoothing))
        likelihoods = (data.condition_counts + self.smoothing) / (class_counts + 2 * self.smoothing)
        # A contiguous table, which engines would otherwise copy at every call.
        self.log_likelihoods_ = np.ascontiguousarray(exact_logs(likelihoods).T)
        self.log_fractions_ = exact_logs(row_sums(data.condition_counts) / total)[None]
        # The pad stands for no condition: its likelihood is 1 and it excludes no sample.
        self.log_likelihoods_[:, data.pad] = 0.0
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Class probabilities, of shape (n_rules, n_classes)."""
        scores = rules.sum_over_conditions(self.log_likelihoods_) + self.log_prior_[:, None]
        likelihoods = np.exp(scores - scores.max(axis=0))
        return (likelihoods / likelihoods.sum(axis=0)).T

    def support(self, rules: RuleBatch) -> FloatArray:
        """Samples that a rule would cover if its conditions were independent: `n * prod_a (N_a / n)`."""
        return self.total_ * np.exp(rules.sum_over_conditions(self.log_fractions_)[0])


def exact_logs(fractions: npt.NDArray[np.floating]) -> FloatArray:
    """Logarithms rounded to `LOG_STEP`; minus infinity for 0."""
    with np.errstate(divide="ignore"):
        return np.rint(np.log(fractions) / LOG_STEP) * LOG_STEP
