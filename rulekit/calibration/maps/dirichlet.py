"""Multinomial logistic regression on log-probabilities."""

from typing import Literal, Self, get_args

import attrs
import numpy as np
from scipy.special import log_softmax, softmax

from rulekit.calibration.maps.checks import checked_input, checked_samples
from rulekit.calibration.maps.descent import minimiser
from rulekit.calibration.maps.logarithms import CLIP, clipped_log
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.checks import check_choice, check_number
from rulekit.core.interfaces import CalibrationMap

#: Weight that pulls an unpenalised diagonal to 1: enough for a unique minimum, even where p separates the classes.
SLIGHT = 1e-6

Penalty = Literal["identity", "zero", "off-diagonal"]


class Dirichlet(CalibrationMap):
    """`softmax(W log p + b)`, with the W and b of the smallest regularised log-loss.

    The map of a model whose probabilities follow a Dirichlet distribution in each class. It can move probability from
    one class to another, so the predicted class may change.

    Parameters
    ----------
    l2 : float, default=1e-2
        Weight of the squared coefficients, added to the mean log-loss.
    penalty : {"identity", "zero", "off-diagonal"}, default="identity"
        What a large `l2` leads to. "identity" pulls W to the unit matrix and b to 0: the probabilities stay
        unchanged. "zero" pulls both to 0: all classes become equally probable. "off-diagonal" pulls b and the elements
        off the diagonal of W to 0; with two classes W is then free, because a diagonal can represent any map.
    clip : float, default=1e-6
        Smaller probabilities are replaced by this value.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_classes)
        W. A number added to a whole column does not change the map.
    intercept_ : ndarray of shape (n_classes,)
        b.
    n_classes_ : int

    References
    ----------
    Kull, Perello-Nieto, Kängsepp, Silva Filho, Song, Flach (2019). Beyond temperature scaling: Obtaining
    well-calibrated multiclass probabilities with Dirichlet calibration. NeurIPS. Its Dir-L2 is "zero", its Dir-ODIR
    "off-diagonal".

    Examples
    --------
    >>> predicted = [[0.99, 0.01]] * 10
    >>> Dirichlet().fit(predicted, [0] * 8 + [1] * 2).transform(predicted)[0].round(2).tolist()
    [0.8, 0.2]
    """

    def __init__(self, l2: float = 1e-2, penalty: Penalty = "identity", clip: float = CLIP) -> None:
        self.l2 = l2
        self.penalty = penalty
        self.clip = clip

    def fit(self, probabilities: FloatArray, class_indices: IntArray) -> Self:
        """Find W and b; see `CalibrationMap.fit`."""
        check_number(self, "l2", 0, above=True)
        check_choice(self, "penalty", get_args(Penalty))
        check_number(self, "clip", 0, 0.1, above=True)
        predicted, truth = checked_samples(probabilities, class_indices)
        n_classes = predicted.shape[1]
        identity = np.eye(n_classes, n_classes + 1)
        objective = _Objective(
            columns=np.column_stack([clipped_log(predicted, self.clip), np.ones(len(predicted))]),
            is_truth=np.eye(n_classes)[truth],
            target=np.zeros_like(identity) if self.penalty == "zero" else identity,
            strengths=self._strengths(n_classes),
        )
        # Gradients alone take ten times as many steps where rules predict 0: the logarithms of a column differ by 14.
        found = minimiser(
            objective.loss, identity.ravel(), method="trust-ncg", hessp=objective.curvature, options={"gtol": 1e-8}
        )
        weights = found.reshape(identity.shape)
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1]
        self.n_classes_ = n_classes
        return self

    def transform(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes)."""
        logs = clipped_log(checked_input(self, probabilities), self.clip)
        return softmax(logs @ self.coef_.T + self.intercept_, axis=1)

    def _strengths(self, n_classes: int) -> FloatArray:
        """How strongly each coefficient is pulled, of shape (n_classes, n_classes + 1)."""
        strengths = np.full((n_classes, n_classes + 1), float(self.l2))
        if self.penalty == "off-diagonal":
            np.fill_diagonal(strengths, min(self.l2, SLIGHT))
        return strengths


@attrs.frozen(eq=False)
class _Objective:
    """Regularised log-loss of the coefficients, W and b side by side.

    Attributes
    ----------
    columns : ndarray of shape (n_samples, n_classes + 1)
        Log-probabilities, and a 1 for the intercept.
    is_truth : ndarray of shape (n_samples, n_classes)
        1 for each sample's class, else 0.
    target, strengths : ndarray of shape (n_classes, n_classes + 1)
        Where the coefficients are pulled, and how strongly.
    """

    columns: FloatArray
    is_truth: FloatArray
    target: FloatArray
    strengths: FloatArray

    def loss(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """The loss, and its gradient of shape (n_coefficients,)."""
        logs = self._logs(flat)
        excess = flat.reshape(self.target.shape) - self.target
        value = -(logs * self.is_truth).sum() / len(logs) + (self.strengths * excess**2).sum()
        gradient = (np.exp(logs) - self.is_truth).T @ self.columns / len(logs) + 2 * self.strengths * excess
        return float(value), gradient.ravel()

    def curvature(self, flat: FloatArray, direction: FloatArray) -> FloatArray:
        """The matrix of second derivatives times a direction, of shape (n_coefficients,)."""
        p, step = np.exp(self._logs(flat)), direction.reshape(self.target.shape)
        change = self.columns @ step.T
        change = p * (change - (p * change).sum(axis=1, keepdims=True))
        return (change.T @ self.columns / len(p) + 2 * self.strengths * step).ravel()

    def _logs(self, flat: FloatArray) -> FloatArray:
        """Logarithms of the calibrated probabilities, of shape (n_samples, n_classes)."""
        return log_softmax(self.columns @ flat.reshape(self.target.shape).T, axis=1)
