import itertools

import numpy as np
import pandas as pd
import pytest
from rulekit_born_again_tree import BornAgainTree, GridTooLargeError, UnsupportedColumnsError
from rulekit_born_again_tree.grid import Grid
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import rulekit
from rulekit.plugin import FewRulesWarning, InvalidParameterError, ProbabilityEstimator
from rulekit.testing import parametrize_with_checks


def test_it_is_discovered_through_its_entry_point():
    (component,) = [each for each in rulekit.list_components("method") if each.name == "born-again-tree"]
    assert component.origin == "rulekit-born-again-tree 0.1.0"


SMALL = RandomForestClassifier(3, max_depth=3, random_state=0)
LARGER = RandomForestClassifier(10, max_depth=3, random_state=0)


@pytest.mark.filterwarnings(
    "ignore::rulekit.core.errors.FewRulesWarning"
)  # an ensemble of a tiny table may be constant
@parametrize_with_checks(
    [
        rulekit.build("born-again-tree", SMALL, algorithm="optimal"),
        rulekit.build("born-again-tree", LARGER, algorithm="heuristic"),
    ]
)
def test_it_keeps_the_promises_of_a_method(component, check):
    check(component)


def small_case(seed, n_classes, n_features=3):
    X, y = make_classification(
        120, n_features, n_informative=n_features, n_redundant=0, n_classes=n_classes, n_clusters_per_class=1,
        flip_y=0.1, random_state=seed,
    )  # fmt: skip
    return X, y


ENSEMBLES = [
    RandomForestClassifier(4, max_depth=2),
    RandomForestClassifier(2, max_depth=3),
    ExtraTreesClassifier(3, max_depth=3),
    GradientBoostingClassifier(n_estimators=3, max_depth=2),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3),
]


def points_of_every_cell(ensemble, n_features):
    """Samples on both sides of every threshold, in all combinations."""
    values = [{np.float32(0)} for _ in range(n_features)]
    for member in np.ravel(ensemble.estimators_):
        for feature, threshold in zip(member.tree_.feature, member.tree_.threshold, strict=True):
            if feature >= 0:
                near = np.float32(threshold)
                values[feature] |= {
                    near,
                    np.nextafter(near, np.float32(-np.inf)),
                    np.nextafter(near, np.float32(np.inf)),
                }
    return np.array(list(itertools.product(*values)), dtype=np.float32)


