"""The classifier around a model: which samples its maps learn from, and what it rejects."""

import numpy as np
import pandas as pd
import pytest
from plugin.isolation import registry_put_back
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, PredefinedSplit, ShuffleSplit, StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import rulekit
from rulekit.builtins import COMPONENTS
from rulekit.calibration import (
    Beta,
    CalibratedRules,
    CalibrationDataError,
    CalibrationMap,
    Isotonic,
    SeenSamplesWarning,
    Sigmoid,
    Temperature,
)
from rulekit.core.errors import ComponentTypeError, InvalidParameterError, UnknownComponentError
from rulekit.core.interfaces import InferenceMode
from rulekit.evaluation import evaluate

METHODS = COMPONENTS["calibration"]
NAMES = np.array(["cat", "dog", "emu"])


def small_forest():
    return RandomForestClassifier(5, max_depth=3, random_state=0)


@pytest.fixture(scope="module", params=[2, 3])
def parts(request):
    """Training, calibration and test samples of two or three classes with names."""
    X, y = make_classification(
        600, 6, n_informative=4, n_classes=request.param, flip_y=0.2, class_sep=0.7, random_state=0
    )
    X = pd.DataFrame(X, columns=[f"x{column}" for column in range(6)])
    labels = pd.Series(NAMES[y])
    X_train, X_rest, y_train, y_rest = train_test_split(X, labels, test_size=0.5, stratify=labels, random_state=0)
    X_cal, X_test, y_cal, y_test = train_test_split(X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0)
    return X_train, y_train, X_cal, y_cal, X_test, y_test


@pytest.fixture(scope="module")
def model(parts):
    """Fitted rules; no test may change them."""
    return rulekit.build("rc+", small_forest()).fit(parts[0], parts[1])


def positions(model, y):
    return np.searchsorted(model.classes_, y)


class TestPrefit:
    @pytest.mark.parametrize("name", METHODS)
    def test_one_map_learns_from_all_calibration_samples(self, parts, model, name):
        _, _, X_cal, y_cal, X_test, _ = parts
        calibrated = CalibratedRules(model, name, prefit=True).fit(X_cal, y_cal)
        by_hand = METHODS[name]().fit(model.predict_proba(X_cal), positions(model, y_cal))
        assert len(calibrated.maps_) == 1
        np.testing.assert_array_equal(calibrated.predict_proba(X_test), by_hand.transform(model.predict_proba(X_test)))

    def test_the_model_stays_as_it_is(self, parts, model):
        rules = model.ruleset_
        calibrated = CalibratedRules(model, prefit=True).fit(*parts[2:4])
        assert calibrated.model_ is model
        assert model.ruleset_ is rules

    @pytest.mark.parametrize(("name", "map_"), [("sigmoid", Sigmoid()), ("isotonic", Isotonic())])
    def test_equals_scikit_learn(self, parts, model, name, map_):
        _, _, X_cal, y_cal, X_test, _ = parts
        theirs = CalibratedClassifierCV(FrozenEstimator(model), method=name, ensemble=False).fit(X_cal, y_cal)
        ours = CalibratedRules(model, map_, prefit=True).fit(X_cal, y_cal)
        np.testing.assert_allclose(ours.predict_proba(X_test), theirs.predict_proba(X_test), atol=1e-12)

    def test_a_frozen_model_needs_no_saying(self, parts, model):
        said = CalibratedRules(model, prefit=True).fit(*parts[2:4])
        frozen = CalibratedRules(FrozenEstimator(model)).fit(*parts[2:4])
        assert np.array_equal(said.predict_proba(parts[4]), frozen.predict_proba(parts[4]))

    def test_the_log_loss_of_certain_rules_falls(self, parts, model):
        calibrated = CalibratedRules(model, prefit=True).fit(*parts[2:4])
        assert evaluate(calibrated, *parts[4:])["log_loss"] < evaluate(model, *parts[4:])["log_loss"]

    def test_temperature_keeps_the_predicted_class(self, parts, model):
        for average in (False, True):
            calibrated = CalibratedRules(model, prefit=True, average=average).fit(*parts[2:4])
            assert np.array_equal(model.predict(parts[4]), calibrated.predict(parts[4]))

    def test_an_unfitted_model_is_rejected(self, parts):
        unfitted = CalibratedRules(rulekit.build("rc+", small_forest()), prefit=True)
        with pytest.raises(InvalidParameterError, match=r"this RuleExtractor is not.*pass it as FrozenEstimator"):
            unfitted.fit(*parts[2:4])

    def test_does_not_read_what_it_does_not_need(self, parts, model):
        """One sample of each class is too few for folds, but one map needs none."""
        X_cal, y_cal = parts[2:4]
        few = [np.flatnonzero(y_cal == label)[0] for label in model.classes_]
        fitted = CalibratedRules(model, prefit=True, cv=3).fit(X_cal.iloc[few], y_cal.iloc[few])
        assert len(fitted.maps_) == 1


