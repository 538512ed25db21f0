"""The method as a whole: what methods promise, what scikit-learn asks for, and its parameters."""

import contextlib
import io
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from rulekit_defragtrees import DefragTrees
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV

import rulekit
from rulekit.plugin import InvalidParameterError
from rulekit.testing import parametrize_with_checks

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y, RandomForestClassifier(30, max_depth=4, random_state=0).fit(X, y)


@parametrize_with_checks([DefragTrees(max_rules=4, n_restarts=2, random_state=0)])
def test_it_keeps_what_methods_promise(component, check):
    check(component)


class TestWithRulekit:
    @pytest.mark.parametrize(("kind", "name"), [("method", "defragtrees"), ("inference", "most-probable-region")])
    def test_it_is_discovered_through_its_entry_point(self, kind, name):
        (found,) = [each for each in rulekit.list_components(kind) if each.name == name]
        assert found.origin == "rulekit-defragtrees 0.1.0"

    def test_the_published_grid_can_be_set(self):
        profiles = pytest.importorskip("rulekit_paper_study.profiles", reason="it has the published grids")
        grid = profiles.profile_definition("full")["variants"]["defragtrees"]["grid"]
        settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        assert len(settings) == 6
        for each in settings:
            DefragTrees().set_params(**each).check_parameters()

    def test_the_readme_shows_what_its_snippet_prints(self):
        code, shown = re.search(
            r"```python\n(.*?)```\n```text\n(.*?)```", README.read_text(encoding="utf-8"), re.S
        ).groups()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), {"__name__": "snippet"})
        assert printed.getvalue() == shown

    @pytest.mark.parametrize("n_classes", [2, 4])
    @pytest.mark.parametrize("ensemble", [RandomForestClassifier(20, max_depth=4), GradientBoostingClassifier()])
    def test_two_classes_or_more(self, n_classes, ensemble):
        X, y = make_classification(300, 6, n_informative=4, n_classes=n_classes, class_sep=2.0, random_state=0)
        model = rulekit.build("defragtrees", ensemble.set_params(random_state=0, n_estimators=20), random_state=0)
        assert model.fit(X, y).score(X, y) > np.bincount(y).max() / len(y) + 0.1
        assert model.ruleset_.probabilities.shape == (len(model.ruleset_), n_classes)

    def test_an_ensemble_of_stumps_without_a_split_leaves_the_default_rule(self):
        X, y = np.zeros((20, 2)), np.arange(20) % 4 == 0
        model = rulekit.build("defragtrees", RandomForestClassifier(3, random_state=0, bootstrap=False)).fit(X, y)
        assert len(model.ruleset_) == 1
        np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.75, 0.25]])
        assert model.n_iter_ == 0


class TestParameters:
    @pytest.mark.parametrize("max_rules", [1, 4, 8, 16])
    def test_there_are_no_more_rules_than_asked_for(self, iris, max_rules):
        X, y, forest = iris
        model = rulekit.build("defragtrees", forest, max_rules=max_rules, n_restarts=2, random_state=0).fit(X, y)
        assert len(model.ruleset_) - 1 <= max_rules

    def test_one_region_says_what_all_samples_say(self, iris):
        X, y, forest = iris
        model = rulekit.build("defragtrees", forest, max_rules=1).fit(X, y)
        assert len(model.ruleset_) == 1
        np.testing.assert_allclose(model.predict_proba(X[:1]), [[1 / 3, 1 / 3, 1 / 3]])

    @pytest.mark.parametrize("max_iter", [1, 50])
    def test_there_are_no_more_iterations_than_asked_for(self, iris, max_iter):
        X, y, forest = iris
        model = rulekit.build("defragtrees", forest, max_iter=max_iter, n_restarts=2, random_state=0).fit(X, y)
        assert len(model.history_) == model.n_iter_ <= max_iter

    def test_more_starts_never_end_with_a_larger_error(self, iris):
        """The first starts are the same, whatever their number."""
        X, y, forest = iris
        few, many = (rulekit.build("defragtrees", forest, n_restarts=n, random_state=3).fit(X, y) for n in (2, 6))
        np.testing.assert_array_equal(many.errors_[:2], few.errors_)
        assert 1 - many.score(X, y) <= 1 - few.score(X, y)
        assert many.criteria_.shape == many.errors_.shape == (6,)

    @pytest.mark.parametrize("name", ["max_rules", "max_iter", "n_restarts"])
    @pytest.mark.parametrize("value", [0, -1, 2.5, "4", None, True])
    def test_counts_are_whole_numbers_of_at_least_one(self, iris, name, value):
        X, y, forest = iris
        with pytest.raises(InvalidParameterError, match=f"DefragTrees: {name} must be a whole number of at least 1"):
            rulekit.build("defragtrees", forest, **{name: value}).fit(X, y)

    def test_the_tolerance_is_not_negative(self, iris):
        X, y, forest = iris
        with pytest.raises(InvalidParameterError, match="DefragTrees: tol must be a number of at least 0, got -1"):
            rulekit.build("defragtrees", forest, tol=-1).fit(X, y)


class TestSeeds:
    def test_the_same_seed_gives_the_same_rules(self, iris):
        X, y, forest = iris
        first, second = (rulekit.build("defragtrees", forest, random_state=5).fit(X, y) for _ in range(2))
        assert first.ruleset_ == second.ruleset_
        np.testing.assert_array_equal(first.criteria_, second.criteria_)

    def test_other_seeds_start_elsewhere(self, iris):
        X, y, forest = iris
        first, second = (rulekit.build("defragtrees", forest, random_state=seed).fit(X, y) for seed in (5, 6))
        assert not np.array_equal(first.criteria_, second.criteria_)


class TestWithScikitLearn:
    def test_clone_and_set_params_keep_the_parameters(self):
        model = DefragTrees(max_rules=4, max_iter=50, n_restarts=3, tol=1e-4, random_state=1)
        assert clone(model).get_params() == model.get_params()
        assert clone(model).set_params(max_rules=16).max_rules == 16

    def test_a_grid_search_chooses_the_number_of_rules(self, iris):
        X, y, _ = iris
        forest = RandomForestClassifier(20, max_depth=3, random_state=0)
        model = rulekit.build("defragtrees", forest, n_restarts=2, random_state=0)
        search = GridSearchCV(model, {"max_rules": [1, 8], "max_iter": [50]}, cv=3).fit(X, y)
        assert search.best_params_["max_rules"] == 8
        assert search.score(X, y) > 0.8


def test_missing_values_are_taken_where_the_ensemble_takes_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] > 0
    X[rng.random(X.shape) < 0.1] = np.nan
    model = rulekit.build("defragtrees", HistGradientBoostingClassifier(max_iter=10, random_state=0), random_state=0)
    assert model.fit(X, y).score(X, y) > 0.85
    with pytest.raises(ValueError, match="NaN"):
        rulekit.build("defragtrees", GradientBoostingClassifier()).fit(X, y)
