"""What a list of rules is worth: its leave-one-out likelihood and macro-F1 on the training samples, less a price."""

from functools import cached_property
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import CountArray, FloatArray
from rulekit.core.index import TrainingIndex
from rulekit.core.statistics import row_sums

#: Largest number of samples up to which logarithms are tabulated.
MOST_LOGARITHMS = 2**24


@attrs.frozen(eq=False)
class Votes:
    """How often each class is predicted, and how often rightly; of shape (..., n_classes) each."""

    predicted: CountArray
    right: CountArray


@attrs.frozen(eq=False, slots=False)
class ListObjective:
    """The objective J of a list, from the class counts of its parts: the samples that each rule answers.

    J = sum_i log p(y_i) + f1_weight * n * macro-F1 - rule_cost * number of rules, p estimated without sample i:
    p(y_i) = (n_ry - 1 + prior_strength * pi_y + smoothing) / (n_r - 1 + prior_strength + smoothing * n_classes).

    Weights count as samples do; with class weights, what is left out is a sample of its class, whatever that counts as.
    Where counts are whole, all logarithms are looked up, so equal counts have equal values to the last bit.

    Attributes
    ----------
    class_counts : ndarray of shape (n_classes,)
    of_one : ndarray of shape (n_classes,)
        What a sample of each class counts as.
    rule_cost, f1_weight, prior_strength, smoothing : float
    """

    class_counts: CountArray
    of_one: FloatArray
    rule_cost: float
    f1_weight: float
    prior_strength: float
    smoothing: float

    @property
    def total(self) -> Any:
        """Number of training samples, or their weight."""
        return self.class_counts.sum().item()

    @cached_property
    def _priors(self) -> FloatArray:
        """What is added to the count of each class, of shape (n_classes,)."""
        priors = self.prior_strength * self.class_counts / self.total + self.smoothing
        # A class without samples has no sample to lose.
        return np.where(self.class_counts > 0, priors, 1.0)

    @cached_property
    def _is_looked_up(self) -> bool:
        is_whole = self.class_counts.dtype.kind == "i" and bool((self.of_one == 1).all())
        return is_whole and self.total <= MOST_LOGARITHMS

    @cached_property
    def _of_class(self) -> FloatArray:
        n = np.arange(1.0, self.total + 1)
        of_class = np.zeros((len(self.class_counts), self.total + 1))
        of_class[:, 1:] = n * np.log(n - 1 + self._priors[:, None])
        return of_class

    @cached_property
    def _of_all(self) -> FloatArray:
        n = np.arange(1.0, self.total + 1)
        of_all = np.zeros(self.total + 1)
        of_all[1:] = n * np.log(n - 1 + self.prior_strength + self.smoothing * len(self.class_counts))
        return of_all

    def log_likelihoods(self, counts: CountArray) -> FloatArray:
        """Leave-one-out log-likelihood of parts: from class counts (..., n_classes) to (...,)."""
        if not self._is_looked_up:
            return self._computed(counts)
        total: FloatArray = -self._of_all[row_sums(counts)]
        for cls, logs in enumerate(self._of_class):
            total += logs[counts[..., cls]]
        return total

    def _computed(self, counts: CountArray) -> FloatArray:
        """The same where counts are not whole, or too many."""
        of_all, likelihood = row_sums(counts), np.zeros(counts.shape[:-1])
        added = self.prior_strength + self.smoothing * len(self.class_counts)
        for cls, (one, prior) in enumerate(zip(self.of_one.tolist(), self._priors.tolist(), strict=True)):
            own = counts[..., cls]
            # Samples that count less than one of their class leave no less than nothing.
            others = (np.maximum(own - one, 0) + prior) / (np.maximum(of_all - one, 0) + added)
            likelihood += own * np.log(others)
        return likelihood

    def votes(self, counts: CountArray) -> Votes:
        """Votes of parts for their most frequent class, the first one if several tie."""
        is_own = counts.argmax(axis=-1)[..., None] == np.arange(counts.shape[-1])
        return Votes(is_own * row_sums(counts)[..., None], is_own * counts)

    def macro_f1(self, votes: Votes) -> FloatArray:
        """Macro-F1 of the votes for all samples: from (..., n_classes) to (...,)."""
        both = votes.predicted + self.class_counts
        # Without samples, a class that is never predicted does not count.
        scores = 2 * votes.right / np.where(both > 0, both, 1)
        return np.asarray(row_sums(scores) / row_sums((both > 0).astype(np.int64)))

    def f1_worth(self, votes: Votes) -> FloatArray:
        """The part of J that macro-F1 contributes."""
        return np.asarray(self.f1_weight * self.total * self.macro_f1(votes))

    def value(self, counts: CountArray) -> float:
        """J of a list whose parts have these class counts; the last part is the default rule's."""
        votes = self.votes(counts)
        f1 = self.f1_worth(Votes(votes.predicted.sum(axis=0), votes.right.sum(axis=0)))
        return float(self.log_likelihoods(counts).sum() + f1 - self.rule_cost * (len(counts) - 1))


def objective_on(
    index: TrainingIndex, rule_cost: float, f1_weight: float, prior_strength: float, smoothing: float
) -> ListObjective:
    """The objective on the samples of an index."""
    return ListObjective(index.class_counts, index.class_factors, rule_cost, f1_weight, prior_strength, smoothing)
