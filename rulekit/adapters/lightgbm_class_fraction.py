"""LightGBM: the fraction of a class among the training samples, recovered from the first tree.

At the start every sample has the same score, so its first and second derivatives depend only on the fraction of its
class, its weight and its label. A leaf stores the sum of the second derivatives, the step that it took, and its number
of samples. With the right fraction, and without sample weights, these give a whole number of samples of the class in
each leaf.
"""

from operator import itemgetter

import attrs
import numpy as np
from scipy.special import expit

from rulekit.adapters.lightgbm_loss import Loss
from rulekit.core.arrays import FloatArray, IntArray

#: Largest distance from a whole number of samples that rounding explains: the sums are of single-precision numbers.
TOLERANCE, TOLERANCE_PER_SAMPLE, LARGEST_TOLERANCE = 1e-3, 1e-6, 0.1
#: The part of the tolerance that rounding usually takes.
ROUNDING = 5e-3


@attrs.frozen(eq=False)
class FirstLeaves:
    """The leaves of the first tree of a class.

    Attributes
    ----------
    loss : Loss
    values : ndarray of shape (n_leaves,)
        Scores, including the initial score.
    second_derivatives : ndarray of shape (n_leaves,)
    counts : ndarray of shape (n_leaves,)
    rate : float
        The learning rate.
    absolute_penalty, quadratic_penalty : float
        `lambda_l1` and `lambda_l2`.
    """

    loss: Loss
    values: FloatArray
    second_derivatives: FloatArray
    counts: IntArray
    rate: float
    absolute_penalty: float
    quadratic_penalty: float

    def fraction(self, constant: float) -> float | None:
        """The fraction of the class, None if the leaves do not determine it.

        Parameters
        ----------
        constant : float
            The best constant score for all leaves.
        """
        fractions = self._possible_fractions()
        n_samples = int(self.counts.sum())
        # Close to one half the second derivatives hardly change, and the constant gives more digits of the fraction.
        nearest = np.round(n_samples * np.append(fractions, self.loss.fraction(constant)))
        whole = nearest[(nearest > 0) & (nearest < n_samples)] / n_samples
        fraction, misfit = self._best(fractions)
        whole_fraction, whole_misfit = self._best(whole)
        # If the tree saw all samples, the fraction is a whole number of them and known exactly.
        if whole_misfit <= min(1.0, ROUNDING + 3 * misfit):
            return whole_fraction
        return fraction if misfit <= 1 else None

    def _best(self, fractions: FloatArray) -> tuple[float, float]:
        """The fraction that fits best, and its misfit."""
        return min(
            ((float(fraction), self._misfit(fraction)) for fraction in fractions),
            key=itemgetter(1),
            default=(np.nan, np.inf),
        )

    def _possible_fractions(self) -> FloatArray:
        """Fractions that fit the number of samples and the second derivatives of all leaves together."""
        if self.loss.weighs_classes:
            return self._fractions_by_search()
        means = self.second_derivatives / self.counts
        # Twice the distance from one half.
        distance = np.sqrt(np.maximum(1 - means.mean() / self.loss.curvature(np.array(0.5)), 0))
        return (1 + np.array([distance, -distance])) / 2

    def _fractions_by_search(self) -> FloatArray:
        """Fractions that give the right number of samples when classes are weighted."""
        from scipy.optimize import brentq  # slow to load, seldom needed

        def excess(log_odds: FloatArray) -> FloatArray:
            own, other = self._class_counts(expit(log_odds))
            return (own + other).sum(axis=-1) - self.counts.sum()

        grid = np.linspace(-12, 12, 2401)
        above = excess(grid[:, None]) > 0
        positions = np.flatnonzero(above[1:] != above[:-1])
        return np.array(
            [expit(brentq(excess, grid[position], grid[position + 1], xtol=1e-13)) for position in positions]
        )

    def _class_counts(self, fractions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Samples of the class and others in each leaf, of shape (..., n_leaves), for fractions of shape (..., 1)."""
        steps = (self.values - self.loss.score(fractions)) / self.rate
        weights = self.second_derivatives / self.loss.curvature(fractions)
        slopes = -steps * (self.second_derivatives + self.quadratic_penalty) - np.sign(steps) * self.absolute_penalty
        own_weights = fractions * weights - slopes / self.loss.sigmoid
        own, other = self.loss.weights(fractions)
        return own_weights / own, (weights - own_weights) / other

    def _misfit(self, fraction: float) -> float:
        """Distance of the leaves from whole numbers of samples; beyond 1, more than rounding explains.

        The median over the leaves is used because categorical splits penalise the leaves below them differently.
        """
        own, other = self._class_counts(np.array([fraction]))
        distances = np.abs(own + other - self.counts) + np.abs(own - np.round(own))
        tolerances = TOLERANCE + TOLERANCE_PER_SAMPLE * self.counts / self.rate
        return float(np.median(distances / np.minimum(tolerances, LARGEST_TOLERANCE)))
