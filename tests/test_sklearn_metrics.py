"""scikit-learn's own metrics as a witness: they take classes in the order of `np.unique`, whatever the labels are."""

from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

import rulekit
from rulekit.calibration import CalibratedRules
from rulekit.evaluation import evaluate
from rulekit.model import named_ensemble

X, CLASSES = load_iris(return_X_y=True)
#: Every third sample, with labels that are partly wrong, so that no probability is certain and no measure perfect.
X, CLASSES = X[::3], CLASSES[::3].copy()
CLASSES[::7] = (CLASSES[::7] + 1) % 3

#: Three labels of each type, in no order.
LABELS: dict[str, Any] = {
    "integers": np.array([7, 3, 10]),
    "negative integers": np.array([5, -1, -20]),
    "floats": np.array([2.0, -1.0, 10.0]),
    "booleans": np.array([True, False, True]),
    "strings": np.array(["red", "Blue", "green"]),
    "strings of numbers": np.array(["9", "10", "1"]),
    "objects": np.array(["b", "c", "a"], dtype=object),
    "NumPy's strings in objects": np.array([np.str_("b"), "c", np.str_("a")], dtype=object),
    "integers in objects": np.array([7, 3, 10], dtype=object),
}
ENSEMBLES = [component.name for component in rulekit.list_components("ensemble")]
METHODS = [component.name for component in rulekit.list_components("method")]
SIZES = {
    "hist-gbm": {"max_iter": 3},
    "tree": {},
    # Threads cost more than they save here.
    "xgboost": {"n_estimators": 3, "n_jobs": 1},
    "lightgbm": {"n_estimators": 3, "n_jobs": 1},
    "catboost": {"n_estimators": 3, "thread_count": 1},
    "bagging": {"n_estimators": 3},
    "adaboost": {"n_estimators": 3},
}


def ensemble(name: str) -> Any:
    return named_ensemble(name, 0).set_params(**SIZES.get(name, {"n_estimators": 3, "max_depth": 2}))


def labelled(kind: str, n_classes: int) -> Any:
    return LABELS[kind][CLASSES if n_classes == 3 else CLASSES % 2]


def by_sklearn(classes: Any, y: Any, predicted: Any, probabilities: Any) -> dict[str, float]:
    """What scikit-learn measures, told the classes."""
    is_binary = len(classes) == 2
    # Of two classes the rarer one is positive; it makes no difference for the area under the ROC curve.
    positive = 0 if (y == classes[0]).sum() < (y == classes[1]).sum() else 1
    scores = probabilities[:, positive] if is_binary else probabilities
    truth = y == classes[positive] if is_binary else y
    several = {} if is_binary else {"multi_class": "ovr", "labels": classes}
    hits = metrics.average_precision_score(truth, scores) if is_binary else _mean_precision(classes, y, probabilities)
    return {
        "accuracy": metrics.accuracy_score(y, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "macro_f1": metrics.f1_score(y, predicted, average="macro"),
        "brier": metrics.brier_score_loss(y, probabilities, labels=classes, scale_by_half=False),
        "roc_auc": metrics.roc_auc_score(truth, scores, **several),
        "average_precision": hits,
    }


def _mean_precision(classes: Any, y: Any, probabilities: Any) -> float:
    found = [metrics.average_precision_score(y == label, probabilities[:, at]) for at, label in enumerate(classes)]
    return float(np.mean(found))


def agree(model: Any, y: Any) -> None:
    """Every measure of rulekit is that of scikit-learn, with and without the classes."""
    y = np.array(y.tolist()) if y.dtype == object else y  # scikit-learn rejects objects that are numbers
    classes, probabilities, predicted = model.classes_, model.predict_proba(X), model.predict(X)
    assert classes.tolist() == np.unique(y).tolist()
    assert set(predicted.tolist()) <= set(classes.tolist())
    predicted = predicted.astype(y.dtype)
    assert predicted.tolist() == np.unique(y)[probabilities.argmax(axis=1)].tolist()
    measured = evaluate(model, X, y)
    for name, expected in by_sklearn(np.unique(y), y, predicted, probabilities).items():
        assert measured[name] == pytest.approx(expected, abs=1e-12), name
    # rulekit raises probabilities of the true class to 1e-12, scikit-learn to 2e-16.
    raised = np.maximum(probabilities, 1e-12)
    raised /= raised.sum(axis=1, keepdims=True)
    for told in ({}, {"labels": np.unique(y)}):
        assert measured["log_loss"] == pytest.approx(metrics.log_loss(y, raised, **told), abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "n_classes"), [*((kind, 3) for kind in LABELS), ("strings of numbers", 2), ("integers", 2)]
)
@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.filterwarnings("ignore::rulekit.core.errors.FewRulesWarning")
def test_rules_of_every_ensemble(name, kind, n_classes):
    y = labelled(kind, n_classes)
    agree(rulekit.build("rcprob", ensemble(name)).fit(X, y), y)


@pytest.mark.parametrize("name", METHODS)
def test_every_method(name):
    y = labelled("strings of numbers", 3)
    agree(rulekit.build(name, ensemble("tree" if name in ("tree", "shrunk-tree") else "rf")).fit(X, y), y)


@pytest.mark.parametrize("kind", LABELS)
def test_calibrated_rules(kind):
    y = labelled(kind, 3)
    agree(CalibratedRules(rulekit.build("rcprob", ensemble("rf")), cv=3).fit(X, y), y)


@pytest.mark.parametrize("name", ["rf", "xgboost", "lightgbm", "catboost"])
@pytest.mark.filterwarnings("ignore::rulekit.core.errors.FewRulesWarning")
def test_cross_validation_by_log_loss_does_not_depend_on_the_labels(name):
    """With labels in another order, scikit-learn would take the probabilities of one class for those of another."""
    model = rulekit.build("rcprob", ensemble(name))
    scores = {
        kind: cross_val_score(model, X, np.sort(LABELS[kind])[CLASSES], cv=3, scoring="neg_log_loss").tolist()
        for kind in ("integers", "strings of numbers", "strings")
    }
    assert all(scores[kind] == pytest.approx(scores["integers"], abs=1e-9) for kind in scores)
