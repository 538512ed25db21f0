"""The probabilistic model of regions, and the two steps that improve it.

A sample's class y and its indicators s come from one of K components: component k has the weight alpha_k and the
class fractions p(y|k), and each of its indicators is 1 with the rate eta_kl, independently of the others.

The criterion is the lower bound of the factorised information criterion (FIC), for responsibilities q of shape (n, K):

    sum_nk q_nk (log alpha_k p(y_n|k) p(s_n|eta_k) - log q_nk)  -  omega sum_k log(1 + sum_n q_nk)

with omega = (1 + C + L) / 2 for C classes and L splits: half the parameters of a component. Neither step below can
lower it, as each maximises it, or something that lies below it and touches it where the step starts.
"""

from typing import Self

import attrs
import numpy as np
from scipy.special import entr, softmax

from rulekit.plugin import FloatArray, IntArray
from rulekit_defragtrees.indicators import Indicators

#: Rates stay this far from 0 and 1, so that one odd sample does not rule a component out.
EDGE = 1e-10
#: A component that leads by this much in log-likelihood has all of the responsibility, up to rounding.
DECIDED = 40.0
#: Responsibilities are settled when no component's size changes by more than this number of samples.
SETTLED = 1e-6


@attrs.frozen(eq=False)
class Mixture:
    """The parameters of the components.

    Attributes
    ----------
    weights : ndarray of shape (n_components,)
    class_fractions : ndarray of shape (n_classes, n_components)
    rates : ndarray of shape (n_columns, n_components)
        How often each indicator is 1.
    """

    weights: FloatArray
    class_fractions: FloatArray
    rates: FloatArray

    def __len__(self) -> int:
        return len(self.weights)

    @classmethod
    def random(cls, indicators: Indicators, n_components: int, rng: np.random.Generator) -> Self:
        """Parameters drawn uniformly, as far as they need not sum to one."""
        weights = rng.random(n_components)
        fractions = rng.random((indicators.n_classes, n_components))
        rates = rng.random((len(indicators.multiplicity), n_components))
        return cls(weights / weights.sum(), fractions / fractions.sum(axis=0), np.clip(rates, EDGE, 1 - EDGE))

    @classmethod
    def most_likely(cls, indicators: Indicators, responsibilities: FloatArray) -> Self:
        """The M step: the parameters that maximise the criterion for responsibilities of shape (n_patterns, K)."""
        shared = indicators.counts[:, None] * responsibilities
        sizes = shared.sum(axis=0)
        of_class = [np.bincount(indicators.classes, each, minlength=indicators.n_classes) for each in shared.T]
        # A rate's likelihood has one peak, so that the best rate within the edges is the best of all, moved inside.
        rates = np.clip(indicators.transposed_times(shared) / sizes, EDGE, 1 - EDGE)
        return cls(sizes / sizes.sum(), np.array(of_class).T / sizes, rates)

    def log_regions(self, indicators: Indicators) -> FloatArray:
        """Log alpha_k p(s_n|eta_k): how a component claims a sample by its indicators; (n_patterns, n_components)."""
        ones, zeros = np.log(self.rates), np.log1p(-self.rates)
        odds = indicators.multiplicity[:, None] * (ones - zeros)
        return indicators.times(odds) + indicators.multiplicity @ zeros + np.log(self.weights)

    def log_joint(self, indicators: Indicators) -> FloatArray:
        """Log alpha_k p(y_n|k) p(s_n|eta_k), of shape (n_patterns, n_components)."""
        # A component without a class has no responsibility for samples of that class: any number there will do.
        fractions = np.log(np.maximum(self.class_fractions, np.finfo(np.float64).tiny))
        return self.log_regions(indicators) + fractions[indicators.classes]

    def error(self, indicators: Indicators) -> float:
        """The fraction of samples whose class is not the most probable one of their most probable component."""
        predicted = self.class_fractions.argmax(axis=0)[self.log_regions(indicators).argmax(axis=1)]
        return float(indicators.counts @ (predicted != indicators.classes) / indicators.counts.sum())


def penalty_of(indicators: Indicators) -> float:
    """The omega of the criterion."""
    return (1 + indicators.n_classes + indicators.n_splits) / 2


def criterion(log_joint: FloatArray, responsibilities: FloatArray, counts: FloatArray, penalty: float) -> float:
    """The lower bound of the FIC.

    Parameters
    ----------
    log_joint, responsibilities : ndarray of shape (n_patterns, n_components)
    counts : ndarray of shape (n_patterns,)
        Samples with each pattern.
    penalty : float
    """
    fit = counts @ (responsibilities * log_joint + entr(responsibilities))
    return float(fit.sum() - penalty * np.log1p(counts @ responsibilities).sum())


def expect(
    log_joint: FloatArray, responsibilities: FloatArray, counts: FloatArray, penalty: float, n_updates: int
) -> FloatArray:
    """The E step: responsibilities that raise the criterion for given parameters.

    The penalty is replaced by its tangent at the components' present sizes N_k, which lies above it; the optimum is
    then q_nk proportional to p_nk exp(-omega / (1 + N_k)): small components shrink. This is repeated, and computed
    only where no component leads by far.

    Parameters
    ----------
    log_joint, responsibilities : ndarray of shape (n_patterns, n_components)
    counts : ndarray of shape (n_patterns,)
    penalty : float
    n_updates : int
        Maximum number; fewer if the sizes converge earlier.

    Returns
    -------
    responsibilities : ndarray of shape (n_patterns, n_components)
        Rows sum to one.
    """
    leader, lead = _leaders(log_joint)
    decided = (leader[:, None] == np.arange(log_joint.shape[1])).astype(np.float64)
    sizes = counts @ responsibilities
    for _ in range(n_updates):
        shrinkage = penalty / (1 + sizes)
        is_open = lead < DECIDED + (shrinkage - shrinkage.min())[leader]
        responsibilities = decided.copy()
        responsibilities[is_open] = softmax(log_joint[is_open] - shrinkage, axis=1)
        previous, sizes = sizes, counts @ responsibilities
        if np.abs(sizes - previous).max() < SETTLED:
            break
    return responsibilities


def _leaders(log_joint: FloatArray) -> tuple[IntArray, FloatArray]:
    """The largest entry of each row, and by how much it exceeds the second largest; of shape (n_patterns,) each."""
    leader = log_joint.argmax(axis=1)
    others = log_joint.copy()
    rows = np.arange(len(others))
    others[rows, leader] = -np.inf
    return leader, log_joint[rows, leader] - others.max(axis=1)
