import numpy as np
import pandas as pd
import pytest
from rulekit_set_cover import FidelityWarning, SetCover
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)

import rulekit
from rulekit.plugin import FewRulesWarning, InvalidParameterError, ProbabilityEstimator
from rulekit.testing import parametrize_with_checks


def random_case(seed, n_classes):
    X, y = make_classification(
        150, 6, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.1, random_state=seed
    )
    if seed % 2:
        return RandomForestClassifier(10, max_depth=4, random_state=seed).fit(X, y), X, y
    return GradientBoostingClassifier(n_estimators=10, random_state=seed).fit(X, y), X, y


def test_it_is_discovered_through_its_entry_point():
    (component,) = [each for each in rulekit.list_components("method") if each.name == "set-cover"]
    assert component.origin == "rulekit-set-cover 0.1.0"


@pytest.mark.filterwarnings("ignore::UserWarning")  # tiny tables: a fidelity may be out of reach, or need no rule
@parametrize_with_checks([rulekit.build("set-cover")])
def test_it_keeps_the_promises_of_a_method(component, check):
    check(component)


class TestFidelity:
    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("fidelity", [0.8, 0.93])
    def test_rules_agree_with_the_ensemble_as_often_as_asked_for(self, seed, n_classes, fidelity):
        ensemble, X, y = random_case(seed, n_classes)
        model = rulekit.build("set-cover", ensemble, fidelity=fidelity).fit(X, y)
        agreement = (model.predict(X) == ensemble.predict(X)).mean()
        assert agreement == pytest.approx(model.fidelity_)
        assert agreement >= fidelity

    def test_what_was_reached_is_said_where_the_candidates_do_not_suffice(self):
        ensemble, X, y = random_case(0, 3)
        model = rulekit.build("set-cover", ensemble, fidelity=1.0, max_candidates=3, join=False)
        with pytest.warns(
            FidelityWarning, match=r"on 0\.\d+ of the training samples, which is less than fidelity=1\.0"
        ) as caught:
            model.fit(X, y)
        assert caught[0].filename == __file__
        assert model.fidelity_ == pytest.approx((model.predict(X) == ensemble.predict(X)).mean())
        assert model.fidelity_ < 1

    def test_a_higher_fidelity_needs_more_rules(self):
        X, y = load_breast_cancer(return_X_y=True)
        sizes = [
            len(rulekit.build("set-cover", fidelity=fidelity, random_state=0).fit(X, y).ruleset_)
            for fidelity in (0.9, 0.97, 0.99)
        ]
        assert sizes == sorted(set(sizes))

    def test_it_warns_where_the_default_rule_is_enough(self):
        X, y = random_case(1, 2)[1:]
        rare = (np.arange(len(y)) < 4).astype(int)
        with pytest.warns(FewRulesWarning, match="The default rule alone agrees"):
            model = rulekit.build("set-cover", fidelity=0.9, random_state=0).fit(X, rare)
        assert len(model.ruleset_) == 1


@pytest.mark.parametrize("min_precision", [None, 0.8, 0.95, 1.0])
def test_the_ensemble_predicts_what_a_rule_predicts_for_most_of_its_samples(min_precision):
    ensemble, X, y = random_case(3, 3)
    model = rulekit.build("set-cover", ensemble, fidelity=0.8, min_precision=min_precision).fit(X, y)
    predicted = ensemble.predict(X)
    for rule, covered in zip(model.ruleset_[:-1], model.ruleset_.matches(X), strict=True):
        assert (predicted[covered] == rule.label).mean() >= (min_precision or 0.8)


class TestCandidates:
    def test_leaves_only_are_leaves(self):
        ensemble, X, y = random_case(1, 2)
        model = rulekit.build("set-cover", ensemble, source="leaves", join=False, fidelity=0.8).fit(X, y)
        leaves = {tuple(sorted(row)) for tree in ensemble.estimators_ for row in paths(tree.tree_)}
        for rule in model.ruleset_[:-1]:
            assert tuple(sorted((c.feature_index, c.operator, c.threshold) for c in rule.conditions)) in leaves

    def test_joins_reach_what_single_rules_cannot(self):
        """Stumps of boosting have one condition each, which says little where two of three features decide."""
        X = np.random.default_rng(0).uniform(-1, 1, (300, 3))
        y = ((X > 0).sum(axis=1) >= 2).astype(int)
        stumps = GradientBoostingClassifier(n_estimators=60, max_depth=1, random_state=0).fit(X, y)
        with pytest.warns(FidelityWarning):
            rulekit.build("set-cover", stumps, join=False).fit(X, y)
        joined = rulekit.build("set-cover", stumps).fit(X, y)
        assert joined.fidelity_ >= 0.95
        assert max(len(rule.conditions) for rule in joined.ruleset_) == 2

    @pytest.mark.filterwarnings("ignore::rulekit_set_cover.FidelityWarning")
    @pytest.mark.parametrize("limit", [1, 5, 50])
    def test_there_are_no_more_than_the_limit(self, limit):
        ensemble, X, y = random_case(5, 2)
        model = rulekit.build("set-cover", ensemble, max_candidates=limit, max_joins=limit).fit(X, y)
        assert model.n_candidates_ <= limit
        assert len(model.ruleset_) - 1 <= limit


