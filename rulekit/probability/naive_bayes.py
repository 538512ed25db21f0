"""Evidence of single conditions, multiplied as if they were independent within each class."""

from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import FloatArray, row_sums
from rulekit.core.batch import RuleBatch
from rulekit.core.checks import check_number
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import ProbabilityEstimator

# Logarithms are rounded to this step, far below any digit that matters. Sums of up to 2**17 are then exact in
# float64, whatever their order, and two antecedents with the same evidence tie exactly.
LOG_STEP = 2.0**-36


class NaiveBayes(ProbabilityEstimator):
    """`p(y|r) ∝ p(y) * prod_a p(a|y)` over the conditions `a` of a rule, smoothed by `eta`.

    It reads no records: all it needs is counted once per condition. `p(y) = (N_y + eta) / (n + C eta)` and
    `p(a|y) = (N_ay + eta) / (N_y + 2 eta)`.

    Parameters
    ----------
    eta : float, default=1.0
        Imaginary records, above 0.
    """

    reads_records: ClassVar[bool] = False

    def __init__(self, eta: float = 1.0) -> None:
        self.eta = eta

    def fit(self, index: TrainingIndex) -> Self:
        """Learn the evidence of every condition."""
        check_number(self, "eta", 0, above=True)
        class_counts = index.class_counts
        n_records, n_classes = index.n_records, index.n_classes
        self.n_records_ = n_records
        self.log_prior_ = exact_logs((class_counts + self.eta) / (n_records + n_classes * self.eta))
        self.log_likelihoods_ = exact_logs((index.condition_counts + self.eta) / (class_counts + 2 * self.eta)).T
        self.log_shares_ = exact_logs(row_sums(index.condition_counts) / n_records)[None]
        # The pad stands for no condition: it brings no evidence and excludes no record.
        self.log_likelihoods_[:, index.pad] = 0.0
        return self

    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Class probabilities, of shape (n_rules, n_classes)."""
        scores = rules.sum_over_conditions(self.log_likelihoods_) + self.log_prior_[:, None]
        likelihoods = np.exp(scores - scores.max(axis=0))
        return (likelihoods / likelihoods.sum(axis=0)).T

    def support(self, rules: RuleBatch) -> FloatArray:
        """Records that a rule would cover if its conditions were independent: `n * prod_a (N_a / n)`."""
        return self.n_records_ * np.exp(rules.sum_over_conditions(self.log_shares_)[0])


def exact_logs(shares: npt.NDArray[np.floating]) -> FloatArray:
    """Logarithms rounded to `LOG_STEP`; minus infinity for 0."""
    with np.errstate(divide="ignore"):
        return np.rint(np.log(shares) / LOG_STEP) * LOG_STEP