class TestAverage:
    def test_one_map_for_each_fold_learns_from_the_others(self, parts, model):
        """The published protocol: three folds of the calibration part, three maps, the mean of what they state."""
        _, _, X_cal, y_cal, X_test, _ = parts
        calibrated = CalibratedRules(model, prefit=True, cv=3, average=True).fit(X_cal, y_cal)
        predicted, truth = model.predict_proba(X_cal), positions(model, y_cal)
        maps = [
            Temperature().fit(predicted[rows], truth[rows]) for rows, _ in StratifiedKFold(3).split(predicted, truth)
        ]
        expected = sum(each.transform(model.predict_proba(X_test)) for each in maps) / 3
        np.testing.assert_allclose(calibrated.predict_proba(X_test), expected, rtol=1e-12)
        assert [each.temperature_ for each in maps] == [each.temperature_ for each in calibrated.maps_]

    def test_a_seed_shuffles(self, parts, model):
        _, _, X_cal, y_cal, _, _ = parts
        seeded = [
            CalibratedRules(model, prefit=True, average=True, random_state=seed).fit(X_cal, y_cal).maps_[0].temperature_
            for seed in (0, 0, 1)
        ]
        assert seeded[0] == seeded[1] != seeded[2]

    def test_a_splitter_will_do(self, parts, model):
        splitter = ShuffleSplit(4, test_size=0.3, random_state=0)
        assert len(CalibratedRules(model, prefit=True, average=True, cv=splitter).fit(*parts[2:4]).maps_) == 4

    def test_too_few_samples_for_the_folds_are_rejected(self, parts, model):
        X_cal, y_cal = parts[2:4]
        rows = np.concatenate([np.flatnonzero(y_cal != "cat"), np.flatnonzero(y_cal == "cat")[:2]])
        few = CalibratedRules(model, prefit=True, average=True, cv=3)
        with pytest.raises(CalibrationDataError, match=r"cv=3 needs at least 3 samples of each class.* 'cat' has 2\."):
            few.fit(X_cal.iloc[rows], y_cal.iloc[rows])

    def test_a_splitter_that_takes_away_a_class_is_rejected(self, parts, model):
        X_cal, y_cal = parts[2:4]
        by_class = PredefinedSplit(positions(model, y_cal))
        bad = CalibratedRules(model, prefit=True, average=True, cv=by_class)
        with pytest.raises(CalibrationDataError, match="but 'cat' has 0"):
            bad.fit(X_cal, y_cal)


