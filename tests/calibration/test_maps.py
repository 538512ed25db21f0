"""What must be true of every map."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rulekit.builtins import COMPONENTS
from rulekit.calibration import CalibrationDataError, CalibrationMap, Temperature
from rulekit.core.errors import ComponentTypeError, InvalidParameterError, UnknownComponentError
from rulekit.evaluation import brier
from rulekit.plugin.catalogue import make_component

METHODS = COMPONENTS["calibration"]

pytestmark = pytest.mark.parametrize("name", METHODS)
CLASSES = [2, 3]


@pytest.mark.parametrize("n_classes", CLASSES)
class TestEveryMap:
    def test_states_distributions(self, name, n_classes, draw):
        predicted, class_indices = draw(200, 0.5 * np.eye(n_classes))
        calibrated = METHODS[name]().fit(predicted, class_indices).transform(predicted)
        assert calibrated.shape == predicted.shape
        assert calibrated.min() >= 0
        np.testing.assert_allclose(calibrated.sum(axis=1), 1.0, rtol=1e-12)

    def test_leaves_calibrated_probabilities_about_what_they_are(self, name, n_classes, draw):
        predicted, class_indices = draw(20_000, np.eye(n_classes))
        calibrated = METHODS[name]().fit(predicted, class_indices).transform(predicted)
        # A logistic curve over p itself has no place for the identity.
        limit = 0.06 if name == "sigmoid" else 0.02
        assert np.abs(calibrated - predicted).mean() < limit

    def test_makes_the_brier_score_of_a_model_too_sure_of_itself_smaller(self, name, n_classes, draw):
        predicted, class_indices = draw(2000, 0.3 * np.eye(n_classes))
        fresh, truth = draw(2000, 0.3 * np.eye(n_classes), seed=1)
        calibrated = METHODS[name]().fit(predicted, class_indices).transform(fresh)
        classes = np.arange(n_classes)
        assert brier(truth, calibrated, classes) < 0.95 * brier(truth, fresh, classes)

    def test_does_not_depend_on_the_order_of_samples(self, name, n_classes, draw):
        predicted, class_indices = draw(300, 0.5 * np.eye(n_classes))
        forwards = METHODS[name]().fit(predicted, class_indices).transform(predicted)
        backwards = METHODS[name]().fit(predicted[::-1], class_indices[::-1]).transform(predicted)
        np.testing.assert_allclose(forwards, backwards, atol=1e-6)

    def test_does_not_depend_on_the_order_of_classes(self, name, n_classes, draw):
        predicted, class_indices = draw(300, 0.5 * np.eye(n_classes), np.arange(n_classes))
        forwards = METHODS[name]().fit(predicted, class_indices).transform(predicted)
        backwards = METHODS[name]().fit(predicted[:, ::-1], n_classes - 1 - class_indices).transform(predicted[:, ::-1])
        np.testing.assert_allclose(forwards, backwards[:, ::-1], atol=1e-5)

    def test_learns_from_rules_that_are_certain(self, name, n_classes):
        """Rules of RC+ state exactly 0 and 1, of which logarithms are infinite."""
        class_indices = np.arange(90) % n_classes
        predicted = np.eye(n_classes)[np.where(np.arange(90) < 80, class_indices, (class_indices + 1) % n_classes)]
        calibrated = METHODS[name]().fit(predicted, class_indices).transform(predicted)
        np.testing.assert_allclose(calibrated.max(axis=1), 80 / 90, atol=0.05)

    def test_stays_finite_where_every_sample_is_right(self, name, n_classes):
        class_indices = np.arange(90) % n_classes
        predicted = 0.4 * np.eye(n_classes)[class_indices] + 0.6 / n_classes
        calibrated = METHODS[name]().fit(predicted, class_indices).transform(np.vstack([predicted, np.eye(n_classes)]))
        assert np.isfinite(calibrated).all()
        assert calibrated[0].argmax() == 0

    def test_copies_and_pickles(self, name, n_classes, draw):
        predicted, class_indices = draw(100, np.eye(n_classes))
        fitted = METHODS[name]().fit(predicted, class_indices)
        again = pickle.loads(pickle.dumps(fitted))
        assert np.array_equal(fitted.transform(predicted), again.transform(predicted))
        assert not hasattr(clone(fitted), "n_classes_")

    def test_leaves_its_input_alone(self, name, n_classes, draw):
        predicted, class_indices = draw(100, np.eye(n_classes))
        before = predicted.copy()
        METHODS[name]().fit(predicted, class_indices).transform(predicted)
        assert np.array_equal(before, predicted)

    def test_takes_single_precision(self, name, n_classes, draw):
        predicted, class_indices = draw(100, np.eye(n_classes))
        calibrated = (
            METHODS[name]().fit(predicted.astype(np.float32), class_indices).transform(predicted.astype(np.float32))
        )
        assert calibrated.dtype == np.float64


class TestWrongInput:
    @pytest.mark.parametrize(
        ("predicted", "class_indices", "message"),
        [
            ([0.5, 0.5], [0, 1], r"one row per sample and one column per class, got shape \(2,\)"),
            ([[1.0], [1.0]], [0, 0], r"got shape \(2, 1\)"),
            ([[2.0, -1.0], [0.5, 0.5]], [0, 1], "each row must be non-negative and sum to 1"),
            ([[3.0, 1.0], [0.5, 0.5]], [0, 1], "Convert scores and logits to probabilities first"),
            ([[np.nan, 0.5], [0.5, 0.5]], [0, 1], "Expected probabilities"),
            ([[0.5, 0.5], [0.5, 0.5]], [0], r"2 integers, got an array of shape \(1,\)"),
            ([[0.5, 0.5], [0.5, 0.5]], ["a", "b"], "the class index of each sample"),
            ([[0.5, 0.5], [0.5, 0.5]], [0, 2], "must lie between 0 and 1"),
            ([[0.5, 0.5], [0.5, 0.5]], [0, 0], "needs at least 1 sample of each class, but 1 has 0"),
        ],
    )
    def test_is_rejected_in_fit(self, name, predicted, class_indices, message):
        with pytest.raises(CalibrationDataError, match=message):
            METHODS[name]().fit(np.array(predicted), np.array(class_indices))

    def test_with_other_classes_is_rejected_in_transform(self, name, draw):
        fitted = METHODS[name]().fit(*draw(100, np.eye(3)))
        with pytest.raises(CalibrationDataError, match="was fitted on 3 classes, got probabilities of 2"):
            fitted.transform(np.array([[0.5, 0.5]]))

    def test_before_fit_is_rejected(self, name):
        with pytest.raises(NotFittedError):
            METHODS[name]().transform(np.array([[0.5, 0.5]]))

    def test_parameters_out_of_range_are_rejected(self, name, draw):
        for parameter, value in [("clip", 0.0), ("clip", 0.5), ("l2", -1.0)]:
            if parameter in METHODS[name]().get_params():
                with pytest.raises(InvalidParameterError, match=f"{parameter} must be a number"):
                    METHODS[name](**{parameter: value}).fit(*draw(100, np.eye(2)))


class TestNames:
    def test_make_maps(self, name):
        assert type(make_component("calibration", name)) is METHODS[name]

    def test_misspelt_name_the_nearest_and_the_known(self, name):
        with pytest.raises(UnknownComponentError, match=f"Did you mean '{name}'.*Known: beta, dirichlet, isotonic"):
            make_component("calibration", f"{name}s")

    def test_instances_are_copied(self, name):
        own = METHODS[name]()
        assert make_component("calibration", own) is not own

    def test_anything_else_is_rejected(self, name):
        with pytest.raises(ComponentTypeError, match="name of a calibration map or an instance of CalibrationMap, got"):
            make_component("calibration", METHODS[name])

    def test_are_of_maps(self, name):
        assert issubclass(METHODS[name], CalibrationMap)
        assert Temperature in METHODS.values()
