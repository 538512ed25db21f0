"""What a list of rules is worth: its leave-one-out likelihood and macro-F1 on the training samples, less a price."""

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.statistics import row_sums


@attrs.frozen(eq=False)
class Votes:
    """How often each class is predicted, and how often rightly; of shape (..., n_classes) each."""

    predicted: IntArray
    right: IntArray


@attrs.frozen(eq=False, slots=False)
class ListObjective:
    """The objective J of a list, from the class counts of its parts: the samples that each rule answers.

    J = sum_i log p(y_i) + f1_weight * n * macro-F1 - rule_cost * number of rules, p estimated without sample i:
    p(y_i) = (n_ry - 1 + prior_strength * pi_y + smoothing) / (n_r - 1 + prior_strength + smoothing * n_classes).

    All logarithms are looked up by whole counts, so equal counts have equal values to the last bit.

    Attributes
    ----------
    class_counts : ndarray of shape (n_classes,)
    rule_cost, f1_weight, prior_strength, smoothing : float
    """

    class_counts: IntArray
    rule_cost: float
    f1_weight: float
    prior_strength: float
    smoothing: float
    _of_class: FloatArray = attrs.field(init=False, repr=False)
    _of_all: FloatArray = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        n_samples, n_classes = self.n_samples, len(self.class_counts)
        n = np.arange(1.0, n_samples + 1)
        priors = self.prior_strength * self.class_counts / n_samples + self.smoothing
        # A class without samples has no sample to lose.
        priors = np.where(self.class_counts > 0, priors, 1.0)
        of_class, of_all = np.zeros((n_classes, n_samples + 1)), np.zeros(n_samples + 1)
        of_class[:, 1:] = n * np.log(n - 1 + priors[:, None])
        of_all[1:] = n * np.log(n - 1 + self.prior_strength + self.smoothing * n_classes)
        object.__setattr__(self, "_of_class", of_class)
        object.__setattr__(self, "_of_all", of_all)

    @property
    def n_samples(self) -> int:
        """Number of training samples."""
        return int(self.class_counts.sum())

    def log_likelihoods(self, counts: IntArray) -> FloatArray:
        """Leave-one-out log-likelihood of parts: from class counts (..., n_classes) to (...,)."""
        total: FloatArray = -self._of_all[row_sums(counts)]
        for cls, logs in enumerate(self._of_class):
            total += logs[counts[..., cls]]
        return total

    def votes(self, counts: IntArray) -> Votes:
        """Votes of parts for their most frequent class, the first one if several tie."""
        is_own = counts.argmax(axis=-1)[..., None] == np.arange(counts.shape[-1])
        return Votes(is_own * row_sums(counts)[..., None], is_own * counts)

    def macro_f1(self, votes: Votes) -> FloatArray:
        """Macro-F1 of the votes for all samples: from (..., n_classes) to (...,)."""
        both = votes.predicted + self.class_counts
        # Without samples, a class that is never predicted does not count.
        scores = 2 * votes.right / np.maximum(both, 1)
        return np.asarray(row_sums(scores) / row_sums((both > 0).astype(np.int64)))

    def f1_worth(self, votes: Votes) -> FloatArray:
        """The part of J that macro-F1 contributes."""
        return np.asarray(self.f1_weight * self.n_samples * self.macro_f1(votes))

    def value(self, counts: IntArray) -> float:
        """J of a list whose parts have these class counts; the last part is the default rule's."""
        votes = self.votes(counts)
        f1 = self.f1_worth(Votes(votes.predicted.sum(axis=0), votes.right.sum(axis=0)))
        return float(self.log_likelihoods(counts).sum() + f1 - self.rule_cost * (len(counts) - 1))


def objective_on(
    index: TrainingIndex, rule_cost: float, f1_weight: float, prior_strength: float, smoothing: float
) -> ListObjective:
    """The objective on the samples of an index."""
    return ListObjective(index.class_counts, rule_cost, f1_weight, prior_strength, smoothing)