class TestFromScratch:
    def test_the_model_is_fitted_on_all_samples(self, parts):
        X, y = parts[:2]
        calibrated = CalibratedRules(rulekit.build("rc+", small_forest())).fit(X, y)
        assert calibrated.model_.ruleset_ == rulekit.build("rc+", small_forest()).fit(X, y).ruleset_

    def test_the_model_that_was_passed_stays_unfitted(self, parts):
        passed = rulekit.build("rc+", small_forest())
        CalibratedRules(passed).fit(*parts[:2])
        assert not hasattr(passed, "ruleset_")

    @pytest.mark.parametrize("name", ["sigmoid", "isotonic"])
    def test_equals_scikit_learn(self, parts, name):
        """CalibratedClassifierCV(ensemble=False), which takes scores before probabilities: rules have none."""
        X, y, X_test = parts[0], parts[1], parts[4]
        rules = rulekit.build("rcprob", small_forest())
        theirs = CalibratedClassifierCV(rules, method=name, cv=3, ensemble=False).fit(X, y)
        ours = CalibratedRules(rules, name, cv=3).fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(X_test), theirs.predict_proba(X_test), atol=1e-9)

    def test_maps_of_folds_can_be_averaged_here_too(self, parts):
        calibrated = CalibratedRules(rulekit.build("rc+", small_forest()), average=True).fit(*parts[:2])
        assert len(calibrated.maps_) == 3
        assert len({each.temperature_ for each in calibrated.maps_}) == 3

    def test_each_sample_can_be_left_out_alone(self, parts):
        X, y = parts[0].iloc[:40], parts[1].iloc[:40]
        calibrated = CalibratedRules(GaussianNB(), cv=LeaveOneOut()).fit(X, y)
        assert calibrated.maps_[0].temperature_ > 0

    def test_samples_left_out_twice_are_rejected(self, parts):
        twice = CalibratedRules(LogisticRegression(), cv=ShuffleSplit(3, random_state=0))
        with pytest.raises(InvalidParameterError, match="must leave out each sample exactly once"):
            twice.fit(*parts[:2])

    def test_samples_never_left_out_are_rejected(self, parts):
        some = PredefinedSplit(np.arange(len(parts[1])) % 3 - 1)
        with pytest.raises(InvalidParameterError, match="must leave out each sample exactly once"):
            CalibratedRules(GaussianNB(), cv=some).fit(*parts[:2])

    def test_a_splitter_that_takes_away_a_class_is_rejected(self, parts):
        by_class = PredefinedSplit((parts[1] == "cat").to_numpy().astype(int))
        with pytest.raises(CalibrationDataError, match=r"Without one of the folds, y has the classes \['cat'\]"):
            CalibratedRules(GaussianNB(), cv=by_class).fit(*parts[:2])

    def test_a_fitted_ensemble_inside_is_warned_of(self, parts):
        X, y = parts[:2]
        rules = rulekit.build("rc+", small_forest().fit(X, y))
        with pytest.warns(SeenSamplesWarning, match="come from trees that have seen the fold"):
            CalibratedRules(rules).fit(X, y)

    def test_a_fitted_ensemble_keeps_its_labels(self, parts):
        """`cross_val_predict` fits on positions of labels, which such an ensemble does not know."""
        X, y = parts[:2]
        with pytest.warns(SeenSamplesWarning):
            calibrated = CalibratedRules(rulekit.build("rc+", small_forest().fit(X, y))).fit(X, y)
        assert calibrated.classes_.tolist() == sorted(set(y))


class TestLabels:
    @pytest.mark.parametrize("labels", [[-1, 7, 9], ["b", "a", "c"], [2.0, 1.0, 5.0]])
    def test_of_any_type_come_back(self, parts, labels):
        y = parts[1].map(dict(zip(NAMES, labels, strict=True)))
        calibrated = CalibratedRules(GaussianNB()).fit(parts[0], y)
        assert calibrated.classes_.tolist() == sorted(set(y))
        assert set(calibrated.predict(parts[4])) == set(y)

    def test_may_be_truth_values(self, parts):
        calibrated = CalibratedRules(GaussianNB()).fit(parts[0], parts[1] == "cat")
        assert calibrated.predict(parts[4]).dtype == bool

    def test_that_the_model_does_not_know_are_rejected(self, parts, model):
        X_cal, y_cal = parts[2], parts[3].to_numpy().astype(object)
        y_cal[0] = "owl"
        with pytest.raises(CalibrationDataError, match=r"that the RuleExtractor does not know: \['owl'\]; it knows"):
            CalibratedRules(model, prefit=True).fit(X_cal, y_cal)

    def test_of_a_class_without_calibration_samples_are_rejected(self, parts, model):
        X_cal, y_cal = parts[2:4]
        rest = (y_cal != "dog").to_numpy()
        with pytest.raises(CalibrationDataError, match=r"needs at least 1 sample of each class.*but 'dog' has 0"):
            CalibratedRules(model, prefit=True).fit(X_cal[rest], y_cal[rest])

    def test_that_are_missing_are_rejected(self, parts, model):
        with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
            CalibratedRules(model, prefit=True).fit(parts[2], None)

    def test_of_other_length_are_rejected(self, parts, model):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            CalibratedRules(model, prefit=True).fit(parts[2], parts[3].iloc[1:])


