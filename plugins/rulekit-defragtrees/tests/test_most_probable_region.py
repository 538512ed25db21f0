"""The inference mode: against a product over all splits, and by what every inference mode promises."""

import json
from math import log

import attrs
import numpy as np
import pandas as pd
import pytest
from rulekit_defragtrees import MostProbableRegion
from rulekit_defragtrees.splits import splits_of
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.plugin import InvalidParameterError
from rulekit.testing import parametrize_with_checks


@parametrize_with_checks([MostProbableRegion()])
def test_it_keeps_what_inference_modes_promise(component, check):
    check(component)


def mixed_table(n_samples=300, seed=0):
    """Numbers, some of them missing, and a categorical column."""
    rng = np.random.default_rng(seed)
    size, weight = rng.normal(size=(2, n_samples))
    colour = rng.choice(["blue", "green", "red", "white"], n_samples)
    y = (size > 0) ^ np.isin(colour, ["red", "white"]) ^ (rng.random(n_samples) < 0.05)
    X = pd.DataFrame({"size": np.where(rng.random(n_samples) < 0.2, np.nan, size), "weight": weight})
    return X.assign(colour=pd.Categorical(colour, categories=["blue", "green", "red", "white"])), y


ENSEMBLES = {
    "numbers": RandomForestClassifier(20, max_depth=4, random_state=0),
    "missing values and categories": HistGradientBoostingClassifier(
        max_iter=10, categorical_features="from_dtype", random_state=0
    ),
}


def data_for(name):
    return load_breast_cancer(return_X_y=True, as_frame=True) if name == "numbers" else mixed_table()


@pytest.mark.parametrize("name", ENSEMBLES)
def test_scores_are_products_over_all_splits(name):
    X, y = data_for(name)
    data = rulekit.build("defragtrees", ENSEMBLES[name]).prepare(X, y)
    conditions = data.conditions
    splits = splits_of(conditions)
    rng = np.random.default_rng(0)
    weights, rates = rng.dirichlet(np.ones(3)), rng.random((len(splits), 3))
    # Thresholds themselves are values too, and so are categories that no training sample has.
    samples = data.X[:40].copy()
    thresholds = conditions.thresholds[splits.right]
    for row, feature in enumerate(rng.permutation(splits.features)[:30]):
        choices = [7.0, -1.0, 0.5] if conditions.is_set[splits.right[splits.features == feature][0]] else []
        choices = choices or thresholds[splits.features == feature].tolist()
        samples[row, feature] = rng.choice(choices)
    mode = MostProbableRegion.of(np.log(weights), rates, splits, conditions)
    columns, missing = samples.T, np.isnan(samples.T)
    expected = np.empty((len(samples), 3))
    for n in range(len(samples)):
        for k in range(3):
            expected[n, k] = log(weights[k])
            for right, rate in zip(splits.right, rates[:, k], strict=True):
                is_right = conditions.hold(right, columns[:, n : n + 1], missing[:, n : n + 1])[0]
                expected[n, k] += log(rate if is_right else 1 - rate)
    np.testing.assert_allclose(mode.scores(samples), expected, rtol=1e-9)


def two_features(weights, steps, n_rules=2):
    """Rules `x0 > 0`, `x1 > 0`, … that state another class each, with the default rule."""
    data = rulekit.build("defragtrees", RandomForestClassifier(5, max_depth=2, random_state=0)).prepare(
        *load_breast_cancer(return_X_y=True)
    )
    nothing = np.empty((0, 0), dtype=np.int64)
    empty = rulekit.RuleSet.from_rules(data, nothing, np.full((1, 2), 0.5), MostProbableRegion())
    conditions = attrs.evolve(
        empty.conditions,
        features=np.arange(n_rules),
        is_upper=np.zeros(n_rules, dtype=bool),
        thresholds=np.zeros(n_rules),
        holds_missing=np.zeros(n_rules, dtype=bool),
        feature_names=("x0", "x1"),
    )
    return rulekit.RuleSet(
        conditions=conditions,
        antecedents=(*((rule,) for rule in range(n_rules)), ()),
        probabilities=np.eye(n_rules + 1),
        counts=np.ones((n_rules + 1, n_rules + 1), dtype=np.int64),
        classes=np.arange(n_rules + 1),
        n_samples=9,
        inference=MostProbableRegion(weights, steps),
    )


