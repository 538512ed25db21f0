"""Models of XGBoost that cannot be read, and what the errors say."""

import re

import numpy as np
import pytest
from adapters.xgboost_models import SMALL, read, samples, xgboost

from rulekit.core.errors import InvalidParameterError, UnfittedEnsembleError, UnsupportedEnsembleError

TWO_CLASSES = samples()
THREE_CLASSES = samples(n_classes=3)


def fitted(data=TWO_CLASSES, **parameters):
    return xgboost.XGBClassifier(**{**SMALL, **parameters}).fit(*data)


def exactly(text):
    return f"^{re.escape(text)}$"


@pytest.mark.parametrize("objective", ["reg:squarederror", "binary:hinge", "count:poisson"])
def test_other_objectives_are_refused(objective):
    X, y = TWO_CLASSES
    booster = xgboost.train({"objective": objective, "nthread": 1}, xgboost.DMatrix(X, y), 2)
    expected = (
        f"The Booster was trained with objective='{objective}', which is not read as class probabilities. "
        "Supported are 'binary:logistic', 'binary:logitraw', 'multi:softprob', 'multi:softmax'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(booster)


def test_a_classifier_with_another_objective_is_refused_too():
    with pytest.raises(UnsupportedEnsembleError, match="The XGBClassifier was trained with objective='binary:hinge'"):
        read(fitted(objective="binary:hinge"))


def test_a_linear_model_is_refused():
    # Without the parameters of trees, of which a linear model warns.
    model = xgboost.XGBClassifier(booster="gblinear", n_estimators=2, n_jobs=1).fit(*TWO_CLASSES)
    expected = (
        "The XGBClassifier was trained with booster='gblinear', a linear model that has no trees. "
        "Train it with booster='gbtree' or booster='dart'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(model)


def test_trees_that_score_all_classes_at_once_are_refused():
    model = fitted(THREE_CLASSES, multi_strategy="multi_output_tree", tree_method="hist")
    expected = (
        "The XGBClassifier was trained with multi_strategy='multi_output_tree': its leaves score all classes at once, "
        "but a rule's score belongs to one class. Train it with multi_strategy='one_output_per_tree'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(model)


def test_several_targets_are_refused():
    X, y = TWO_CLASSES
    expected = (
        "The XGBClassifier predicts 3 targets at once. Fit one ensemble for each target and extract rules from each."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(fitted((X, np.column_stack([y, 1 - y, y]))))


@pytest.mark.parametrize("missing", [0, -999.0])
def test_a_number_that_stands_for_a_missing_value_is_refused(missing):
    expected = (
        f"The XGBClassifier takes missing={missing!r} for a missing value, rules know NaN only. "
        "Put NaN into the data instead and fit with missing=nan."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(fitted(missing=missing))


def test_more_classes_than_labels_are_refused():
    model = fitted(objective="multi:softprob", num_class=3)
    expected = (
        "The XGBClassifier scores 3 classes but was trained on the labels [0, 1]. "
        "Train it on samples of every class, and leave num_class to XGBoost."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(model)


def test_a_single_class_is_refused():
    X, y = TWO_CLASSES
    model = fitted((X, np.zeros_like(y)), base_score=0.5)
    with pytest.raises(
        UnsupportedEnsembleError, match=re.escape("scores 2 classes but was trained on the labels [0].")
    ):
        read(model)


def test_a_changing_learning_rate_is_refused():
    scheduler = xgboost.callback.LearningRateScheduler([0.5, 0.1, 0.01])
    expected = (
        "The XGBClassifier was trained with a LearningRateScheduler and does not know the learning rate of each "
        "round, so that scores before it cannot be told. Read it with scores='shrunken'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(fitted(callbacks=[scheduler]))


def test_a_changing_learning_rate_does_not_matter_to_shrunken_scores():
    scheduler = xgboost.callback.LearningRateScheduler([0.5, 0.1, 0.01])
    assert len(read(fitted(callbacks=[scheduler]), "shrunken").rounds) == 3


def test_other_callbacks_do_not_matter(tmp_path):
    checkpoint = xgboost.callback.TrainingCheckPoint(tmp_path, interval=100)
    assert len(read(fitted(callbacks=[checkpoint])).rounds) == 3


def test_a_learning_rate_of_zero_is_refused():
    expected = (
        "The XGBClassifier has a learning rate of 0, so that scores before it cannot be told. "
        "Read it with scores='shrunken'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(fitted(learning_rate=0))


@pytest.mark.parametrize("kind", ["XGBClassifier", "XGBRFClassifier", "Booster"])
def test_an_unfitted_model_is_refused(kind):
    expected = f"The {kind} is not fitted: XGBoost has nothing to read from it. Fit it, or load a model."
    with pytest.raises(UnfittedEnsembleError, match=exactly(expected)):
        read(getattr(xgboost, kind)())


def test_a_model_without_trees_is_refused():
    expected = "The XGBClassifier has no trees. Train it for at least one round."
    with pytest.raises(UnfittedEnsembleError, match=exactly(expected)):
        read(fitted(n_estimators=0))


def test_unknown_scores_are_refused():
    expected = "XGBoostAdapter: scores must be one of 'raw', 'shrunken', got 'cooked'."
    with pytest.raises(InvalidParameterError, match=exactly(expected)):
        read(fitted(), "cooked")