class TestParameters:
    def test_an_unknown_map_is_rejected_with_the_nearest(self, parts, model):
        with pytest.raises(UnknownComponentError, match=r"No calibration map named 'temprature'. Did you mean 'temper"):
            CalibratedRules(model, "temprature", prefit=True).fit(*parts[2:4])

    def test_something_that_is_no_map_is_rejected(self, parts, model):
        with pytest.raises(ComponentTypeError, match="method must be the name of a calibration map"):
            CalibratedRules(model, Beta, prefit=True).fit(*parts[2:4])

    @pytest.mark.parametrize("cv", [1, 2.5, True, None, "three", KeyError])
    def test_folds_that_make_no_sense_are_rejected(self, parts, model, cv):
        with pytest.raises(
            InvalidParameterError, match="cv must be an integer of at least 2 or a scikit-learn splitter"
        ):
            CalibratedRules(model, prefit=True, cv=cv).fit(*parts[2:4])

    def test_scikit_learns_old_word_for_a_fitted_model_is_explained(self, parts, model):
        with pytest.raises(InvalidParameterError, match=r"got 'prefit'. For a model that is already fitted, pass pref"):
            CalibratedRules(model, cv="prefit").fit(*parts[2:4])

    def test_a_model_without_probabilities_is_rejected(self, parts):
        with pytest.raises(InvalidParameterError, match=r"a classifier with predict_proba, got LinearSVC\(\)"):
            CalibratedRules(LinearSVC()).fit(*parts[:2])

    def test_a_class_in_place_of_a_model_is_rejected(self, parts):
        with pytest.raises(InvalidParameterError, match="must be an instance, got the class LogisticRegression: call"):
            CalibratedRules(LogisticRegression).fit(*parts[:2])

    def test_predicting_before_fit_is_rejected(self, parts, model):
        with pytest.raises(NotFittedError):
            CalibratedRules(model, prefit=True).predict_proba(parts[4])

    def test_a_map_of_ones_own_will_do(self, parts, model):
        class Halfway(CalibrationMap):
            """Halfway to the shares of the classes."""

            def fit(self, probabilities, class_indices):
                self.fractions_ = np.bincount(class_indices) / len(class_indices)
                return self

            def transform(self, probabilities):
                return (probabilities + self.fractions_) / 2

        calibrated = CalibratedRules(model, Halfway(), prefit=True).fit(*parts[2:4])
        fractions = parts[3].value_counts(normalize=True).sort_index().to_numpy()
        np.testing.assert_allclose(
            calibrated.predict_proba(parts[4]), (model.predict_proba(parts[4]) + fractions) / 2, rtol=1e-12
        )


class Shrinking(CalibrationMap):
    """Halfway to the fractions of the classes."""

    def __init__(self, weight=0.5):
        self.weight = weight

    def fit(self, probabilities, class_indices):
        self.fractions_ = np.bincount(class_indices) / len(class_indices)
        return self

    def transform(self, probabilities):
        return (1 - self.weight) * probabilities + self.weight * self.fractions_


class TestARegisteredMap:
    @pytest.fixture(autouse=True)
    def registered(self):
        with registry_put_back():
            rulekit.register("calibration", "shrinking", Shrinking)
            yield

    def test_is_found_by_its_name(self, parts, model):
        calibrated = CalibratedRules(model, "shrinking", prefit=True).fit(*parts[2:4])
        fractions = parts[3].value_counts(normalize=True).sort_index().to_numpy()
        expected = (model.predict_proba(parts[4]) + fractions) / 2
        np.testing.assert_allclose(calibrated.predict_proba(parts[4]), expected, rtol=1e-12)

    def test_is_offered_for_a_misspelt_name(self, parts, model):
        with pytest.raises(UnknownComponentError, match=r"map named 'shrinkin'\. Did you mean 'shrinking'"):
            CalibratedRules(model, "shrinkin", prefit=True).fit(*parts[2:4])


class FirstOfMine(InferenceMode):
    """The first rule that matches answers, as the mode declares."""

    combination = "first"

    def infer(self, matches, ruleset):
        padded = np.vstack([matches, np.ones(matches.shape[1], dtype=bool)])
        return ruleset.probabilities[padded.argmax(axis=0)]


