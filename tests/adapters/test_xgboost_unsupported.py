"""XGBoost models that are not supported, and the error for each."""

import re

import numpy as np
import pytest
from adapters.xgboost_models import SMALL, read, samples, xgboost

from rulekit.core.errors import InvalidParameterError, UnfittedEnsembleError, UnsupportedEnsembleError

TWO_CLASSES = samples()
THREE_CLASSES = samples(n_classes=3)


def fitted(data=TWO_CLASSES, **parameters):
    return xgboost.XGBClassifier(**{**SMALL, **parameters}).fit(*data)


def exactly(message):
    return f"^{re.escape(message)}$"


@pytest.mark.parametrize("objective", ["reg:squarederror", "binary:hinge", "count:poisson"])
def test_other_objectives_are_rejected(objective):
    X, y = TWO_CLASSES
    booster = xgboost.train({"objective": objective, "nthread": 1}, xgboost.DMatrix(X, y), 2)
    expected = (
        f"The Booster was trained with objective='{objective}', which does not give class probabilities. "
        "Train it with one of the supported objectives: 'binary:logistic', 'binary:logitraw', 'multi:softprob', "
        "'multi:softmax'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(booster)


def test_a_classifier_with_another_objective_is_rejected_too():
    with pytest.raises(UnsupportedEnsembleError, match="The XGBClassifier was trained with objective='binary:hinge'"):
        read(fitted(objective="binary:hinge"))


def test_a_linear_model_is_rejected():
    # Without the parameters of trees: a linear model warns about them.
    model = xgboost.XGBClassifier(booster="gblinear", n_estimators=2, n_jobs=1).fit(*TWO_CLASSES)
    expected = (
        "The XGBClassifier was trained with booster='gblinear', a linear model that has no trees. "
        "Train it with booster='gbtree' or booster='dart'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(model)


def test_trees_that_score_all_classes_at_once_are_rejected():
    model = fitted(THREE_CLASSES, multi_strategy="multi_output_tree", tree_method="hist")
    expected = (
        "The XGBClassifier was trained with multi_strategy='multi_output_tree': its leaves have scores for all "
        "classes, but a rule's score belongs to one class. Train it with multi_strategy='one_output_per_tree'."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(model)


def test_several_targets_are_rejected():
    X, y = TWO_CLASSES
    expected = (
        "The XGBClassifier predicts 3 targets at once. Fit one ensemble for each target and extract rules from each."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(fitted((X, np.column_stack([y, 1 - y, y]))))


@pytest.mark.parametrize("missing", [0, -999.0])
def test_a_number_that_stands_for_a_missing_value_is_rejected(missing):
    expected = (
        f"The XGBClassifier has missing={missing!r}, but the rules would treat nan as a missing value. "
        f"Use XGBoostAdapter(missing={missing!r}), or NaN in the data and fit with missing=nan."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(fitted(missing=missing))


def test_more_classes_than_labels_are_rejected():
    model = fitted(objective="multi:softprob", num_class=3)
    expected = (
        "The XGBClassifier scores 3 classes but was trained on the labels [0, 1]. "
        "Train it on samples of every class, and do not set num_class."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(model)


def test_a_single_class_is_rejected():
    X, y = TWO_CLASSES
    model = fitted((X, np.zeros_like(y)), base_score=0.5)
    with pytest.raises(
        UnsupportedEnsembleError, match=re.escape("scores 2 classes but was trained on the labels [0].")
    ):
        read(model)


def test_a_changing_learning_rate_is_rejected():
    scheduler = xgboost.callback.LearningRateScheduler([0.5, 0.1, 0.01])
    expected = (
        "The XGBClassifier was trained with a LearningRateScheduler and does not store the learning rate of each "
        "round, so the unshrunken leaf scores cannot be recovered. Use XGBoostAdapter(scores='shrunken')."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(fitted(callbacks=[scheduler]))


def test_a_changing_learning_rate_does_not_matter_to_shrunken_scores():
    scheduler = xgboost.callback.LearningRateScheduler([0.5, 0.1, 0.01])
    assert len(read(fitted(callbacks=[scheduler]), "shrunken").rounds) == 3


def test_other_callbacks_do_not_matter(tmp_path):
    checkpoint = xgboost.callback.TrainingCheckPoint(tmp_path, interval=100)
    assert len(read(fitted(callbacks=[checkpoint])).rounds) == 3


def test_a_learning_rate_of_zero_is_rejected():
    expected = (
        "The XGBClassifier has a learning rate of 0, so the unshrunken leaf scores cannot be recovered. "
        "Use XGBoostAdapter(scores='shrunken')."
    )
    with pytest.raises(UnsupportedEnsembleError, match=exactly(expected)):
        read(fitted(learning_rate=0))


@pytest.mark.parametrize("kind", ["XGBClassifier", "XGBRFClassifier", "Booster"])
def test_an_unfitted_model_is_rejected(kind):
    expected = f"The {kind} is not fitted. Fit it, or load a model into it, before extracting rules."
    with pytest.raises(UnfittedEnsembleError, match=exactly(expected)):
        read(getattr(xgboost, kind)())


def test_a_model_without_trees_is_rejected():
    expected = "The XGBClassifier has no trees. Train it for at least one round."
    with pytest.raises(UnfittedEnsembleError, match=exactly(expected)):
        read(fitted(n_estimators=0))


def test_unknown_scores_are_rejected():
    expected = "XGBoostAdapter: scores must be one of 'raw', 'shrunken', got 'cooked'."
    with pytest.raises(InvalidParameterError, match=exactly(expected)):
        read(fitted(), "cooked")