@pytest.mark.parametrize("objective", ["depth", "depth-leaves"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda ensemble: type(ensemble).__name__)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_optimal_tree_agrees_with_the_ensemble_everywhere(ensemble, n_classes, objective, seed):
    X, y = small_case(seed, n_classes)
    ensemble = ensemble.set_params(random_state=seed).fit(X, y)
    model = rulekit.build("born-again-tree", ensemble, algorithm="optimal", objective=objective).fit(X, y)
    samples = points_of_every_cell(ensemble, X.shape[1])
    assert model.predict(samples).tolist() == ensemble.predict(samples).tolist()
    assert model.fidelity_ == 1.0
    matches = model.ruleset_.matches(samples)
    assert matches.sum(axis=0).tolist() == [1] * len(samples)
    assert len(model.ruleset_) == model.n_leaves_ + 1


@pytest.mark.parametrize("library", ["hist-gbm", "xgboost", "lightgbm"])
def test_other_libraries_agree_on_every_cell_too(library):
    if library in ("xgboost", "lightgbm"):
        pytest.importorskip(library)
    X, y = load_iris(return_X_y=True)
    rounds = "max_iter" if library == "hist-gbm" else "n_estimators"
    model = rulekit.build("born-again-tree", library, algorithm="optimal", **{f"ensemble__{rounds}": 3}, random_state=0)
    model.set_params(ensemble__max_depth=2)
    data = model.prepare(X, y)
    grid = Grid.of(data.conditions)
    samples = grid.samples(np.array(list(np.ndindex(*grid.shape))), X.shape[1])
    assert grid.n_cells > 10
    assert grid.cells(samples).tolist() == [list(cell) for cell in np.ndindex(*grid.shape)]
    answers = model.fit(data, data.y).predict(samples)
    assert answers.tolist() == np.asarray(data.ensemble.predict(samples)).tolist()


def test_a_single_tree_comes_back_no_larger():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    model = rulekit.build("born-again-tree", tree).fit(X, y)
    assert model.algorithm_ == "optimal"
    assert model.depth_ <= tree.get_depth()
    assert model.predict(X).tolist() == tree.predict(X).tolist()


def test_of_equally_shallow_trees_the_one_with_fewer_leaves():
    X, y = small_case(3, 3)
    ensemble = RandomForestClassifier(4, max_depth=3, random_state=3).fit(X, y)
    found = {
        objective: rulekit.build("born-again-tree", ensemble, algorithm="optimal", objective=objective).fit(X, y)
        for objective in ("depth", "leaves", "depth-leaves")
    }
    assert found["depth"].depth_ == found["depth-leaves"].depth_ <= found["leaves"].depth_
    assert found["leaves"].n_leaves_ <= found["depth-leaves"].n_leaves_ <= found["depth"].n_leaves_


@pytest.mark.parametrize("algorithm", ["optimal", "heuristic"])
def test_pruning_leaves_out_what_no_sample_reaches_and_changes_no_answer_for_samples(algorithm):
    X, y = small_case(2, 3)
    ensemble = RandomForestClassifier(4, max_depth=3, random_state=2).fit(X, y)
    whole, pruned = (
        rulekit.build("born-again-tree", ensemble, algorithm=algorithm, prune=prune).fit(X, y)
        for prune in (False, True)
    )
    assert pruned.predict(X).tolist() == whole.predict(X).tolist()
    assert pruned.ruleset_.counts.sum(axis=1).min() > 0
    assert pruned.n_leaves_ <= np.count_nonzero(whole.ruleset_.counts[:-1].sum(axis=1))
    random = np.random.default_rng(0).normal(scale=3, size=(500, 3))
    assert pruned.ruleset_.matches(random).sum(axis=0).tolist() == [1] * 500


class TestLimits:
    X, y = load_breast_cancer(return_X_y=True)

    def test_a_grid_with_too_many_cells_is_an_error_that_says_so(self):
        model = rulekit.build("born-again-tree", "rf", algorithm="optimal", random_state=0)
        with pytest.raises(GridTooLargeError, match=r"has \S+e\+\d+ cells, more than max_cells=20000"):
            model.fit(self.X, self.y)

    def test_by_default_the_heuristic_is_used_and_named(self):
        model = rulekit.build("born-again-tree", "rf", random_state=0).fit(self.X, self.y)
        assert model.algorithm_ == "heuristic"

    def test_too_many_regions_are_a_reason_too(self):
        X, y = small_case(0, 2)
        ensemble = RandomForestClassifier(4, max_depth=3, random_state=0).fit(X, y)
        assert rulekit.build("born-again-tree", ensemble).fit(X, y).algorithm_ == "optimal"
        assert rulekit.build("born-again-tree", ensemble, max_regions=5).fit(X, y).algorithm_ == "heuristic"
        with pytest.raises(GridTooLargeError, match="max_regions=5"):
            rulekit.build("born-again-tree", ensemble, max_regions=5, algorithm="optimal").fit(X, y)


class TestHeuristic:
    @pytest.mark.parametrize("ensemble", ["rf", "gbm"])
    @pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
    def test_it_agrees_with_the_ensemble_on_most_samples(self, load, ensemble):
        X, y = load(return_X_y=True)
        model = rulekit.build("born-again-tree", ensemble, algorithm="heuristic", random_state=0).fit(X, y)
        agreement = (model.predict(X) == model.ensemble_.predict(X)).mean()
        assert agreement == model.fidelity_
        assert agreement >= 0.98
        assert model.ruleset_.matches(X).sum(axis=0).tolist() == [1] * len(X)

    def test_depth_is_limited(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = rulekit.build("born-again-tree", "rf", max_depth=2, random_state=0).fit(X, y)
        assert model.depth_ <= 2
        assert rulekit.build("born-again-tree", "rf", max_depth=None, random_state=0).fit(X, y).depth_ > 2

    def test_fewer_conjunctions_still_make_a_tree(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = rulekit.build("born-again-tree", "rf", max_conjunctions=10, random_state=0).fit(X, y)
        assert np.bincount(y).max() / len(y) < model.fidelity_ < 1


class TestPredictedProbabilities:
    X, y = small_case(2, 3)
    ensemble = RandomForestClassifier(4, max_depth=3, random_state=2).fit(X, y)

    def test_leaves_state_class_shares_where_these_agree_with_the_ensemble(self):
        ruleset = rulekit.build("born-again-tree", self.ensemble, algorithm="optimal").fit(self.X, self.y).ruleset_
        probabilities, n_fractions, n_means = self.ensemble.predict_proba(self.X), 0, 0
        for rule, covered in zip(ruleset[:-1], ruleset.matches(self.X), strict=True):
            counts = np.bincount(self.y[covered], minlength=3)
            if not covered.any():
                continue
            if counts.argmax() == rule.class_index:
                assert rule.probabilities == pytest.approx(counts / counts.sum())
                n_fractions += 1
            else:
                assert rule.probabilities == pytest.approx(probabilities[covered].mean(axis=0))
                n_means += 1
        assert n_fractions > 3
        assert n_means > 0

    def test_leaves_without_samples_state_what_the_ensemble_says_there(self):
        ruleset = rulekit.build("born-again-tree", self.ensemble, algorithm="optimal").fit(self.X, self.y).ruleset_
        samples = points_of_every_cell(self.ensemble, 3)
        probabilities, n_checked = self.ensemble.predict_proba(samples), 0
        for rule, covered, seen in zip(ruleset[:-1], ruleset.matches(samples), ruleset.matches(self.X), strict=True):
            if not seen.any():
                low, high = probabilities[covered].min(axis=0), probabilities[covered].max(axis=0)
                assert (low - 1e-12 <= rule.probabilities).all()
                assert (rule.probabilities <= high + 1e-12).all()
                n_checked += 1
        assert n_checked > 0

    @pytest.mark.parametrize("algorithm", ["optimal", "heuristic"])
    @pytest.mark.parametrize("final_estimator", ["laplace", "hybrid", "m-estimate"])
    def test_another_estimator_changes_probabilities_and_no_prediction(self, algorithm, final_estimator):
        models = [
            rulekit.build("born-again-tree", self.ensemble, algorithm=algorithm, final_estimator=name).fit(
                self.X, self.y
            )
            for name in ("empirical", final_estimator)
        ]
        samples = points_of_every_cell(self.ensemble, 3)[::7]
        first, second = (model.predict_proba(samples) for model in models)
        assert first.argmax(axis=1).tolist() == second.argmax(axis=1).tolist()
        assert not np.allclose(first, second)
        assert second.sum(axis=1) == pytest.approx(1)

    def test_samples_that_an_estimator_holds_back_are_the_only_ones_counted(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = rulekit.build("born-again-tree", "rf", final_estimator=HoldsBack(), random_state=0).fit(X, y)
        held, matches = HoldsBack().hold_back(y), model.ruleset_.matches(X)
        largest = matches.sum(axis=1).argmax()
        counts = np.bincount(y[held & matches[largest]], minlength=2)
        assert model.ruleset_[int(largest)].probabilities == pytest.approx(counts / counts.sum())


class HoldsBack(ProbabilityEstimator):
    def hold_back(self, y):
        return np.arange(len(y)) % 2 == 0

    def estimate(self, rules):
        return (rules.counts + 1e-12) / (rules.counts + 1e-12).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("algorithm", ["auto", "heuristic"])
def test_an_ensemble_that_is_constant_leaves_the_default_rule(algorithm):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (np.arange(60) < 2).astype(int)
    ensemble = GradientBoostingClassifier(n_estimators=1, max_depth=1, random_state=0).fit(X, y)
    with pytest.warns(FewRulesWarning, match="predicts 0 everywhere") as caught:
        model = rulekit.build("born-again-tree", ensemble, algorithm=algorithm).fit(X, y)
    assert caught[0].filename == __file__
    assert len(model.ruleset_) == 1
    assert model.predict(X).tolist() == ensemble.predict(X).tolist()


@pytest.mark.parametrize("algorithm", ["auto", "heuristic"])
def test_trees_without_a_split_leave_the_default_rule(algorithm):
    X, y = np.zeros((40, 2)), np.repeat([0, 1], [30, 10])
    with pytest.warns(FewRulesWarning, match="predicts 0 everywhere"):
        model = rulekit.build("born-again-tree", algorithm=algorithm, random_state=0).fit(X, y)
    assert model.predict_proba(X[:1]).tolist() == [[0.75, 0.25]]


class TestUnsupported:
    def test_missing_values(self):
        X, y = small_case(0, 2)
        X[3, 1] = np.nan
        with pytest.raises(UnsupportedColumnsError, match=r"'x1' may contain missing values \(NaN\)"):
            rulekit.build("born-again-tree", RandomForestClassifier(3, max_depth=2)).fit(X, y)

    def test_categories(self):
        X = pd.DataFrame({"colour": pd.Categorical(["red", "blue", "green", "red"] * 20), "size": np.arange(80.0)})
        y = (X["colour"] == "red").to_numpy().astype(int)
        ensemble = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=1, categorical_features="from_dtype")
        with pytest.raises(UnsupportedColumnsError, match="'colour' may contain"):
            rulekit.build("born-again-tree", ensemble).fit(X, y)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"algorithm": "best"}, "algorithm must be one of 'auto', 'optimal', 'heuristic', got 'best'."),
            ({"objective": "size"}, "objective must be one of 'depth', 'leaves', 'depth-leaves', got 'size'."),
            ({"max_cells": 0}, "max_cells must be a whole number of at least 1, got 0."),
            ({"max_regions": 2.5}, "max_regions must be a whole number of at least 1, got 2.5."),
            ({"max_conjunctions": True}, "max_conjunctions must be a whole number of at least 1, got True."),
            ({"max_depth": -1}, "max_depth must be a whole number of at least 1, got -1."),
            ({"prune": 1}, "prune must be True or False, got 1."),
        ],
    )
    def test_a_value_that_a_parameter_cannot_have(self, parameters, message):
        X, y = load_iris(return_X_y=True)
        with pytest.raises(InvalidParameterError) as caught:
            BornAgainTree(**parameters).fit(X, y)
        assert str(caught.value) == f"BornAgainTree: {message}"