STEPS = [{"feature": 0, "cutoffs": [1.0], "scores": [[0.0, 0.0], [5.0, 0.0], [0.0, 0.0]]}]


class TestByHand:
    def test_of_matching_rules_the_most_probable_answers(self):
        ruleset = two_features([-2.0, -1.0], STEPS)
        assert ruleset.predict([[0.5, 1.0], [2.0, 1.0]]).tolist() == [1, 0]

    def test_a_rule_that_does_not_match_never_answers(self):
        ruleset = two_features([-2.0, -1.0], STEPS)
        assert ruleset.predict([[2.0, -1.0], [-1.0, 1.0], [0.5, -1.0]]).tolist() == [0, 1, 0]

    def test_where_none_matches_the_default_rule_answers(self):
        assert two_features([-2.0, -1.0], STEPS).predict([[-1.0, -1.0]]).tolist() == [2]

    def test_a_default_rule_that_is_a_region_takes_part_everywhere(self):
        ruleset = two_features([-2.0, -3.0, -1.0], None)
        assert ruleset.predict([[1.0, -1.0], [1.0, 1.0], [-1.0, -1.0]]).tolist() == [2, 2, 2]
        ruleset = two_features([-2.0, -0.5, -1.0], None)
        assert ruleset.predict([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]).tolist() == [2, 1, 1]

    def test_without_weights_the_first_matching_rule_answers(self):
        assert two_features(None, None).predict([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]).tolist() == [0, 1, 2]

    def test_without_the_samples_the_first_matching_rule_answers(self):
        ruleset = two_features([-2.0, -1.0], STEPS)
        answers = ruleset.inference.infer(np.ones((2, 1), dtype=bool), ruleset)
        assert answers.argmax(axis=1).tolist() == [0]

    def test_weights_of_other_rules_are_refused(self):
        ruleset = two_features([-1.0], None)
        with pytest.raises(InvalidParameterError, match="each of the 2 rules, or one more for the default rule, got 1"):
            ruleset.predict([[1.0, 1.0]])


@pytest.fixture(scope="module", params=list(ENSEMBLES))
def model(request):
    X, y = data_for(request.param)
    return rulekit.build("defragtrees", ENSEMBLES[request.param], random_state=0).fit(X, y), X, y


class TestOfTheMethod:
    def test_the_rule_that_it_names_is_the_one_that_answers(self, model):
        fitted, X, _ = model
        ruleset, samples = fitted.ruleset_, fitted.ruleset_.conditions.categories.encode(X)
        behind = ruleset.inference.answering(ruleset.matches(X), samples, ruleset)
        assert (behind.sum(axis=0) == 1).all()
        np.testing.assert_array_equal(ruleset.probabilities[behind.argmax(axis=0)], ruleset.predict_proba(X))

    def test_the_rules_answer_for_training_samples_as_the_components_do(self, model):
        """A component's region covers what it claims, so that nothing is lost by asking matching rules only."""
        fitted, X, _ = model
        ruleset = fitted.ruleset_
        samples = ruleset.conditions.categories.encode(X)
        claims = ruleset.inference.scores(samples).argmax(axis=1)
        np.testing.assert_array_equal(ruleset.predict_proba(X), ruleset.probabilities[claims])
        assert (ruleset.matches(X).sum(axis=0) > 1).any()

    def test_its_training_error_is_the_stated_one(self, model):
        fitted, X, y = model
        assert 1 - fitted.score(X, y) == pytest.approx(fitted.errors_.min())

    def test_a_ruleset_survives_json_with_its_mode(self, model):
        fitted, X, _ = model
        again = rulekit.RuleSet.from_dict(json.loads(json.dumps(fitted.ruleset_.to_dict(), allow_nan=False)))
        assert again == fitted.ruleset_
        assert again.inference.get_params() == fitted.ruleset_.inference.get_params()
        np.testing.assert_array_equal(again.predict_proba(X), fitted.ruleset_.predict_proba(X))
