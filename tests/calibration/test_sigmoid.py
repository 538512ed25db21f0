import pickle

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from rulekit.calibration import Sigmoid


def smoothed(is_class):
    """Platt's targets, which keep a curve from running to infinity."""
    n_yes, n_no = is_class.sum(), (~is_class).sum()
    return np.where(is_class, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))


def direct(p, is_class):
    """Platt's curve by direct minimisation."""
    target = smoothed(is_class)

    def loss(coefficients):
        score = coefficients[0] * p + coefficients[1]
        return (target * np.logaddexp(0, -score) + (1 - target) * np.logaddexp(0, score)).mean()

    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-15, "maxiter": 10_000})
    return expit(best.x[0] * p + best.x[1])


def test_of_two_classes_it_is_platts_curve(draw):
    predicted, positions = draw(300, 0.4 * np.eye(2), np.array([0.0, 0.5]))
    calibrated = Sigmoid().fit(predicted, positions).transform(predicted)
    np.testing.assert_allclose(calibrated[:, 1], direct(predicted[:, 1], positions == 1), atol=1e-4)


def test_of_several_classes_it_is_one_curve_for_each_scaled_to_1(draw):
    predicted, positions = draw(300, 0.4 * np.eye(3))
    calibrated = Sigmoid().fit(predicted, positions).transform(predicted)
    curves = np.column_stack([direct(predicted[:, k], positions == k) for k in range(3)])
    np.testing.assert_allclose(calibrated, curves / curves.sum(axis=1, keepdims=True), atol=1e-4)


def test_keeps_no_samples(draw):
    small, large = (len(pickle.dumps(Sigmoid().fit(*draw(n, np.eye(2))))) for n in (100, 5000))
    assert large == pytest.approx(small, abs=50)
