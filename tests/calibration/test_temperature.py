import numpy as np
import pytest
import sklearn
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from rulekit.calibration import Temperature
from rulekit.evaluation import log_loss

HAS_TEMPERATURE = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)


class StatesItsInput(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[X.argmax(axis=1)]

    def predict_proba(self, X):
        return X


@pytest.fixture
def certain(draw):
    """Samples of which every third probability is exactly 0 or 1."""
    predicted, positions = draw(300, 0.4 * np.eye(3))
    predicted[::3] = np.eye(3)[predicted[::3].argmax(axis=1)]
    return predicted, positions


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_recovers_a_known_temperature(draw, n_classes, temperature):
    predicted, positions = draw(20_000, np.eye(n_classes) / temperature)
    assert Temperature().fit(predicted, positions).temperature_ == pytest.approx(temperature, rel=0.05)


def test_minimises_the_log_loss(certain):
    predicted, positions = certain
    fitted = Temperature(l2=0).fit(predicted, positions)

    def loss(log_temperature):
        scaled = np.maximum(predicted, 1e-6) ** np.exp(-log_temperature)
        return log_loss(positions, scaled / scaled.sum(axis=1, keepdims=True), [0, 1, 2])

    best = minimize_scalar(loss, bounds=(-3, 3), options={"xatol": 1e-10})
    assert np.log(fitted.temperature_) == pytest.approx(best.x, abs=1e-6)


@pytest.mark.skipif(not HAS_TEMPERATURE, reason="scikit-learn has temperature scaling since 1.8")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_equals_scikit_learns(draw, n_classes):
    predicted, positions = draw(400, 0.4 * np.eye(n_classes))
    predicted[::3] = np.eye(n_classes)[predicted[::3].argmax(axis=1)]
    model = FrozenEstimator(StatesItsInput().fit(predicted, positions))
    theirs = CalibratedClassifierCV(model, method="temperature", ensemble=False).fit(predicted, positions)
    ours = Temperature(l2=0, clip=1e-12).fit(predicted, positions)
    np.testing.assert_allclose(ours.transform(predicted), theirs.predict_proba(predicted), rtol=1e-5, atol=1e-9)


def test_the_slight_pull_is_not_felt(certain):
    pulled, free = Temperature().fit(*certain), Temperature(l2=0).fit(*certain)
    assert pulled.temperature_ == pytest.approx(free.temperature_, rel=1e-4)


def test_keeps_the_order_of_classes(certain):
    predicted, positions = certain
    calibrated = Temperature().fit(predicted, positions).transform(predicted)
    assert np.array_equal(np.argsort(-predicted, kind="stable"), np.argsort(-calibrated, kind="stable"))


def test_changes_nothing_at_1(certain):
    fitted = Temperature(clip=1e-12).fit(*certain)
    fitted.temperature_ = 1.0
    np.testing.assert_allclose(fitted.transform(certain[0]), certain[0], atol=1e-11)


def test_stays_at_1_where_nothing_is_stated():
    predicted = np.full((10, 2), 0.5)
    assert Temperature().fit(predicted, np.arange(10) % 2).temperature_ == pytest.approx(1.0)


def test_does_not_run_away_where_every_sample_is_right():
    """Without a pull the best temperature is 0: everything would be stated with certainty."""
    positions = np.arange(100) % 2
    predicted = 0.2 + 0.6 * np.eye(2)[positions]
    calibrated = Temperature().fit(predicted, positions).transform(predicted)
    assert 0.99 < calibrated.max() < 1 - 1e-6


def test_without_a_pull_ends_at_a_limit():
    positions = np.arange(100) % 2
    predicted = 0.2 + 0.6 * np.eye(2)[positions]
    assert Temperature(l2=0).fit(predicted, positions).temperature_ == pytest.approx(1e-4)
    assert Temperature(l2=0).fit(predicted[:, ::-1], positions).temperature_ == pytest.approx(1e4)


def test_calls_all_classes_alike_where_every_sample_is_wrong():
    positions = np.arange(100) % 2
    predicted = 0.2 + 0.6 * np.eye(2)[1 - positions]
    calibrated = Temperature().fit(predicted, positions).transform(predicted)
    np.testing.assert_allclose(calibrated, 0.5, atol=1e-3)


def test_a_zero_counts_as_the_clip():
    predicted = np.array([[1.0, 0.0]] * 10)
    fitted = Temperature(clip=1e-3, l2=0).fit(predicted, np.array([0] * 9 + [1]))
    assert fitted.temperature_ == pytest.approx(np.log(1e3) / np.log(9))
    np.testing.assert_allclose(fitted.transform(predicted)[0], [0.9, 0.1])
