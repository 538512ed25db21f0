import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from rulekit.calibration import Beta


def drawn(n_samples, a, b, c, seed=0):
    """Stated probabilities, and classes of which the second has the log-odds `a log p - b log(1 - p) + c`."""
    generator = np.random.default_rng(seed)
    p = generator.uniform(0.001, 0.999, size=n_samples)
    true = 1 / (1 + np.exp(-(a * np.log(p) - b * np.log(1 - p) + c)))
    return np.column_stack([1 - p, p]), (generator.uniform(size=n_samples) < true).astype(int)


@pytest.mark.parametrize(("a", "b", "c"), [(1.0, 1.0, 0.0), (0.5, 2.0, 0.3), (2.0, 0.2, -1.0)])
def test_recovers_known_parameters(a, b, c):
    fitted = Beta().fit(*drawn(50_000, a, b, c))
    np.testing.assert_allclose(fitted.coef_, [[a, b, c]], atol=0.1)


def test_equals_logistic_regression_where_that_has_no_negative_slope():
    predicted, positions = drawn(500, 0.5, 1.5, 0.2)
    columns = np.column_stack([np.log(predicted[:, 1]), -np.log(predicted[:, 0])])
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(columns, positions)
    assert theirs.coef_.min() > 0
    ours = Beta(l2=0).fit(predicted, positions)
    np.testing.assert_allclose(ours.coef_[0], [*theirs.coef_[0], theirs.intercept_[0]], rtol=1e-3)
    np.testing.assert_allclose(ours.transform(predicted), theirs.predict_proba(columns), atol=1e-4)


@pytest.mark.parametrize("a", [-0.5, 0.0, 1.0])
@pytest.mark.parametrize("b", [-0.5, 0.0, 1.0])
def test_equals_a_direct_minimisation_with_slopes_that_are_not_negative(a, b):
    predicted, positions = drawn(150, a, b, 0.5)
    predicted[::5] = np.eye(2)[predicted[::5].argmax(axis=1)]

    def loss(coefficients):
        slope, other, constant = coefficients
        p, q = np.maximum(predicted[:, 1], 1e-6), np.maximum(predicted[:, 0], 1e-6)
        odds = slope * np.log(p) - other * np.log(q) + constant
        nll = np.logaddexp(0, np.where(positions == 1, -odds, odds)).mean()
        return nll + 1e-6 * ((slope - 1) ** 2 + (other - 1) ** 2 + constant**2)

    ours = Beta().fit(predicted, positions).coef_[0]
    limits = [(0, None), (0, None), (None, None)]
    best = minimize(loss, [0.5, 0.5, 0.0], method="Nelder-Mead", bounds=limits, options={"xatol": 1e-9, "fatol": 1e-15})
    assert ours[:2].min() >= 0
    assert loss(ours) <= best.fun + 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_never_falls_as_p_grows(seed):
    generator = np.random.default_rng(seed)
    p = generator.uniform(size=100)
    fitted = Beta().fit(np.column_stack([1 - p, p]), generator.integers(2, size=100))
    scale = np.linspace(0, 1, 1001)
    assert (np.diff(fitted.transform(np.column_stack([1 - scale, scale]))[:, 1]) >= -1e-12).all()


def test_of_two_values_only_it_learns_their_shares():
    """Two points do not determine three parameters: the pull to the identity chooses among those that fit."""
    certain = np.eye(2)[np.arange(100) % 2]
    positions = np.where(np.arange(100) < 80, np.arange(100) % 2, 0)
    fitted = Beta().fit(certain, positions)
    np.testing.assert_allclose(fitted.transform(np.eye(2))[:, 1], [0.0, 0.8], atol=0.01)


def test_maps_each_of_several_classes_against_the_rest(draw):
    predicted, positions = draw(500, 0.5 * np.eye(3))
    calibrated = Beta().fit(predicted, positions).transform(predicted)
    each = [
        Beta().fit(np.column_stack([1 - predicted[:, k], predicted[:, k]]), (positions == k).astype(int))
        for k in range(3)
    ]
    alone = np.column_stack(
        [one.transform(np.column_stack([1 - p, p]))[:, 1] for one, p in zip(each, predicted.T, strict=True)]
    )
    np.testing.assert_allclose(calibrated, alone / alone.sum(axis=1, keepdims=True), rtol=1e-6)
