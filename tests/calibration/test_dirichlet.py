import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from rulekit.calibration import Dirichlet
from rulekit.core.errors import InvalidParameterError

WEIGHTS = np.array([[1.5, 0.2, 0.0], [0.0, 0.6, 0.3], [0.1, 0.0, 1.0]])
INTERCEPT = np.array([0.5, -0.5, 0.0])


def columns(predicted, clip=1e-6):
    return np.column_stack([np.log(np.maximum(predicted, clip)), np.ones(len(predicted))])


def with_zeros(predicted):
    certain = np.eye(predicted.shape[1])[predicted.argmax(axis=1)]
    return np.where(np.arange(len(predicted))[:, None] % 3 == 0, certain, predicted)


@pytest.mark.parametrize("penalty", ["identity", "zero", "off-diagonal"])
def test_recovers_a_known_map(draw, penalty):
    predicted, positions = draw(30_000, WEIGHTS, INTERCEPT)
    calibrated = Dirichlet(l2=1e-6, penalty=penalty).fit(predicted, positions).transform(predicted)
    true = softmax(np.log(predicted) @ WEIGHTS.T + INTERCEPT, axis=1)
    assert np.abs(calibrated - true).mean() < 0.01


def test_recovers_known_coefficients_up_to_what_softmax_forgets(draw):
    fitted = Dirichlet(l2=1e-6).fit(*draw(30_000, WEIGHTS, INTERCEPT))
    np.testing.assert_allclose(fitted.coef_ - fitted.coef_[-1], WEIGHTS - WEIGHTS[-1], atol=0.1)
    np.testing.assert_allclose(fitted.intercept_ - fitted.intercept_[-1], INTERCEPT - INTERCEPT[-1], atol=0.2)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_pulled_to_zero_it_is_scikit_learns_logistic_regression(draw, n_classes):
    predicted, positions = draw(300, 0.5 * np.eye(n_classes), np.arange(n_classes) / 2)
    predicted, l2 = with_zeros(predicted), 1e-2
    # With two classes scikit-learn has one row of coefficients, w = w1 - w0, and w²/2 is the least w0² + w1².
    strength = 1 / (l2 * len(predicted) * (1 if n_classes == 2 else 2))
    theirs = LogisticRegression(C=strength, fit_intercept=False, tol=1e-10, max_iter=100_000, solver="newton-cg")
    theirs.fit(columns(predicted), positions)
    ours = Dirichlet(l2=l2, penalty="zero").fit(predicted, positions)
    np.testing.assert_allclose(ours.transform(predicted), theirs.predict_proba(columns(predicted)), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", ["identity", "zero", "off-diagonal"])
def test_equals_a_direct_minimisation(draw, penalty, n_classes):
    """The sum written out sample by sample, without gradients."""
    predicted, positions = draw(60, 0.5 * np.eye(n_classes))
    predicted, l2 = with_zeros(predicted), 0.02

    def loss(flat):
        weights = flat.reshape(n_classes, n_classes + 1)
        total = 0.0
        for row, position in zip(columns(predicted), positions, strict=True):
            scores = [sum(w * x for w, x in zip(line, row, strict=True)) for line in weights]
            total -= scores[position] - np.logaddexp.reduce(scores)
        pull = 0.0
        for i in range(n_classes):
            for j in range(n_classes + 1):
                goal = float(i == j) if penalty == "identity" else 0.0
                if penalty == "off-diagonal" and i == j:
                    pull += 1e-6 / l2 * (weights[i, j] - 1) ** 2
                else:
                    pull += (weights[i, j] - goal) ** 2
        return total / len(predicted) + l2 * pull

    fitted = Dirichlet(l2=l2, penalty=penalty).fit(predicted, positions)
    found = np.column_stack([fitted.coef_, fitted.intercept_]).ravel()
    best = minimize(loss, found, method="Powell", options={"xtol": 1e-8, "ftol": 1e-14, "maxiter": 100})
    assert loss(found) <= best.fun + 1e-9


def test_a_strong_pull_to_the_identity_changes_nothing(draw):
    predicted, positions = draw(200, WEIGHTS)
    np.testing.assert_allclose(Dirichlet(l2=1e6).fit(predicted, positions).transform(predicted), predicted, atol=1e-4)


def test_a_strong_pull_to_zero_makes_all_classes_alike(draw):
    predicted, positions = draw(200, WEIGHTS)
    np.testing.assert_allclose(
        Dirichlet(l2=1e6, penalty="zero").fit(predicted, positions).transform(predicted), 1 / 3, atol=1e-4
    )


def test_a_strong_pull_off_the_diagonal_leaves_a_weight_for_each_class(draw):
    fitted = Dirichlet(l2=1e6, penalty="off-diagonal").fit(*draw(2000, np.diag([0.5, 1.0, 1.5])))
    np.testing.assert_allclose(fitted.coef_ - np.diag(fitted.coef_.diagonal()), 0, atol=1e-5)
    np.testing.assert_allclose(fitted.coef_.diagonal(), [0.5, 1.0, 1.5], atol=0.2)


def test_can_change_the_predicted_class(draw):
    predicted, positions = draw(2000, np.eye(3)[[1, 0, 2]])
    calibrated = Dirichlet().fit(predicted, positions).transform(predicted)
    assert (predicted.argmax(axis=1) != calibrated.argmax(axis=1)).mean() > 0.3


@pytest.mark.parametrize(("parameter", "value"), [("l2", 0), ("l2", "much"), ("penalty", "diagonal")])
def test_parameters_that_make_no_sense_are_rejected(draw, parameter, value):
    with pytest.raises(InvalidParameterError, match=f"Dirichlet: {parameter} must be"):
        Dirichlet(**{parameter: value}).fit(*draw(50, np.eye(2)))
