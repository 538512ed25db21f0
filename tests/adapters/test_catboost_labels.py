"""Labels whose order as strings differs from their order as numbers: CatBoost keeps the latter."""

import numpy as np
import pytest
from catboost import CatBoostClassifier
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_score

import rulekit
from rulekit.evaluation import evaluate


@pytest.fixture(scope="module", params=[2, 3])
def case(request):
    n_classes = request.param
    X, y = make_classification(
        200, 4, n_informative=4, n_redundant=0, n_classes=n_classes, n_clusters_per_class=1, random_state=0
    )
    y = np.array(["9", "10", "100"])[y]
    model = CatBoostClassifier(n_estimators=8, max_depth=3, verbose=False, allow_writing_files=False).fit(X, y)
    assert model.classes_.tolist() != np.unique(y).tolist()
    return X, y, model, rulekit.build("rcprob", model).fit(X, y)


def test_classes_are_sorted_as_scikit_learn_sorts_them(case):
    _, y, _, rules = case
    assert rules.classes_.tolist() == rules.ruleset_.classes.tolist() == np.unique(y).tolist()


def test_the_forest_predicts_what_the_library_predicts_class_by_class(case):
    X, y, model, rules = case
    data = rules.prepare(X, y)
    columns = [model.classes_.tolist().index(label) for label in data.forest.classes.tolist()]
    np.testing.assert_allclose(data.ensemble_probabilities, model.predict_proba(X)[:, columns], rtol=1e-6, atol=1e-9)


def test_scikit_learns_log_loss_is_that_of_rulekit(case):
    """It was 5.674 instead of 0.0043: scikit-learn takes columns to be in sorted order."""
    X, y, _, rules = case
    probabilities = np.clip(rules.predict_proba(X), 1e-12, 1)
    expected = evaluate(rules, X, y, measures=["log_loss"])["log_loss"]
    np.testing.assert_allclose(
        log_loss(y, probabilities / probabilities.sum(axis=1, keepdims=True)), expected, rtol=1e-6
    )
    ranked = probabilities[:, 1] if len(rules.classes_) == 2 else rules.predict_proba(X)
    assert roc_auc_score(y, ranked, multi_class="ovr") > 0.9


def test_cross_validation_scores_the_right_columns(case):
    X, y, model, _ = case
    scores = cross_val_score(rulekit.build("rcprob", FrozenEstimator(model)), X, y, scoring="neg_log_loss", cv=2)
    assert scores.min() > -1


def test_explanations_show_the_ensembles_probabilities_in_the_order_of_the_rules(case):
    X, _, model, rules = case
    explanations = rules.explain(X)
    columns = [model.classes_.tolist().index(label) for label in rules.classes_.tolist()]
    np.testing.assert_allclose(explanations.ensemble, model.predict_proba(X)[:, columns])