def paths(tree, node=0, before=()):
    """Conditions on the way to each leaf of a scikit-learn tree, the tightest of each kind."""
    if tree.children_left[node] < 0:
        tightest = {}
        for feature, operator, threshold in before:
            pick = min if operator == "<=" else max
            tightest[feature, operator] = pick(threshold, tightest.get((feature, operator), threshold))
        yield [(*key, threshold) for key, threshold in tightest.items()]
        yield list(before)
        return
    feature, threshold = tree.feature[node], tree.threshold[node]
    yield from paths(tree, tree.children_left[node], (*before, (feature, "<=", threshold)))
    yield from paths(tree, tree.children_right[node], (*before, (feature, ">", threshold)))


class TestPredictedProbabilities:
    def test_they_are_class_shares_of_the_covered_samples(self):
        X, y = load_iris(return_X_y=True)
        ruleset = rulekit.build("set-cover", random_state=0).fit(X, y).ruleset_
        for rule, covered in zip(ruleset[:-1], ruleset.matches(X), strict=True):
            assert rule.probabilities.tolist() == (np.bincount(y[covered], minlength=3) / covered.sum()).tolist()
        left = y[~ruleset.matches(X).any(axis=0)]
        assert ruleset[-1].probabilities.tolist() == (np.bincount(left, minlength=3) / len(left)).tolist()

    def test_another_estimator_can_be_named_and_its_parameters_nest(self):
        X, y = load_iris(return_X_y=True)
        model = rulekit.build(
            "set-cover", final_estimator="laplace", final_estimator__smoothing=2.0, random_state=0
        ).fit(X, y)
        rule, covered = model.ruleset_[0], model.ruleset_.matches(X)[0]
        expected = (np.bincount(y[covered], minlength=3) + 2) / (covered.sum() + 6)
        assert rule.probabilities == pytest.approx(expected)

    def test_priors_are_what_the_ensemble_says_of_the_covered_samples(self):
        ensemble, X, y = random_case(1, 3)
        model = rulekit.build("set-cover", ensemble, final_estimator=PriorOnly(), fidelity=0.8).fit(X, y)
        for rule, covered in zip(model.ruleset_[:-1], model.ruleset_.matches(X), strict=True):
            assert rule.probabilities == pytest.approx(ensemble.predict_proba(X[covered]).mean(axis=0))

    def test_samples_that_an_estimator_holds_back_are_the_only_ones_counted(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = rulekit.build("set-cover", "rf", final_estimator=HoldsBack(), random_state=0).fit(X, y)
        held = HoldsBack().hold_back(y)
        covered = model.ruleset_.matches(X)[0] & held
        assert model.ruleset_[0].probabilities == pytest.approx(np.bincount(y[covered], minlength=2) / covered.sum())
        assert model.fidelity_ == pytest.approx((model.predict(X) == model.ensemble_.predict(X)).mean())


class PriorOnly(ProbabilityEstimator):
    def estimate(self, rules):
        return rules.priors


class HoldsBack(ProbabilityEstimator):
    def hold_back(self, y):
        return np.arange(len(y)) % 2 == 0

    def estimate(self, rules):
        return (rules.counts + 1e-12) / (rules.counts + 1e-12).sum(axis=1, keepdims=True)


def test_missing_values_and_categories_are_covered_as_the_ensemble_reads_them():
    random = np.random.default_rng(0)
    colours = random.choice(["blue", "green", "red"], 300)
    size = random.normal(size=300)
    y = np.where((colours == "red") | (size > 0.5), "yes", "no")
    size[random.random(300) < 0.2] = np.nan
    X = pd.DataFrame({"colour": pd.Categorical(colours), "size": size})
    ensemble = HistGradientBoostingClassifier(max_iter=20, categorical_features="from_dtype", random_state=0)
    model = rulekit.build("set-cover", ensemble).fit(X, y)
    assert (model.predict(X) == model.ensemble_.predict(X)).mean() == pytest.approx(model.fidelity_)
    assert model.fidelity_ >= 0.95
    assert "red" in str(model.ruleset_)


def test_trees_without_a_split_leave_the_default_rule():
    X, y = np.zeros((40, 2)), np.repeat([0, 1], [30, 10])
    with pytest.warns(FewRulesWarning, match="The default rule alone"):
        model = rulekit.build("set-cover", random_state=0).fit(X, y)
    assert model.predict_proba(X[:1]).tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"fidelity": 0}, "SetCover: fidelity must be a number above 0 and at most 1, got 0."),
        ({"min_precision": 2}, "SetCover: min_precision must be a number of at least 0 and at most 1, got 2."),
        ({"source": "stumps"}, "SetCover: source must be one of 'nodes', 'leaves', got 'stumps'."),
        ({"max_candidates": 0}, "SetCover: max_candidates must be a whole number of at least 1, got 0."),
        ({"max_joins": 1.5}, "SetCover: max_joins must be a whole number of at least 1, got 1.5."),
        ({"length_weight": -1}, "SetCover: length_weight must be a number of at least 0, got -1."),
        ({"join": "yes"}, "SetCover: join must be True or False, got 'yes'."),
    ],
)
def test_a_value_that_a_parameter_cannot_have_is_refused(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidParameterError) as caught:
        SetCover(**parameters).fit(X, y)
    assert str(caught.value) == message