class TestRules:
    def test_of_another_mode_that_declares_the_first_match_are_calibrated(self, parts):
        mine = rulekit.build("rc+", small_forest(), inference=FirstOfMine()).fit(*parts[:2])
        calibrated = CalibratedRules(mine, prefit=True).fit(*parts[2:4])
        np.testing.assert_allclose(
            calibrated.ruleset_.predict_proba(parts[4]), calibrated.predict_proba(parts[4]), rtol=1e-9, atol=1e-12
        )

    def test_are_those_of_the_model(self, parts, model):
        calibrated = CalibratedRules(model, "dirichlet", prefit=True).fit(*parts[2:4])
        assert calibrated.ruleset_.antecedents == model.ruleset_.antecedents
        assert np.array_equal(calibrated.ruleset_.uncalibrated, model.ruleset_.probabilities)

    @pytest.mark.parametrize("name", METHODS)
    @pytest.mark.parametrize("average", [False, True])
    def test_state_what_the_model_predicts(self, parts, model, name, average):
        calibrated = CalibratedRules(model, name, prefit=True, average=average).fit(*parts[2:4])
        np.testing.assert_allclose(
            calibrated.ruleset_.predict_proba(parts[4]), calibrated.predict_proba(parts[4]), rtol=1e-9, atol=1e-12
        )

    def test_that_answer_together_have_no_calibrated_probability_each(self, parts):
        together = rulekit.build("rc+", small_forest(), inference="aggregate").fit(*parts[:2])
        calibrated = CalibratedRules(together, prefit=True).fit(*parts[2:4])
        by_hand = calibrated.maps_[0].transform(together.predict_proba(parts[4]))
        assert np.array_equal(calibrated.predict_proba(parts[4]), by_hand)
        with pytest.raises(AttributeError, match=r"With Aggregate inference several rules answer together"):
            _ = calibrated.ruleset_

    def test_of_a_model_without_any_are_not_there(self, parts):
        calibrated = CalibratedRules(LogisticRegression()).fit(*parts[:2])
        with pytest.raises(AttributeError, match="A LogisticRegression has no rules"):
            _ = calibrated.ruleset_
        with pytest.raises(AttributeError, match="A LogisticRegression has no method explain"):
            calibrated.explain(parts[4].iloc[0])

    def test_before_fit_are_not_there(self, model):
        assert not hasattr(CalibratedRules(model, prefit=True), "ruleset_")

    def test_at_the_end_of_a_pipeline_are_found(self, parts):
        pipeline = make_pipeline(StandardScaler(), rulekit.build("rc+", small_forest()))
        calibrated = CalibratedRules(pipeline).fit(*parts[:2])
        assert len(calibrated.ruleset_) == len(calibrated.model_[-1].ruleset_)

    def test_of_a_pipeline_inside_the_extractor_are_found(self, parts):
        inside = rulekit.build("rc+", make_pipeline(StandardScaler(), small_forest()))
        calibrated = CalibratedRules(inside).fit(*parts[:2])
        explanation = calibrated.explain(parts[4].iloc[[0]])
        np.testing.assert_allclose(explanation.probabilities, calibrated.predict_proba(parts[4].iloc[[0]])[0])


class TestExplanation:
    def test_answers_with_the_calibrated_probability(self, parts, model):
        calibrated = CalibratedRules(model, prefit=True).fit(*parts[2:4])
        sample = parts[4].iloc[[0]]
        explanation = calibrated.explain(sample.iloc[0])
        np.testing.assert_allclose(explanation.probabilities, calibrated.predict_proba(sample)[0])
        assert explanation.label == calibrated.predict(sample)[0]

    def test_tells_the_rule_as_it_states_itself(self, parts, model):
        calibrated = CalibratedRules(model, prefit=True).fit(*parts[2:4])
        sample = parts[4].iloc[0]
        assert calibrated.explain(sample).rule == model.explain(sample).rule


def test_evaluate_measures_calibrated_rules(parts, model):
    calibrated = CalibratedRules(model, prefit=True).fit(*parts[2:4])
    measured = evaluate(calibrated, *parts[4:], ensemble=model.ensemble_)
    assert measured["n_rules"] == len(model.ruleset_)
    assert measured["fidelity"] == evaluate(model, *parts[4:])["fidelity"]
