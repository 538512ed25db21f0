"""The tree grown on labels and honest predictions: as scikit-learn grows it, stated as `answered` states."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import rulekit
from rulekit.core.errors import InvalidParameterError, UnsupportedEnsembleError
from rulekit.core.honest import HonestSamples, honest_ensemble

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:200, :8], Y[:200]
ENSEMBLES = [
    RandomForestClassifier(20, max_depth=3, random_state=0),
    GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0),
]


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=["forest", "boosting"])
def test_it_predicts_what_a_weighted_tree_of_scikit_learn_gives_by_hand(ensemble):
    options = {"max_leaves": 5, "honest_weight": 3.0, "n_virtual": 2, "random_state": 1}
    model = rulekit.build("distilled-tree", ensemble, **options).fit(X, Y)
    data = rulekit.build("distilled-tree", ensemble, **options).prepare(X, Y)
    honest = HonestSamples.of(data, honest_ensemble(data, "auto", 5), 2)
    rows, labels, weights = list(X), list(Y), [1 / 4] * len(X)
    for sample, probabilities in zip(honest.X, honest.probabilities, strict=True):
        for label, probability in enumerate(probabilities):
            if not np.isnan(probability):
                rows.append(sample)
                labels.append(label)
                weights.append(3 / 4 * probability / 3)
    tree = DecisionTreeClassifier(max_leaf_nodes=5, random_state=data.seed).fit(rows, labels, weights)
    leaf_of, leaf_of_honest = tree.apply(X), tree.apply(honest.X)
    expected = np.zeros((len(X), 2))
    for leaf in set(leaf_of.tolist()):
        n = np.bincount(Y[leaf_of == leaf], minlength=2)
        mean = np.nanmean(honest.probabilities[leaf_of_honest == leaf], axis=0)
        drawn = (n + 80 * mean + 0.5) / (n.sum() + 80 + 1)
        expected[leaf_of == leaf] = drawn if drawn.argmax() == n.argmax() else (n + 1) / (n.sum() + 2)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9)
    assert len(model.ruleset_) == tree.get_n_leaves()
    assert model.final_report_ == {"honest": honest.source, "temperature": honest.temperature}


def test_categories_and_missing_values_become_conditions():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": X[:, 0], "colour": pd.Categorical(rng.choice(["red", "green", "blue"], 200))})
    y = np.where(table["colour"] == "red", 1, Y)
    table.loc[::9, "size"] = np.nan
    model = rulekit.build("distilled-tree", "hist-gbm", ensemble__max_iter=5, max_leaves=4, random_state=0)
    model.fit(table, y)
    text = " ".join(rule.antecedent for rule in model.ruleset_)
    assert "colour in {red}" in text or "colour not in {blue, green}" in text
    assert "missing" in text
    assert model.score(table, y) > 0.85


def test_an_ensemble_without_honest_predictions_is_an_error():
    booster = rulekit.build("rcprob", "lightgbm", ensemble__n_estimators=3).fit(X, Y).ensemble_.booster_
    with pytest.raises(UnsupportedEnsembleError, match=r"the ensemble cannot be fitted again.*method 'tree'"):
        rulekit.build("distilled-tree", booster).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_leaves", 1), ("n_virtual", None), ("n_folds", 1), ("honest", "none"), ("honest_weight", -1.0)],
)
def test_bad_parameters_are_rejected(name, value):
    with pytest.raises(InvalidParameterError, match=name):
        rulekit.build("distilled-tree", ENSEMBLES[0], **{name: value}).fit(X, Y)
