"""The methods `tree` and `shrunk-tree` against scikit-learn's own trees."""

import numpy as np
import pandas as pd
import pytest
from reference.shrinkage import shrunken_probabilities
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import rulekit
from rulekit.core.errors import FewRulesWarning, InvalidParameterError, UnsupportedDataError
from rulekit.evaluation import evaluate

METHODS = ["tree", "shrunk-tree"]


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def mixed():
    """Numbers with gaps, categories with gaps, and three classes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(size=600), "size": rng.normal(size=600)})
    X["colour"] = pd.Categorical(rng.choice(["red", "blue", "green", "grey", "pink"], 600))
    X.loc[rng.random(600) < 0.2, "age"] = np.nan
    X.loc[rng.random(600) < 0.1, "colour"] = None
    score = X["age"].fillna(1.0) + X["colour"].isin(["red", "grey"]) + 0.3 * rng.normal(size=600)
    return X, np.array(["low", "mid", "high"])[np.digitize(score, [0.2, 1.2])]


class TestTree:
    @pytest.mark.parametrize("max_leaves", [2, 5, 8, None])
    def test_answers_as_scikit_learns_own_tree_with_one_more_sample_of_each_class(self, cancer, max_leaves):
        X, y = cancer
        model = rulekit.build("tree", max_leaves=max_leaves, random_state=0).fit(X[::2], y[::2])
        own = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=0).fit(X[::2], y[::2])
        leaves, new = own.apply(X[::2]), own.apply(X)
        counts = np.array([np.bincount(y[::2][leaves == leaf], minlength=2) for leaf in new])
        np.testing.assert_allclose(model.predict_proba(X), (counts + 1) / (counts.sum(axis=1, keepdims=True) + 2))
        assert len(model.ruleset_) == own.get_n_leaves()

    @pytest.mark.parametrize("ccp_alpha", [0.0, 0.01])
    @pytest.mark.parametrize("max_depth", [None, 3])
    def test_takes_the_parameters_of_a_tree(self, cancer, max_depth, ccp_alpha):
        X, y = cancer
        settings = {"max_depth": max_depth, "ccp_alpha": ccp_alpha, "random_state": 0}
        model = rulekit.build("tree", max_leaves=None, final_estimator="empirical", **settings).fit(X, y)
        own = DecisionTreeClassifier(**settings).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X), own.predict_proba(X), rtol=1e-12)

    def test_answers_as_scikit_learns_own_tree_where_values_are_missing(self, cancer):
        X, y = cancer
        gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.15)
        model = rulekit.build("tree", final_estimator="empirical", random_state=0).fit(gaps[::2], y[::2])
        own = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(gaps[::2], y[::2])
        np.testing.assert_allclose(model.predict_proba(gaps), own.predict_proba(gaps), rtol=1e-12)

    def test_answers_two_classes_of_categories_as_a_tree_on_class_fractions(self):
        """scikit-learn takes the fraction of the second class instead of each category, as CART does."""
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"number": rng.normal(size=500), "letter": pd.Categorical(rng.choice(list("abcdefgh"), 500))})
        y = (X["letter"].isin(list("bdg")) ^ (rng.random(500) < 0.2)).astype(int)
        fractions = y.groupby(X["letter"].astype(str)).mean()
        encoded = X.assign(letter=X["letter"].astype(str).map(fractions))
        model = rulekit.build("tree", final_estimator="empirical", random_state=0).fit(X, y)
        own = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(encoded, y)
        np.testing.assert_allclose(model.predict_proba(X), own.predict_proba(encoded), rtol=1e-12)
        assert "letter in {b, d, g}" in str(model.ruleset_) or "letter not in {b, d, g}" in str(model.ruleset_)

    def test_the_leaf_with_most_conditions_is_the_default_rule(self, cancer):
        *rules, default = rulekit.build("tree", random_state=0).fit(*cancer).ruleset_
        tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(*cancer)
        assert default.is_default
        assert default.n_covered in tree.tree_.n_node_samples[tree.tree_.children_left < 0]
        assert sum(rule.n_covered for rule in (*rules, default)) == len(cancer[1])

    def test_takes_the_place_of_no_ensemble_so_it_has_no_fidelity(self, cancer):
        model = rulekit.build("tree", random_state=0).fit(*cancer)
        assert "fidelity" not in evaluate(model, *cancer)


class TestShrunkTree:
    def test_has_the_published_values_of_the_first_leaf(self, cancer):
        """Eight leaves on breast cancer: 0.985, 0.9843, 0.9782, 0.9273 at strengths of 0, 1, 10, 100."""
        X, y = cancer
        tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(X, y)
        first = X[tree.apply(X) == 3].iloc[[0]]
        found = [
            rulekit.build("shrunk-tree", strength=strength, random_state=0).fit(X, y).predict_proba(first)[0, 1]
            for strength in (0, 1, 10, 100)
        ]
        np.testing.assert_allclose(found, [0.985, 0.9843, 0.9782, 0.9273], atol=5e-5)

    @pytest.mark.parametrize("strength", [0, 0.1, 7, 500])
    def test_equals_the_slow_twin(self, strength):
        X, y = load_iris(return_X_y=True)
        tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(X[::2], y[::2])
        model = rulekit.build("shrunk-tree", max_leaves=6, strength=strength, random_state=0).fit(X[::2], y[::2])
        expected = shrunken_probabilities(tree, X[::2], y[::2], strength, X)
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-12)

    def test_of_strength_0_has_the_class_fractions_of_the_leaves(self, cancer):
        X, y = cancer
        tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(X, y)
        model = rulekit.build("shrunk-tree", strength=0, random_state=0).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X), tree.predict_proba(X), atol=1e-12)

    def test_of_a_huge_strength_has_the_class_fractions_of_all_samples(self, cancer):
        X, y = cancer
        model = rulekit.build("shrunk-tree", strength=1e15, random_state=0).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], y.mean(), rtol=1e-6)

    def test_chooses_its_strength_by_cross_validation(self, cancer):
        """On samples whose classes are mostly chance it shrinks more than where they follow the features."""
        X, _ = cancer
        rng = np.random.default_rng(0)
        clear = (X["mean radius"] > 14).astype(int)
        chance = rng.integers(0, 2, len(X))
        strengths = [rulekit.build("shrunk-tree", random_state=0).fit(X, y).strength_ for y in (clear, chance)]
        assert strengths[0] <= 1 < 100 <= strengths[1]

    def test_is_the_same_each_time(self, mixed):
        one, other = (rulekit.build("shrunk-tree", random_state=0).fit(*mixed).ruleset_ for _ in range(2))
        assert one == other

    @pytest.mark.parametrize("strength", ["much", -1, None])
    def test_rejects_other_strengths(self, cancer, strength):
        with pytest.raises(InvalidParameterError, match="ShrunkTree: strength must be"):
            rulekit.build("shrunk-tree", strength=strength).fit(*cancer)


@pytest.mark.parametrize("name", METHODS)
class TestBoth:
    def test_read_categories_and_missing_values(self, name, mixed):
        X, y = mixed
        model = rulekit.build(name, random_state=0).fit(X, y)
        assert (model.predict(X) == y).mean() > 0.7
        assert "colour" in str(model.ruleset_)
        np.testing.assert_array_equal(model.predict_proba(X), model.ruleset_.predict_proba(X))
        own = model.ensemble_.predict(X)
        assert (model.predict(X) == own).mean() > 0.98  # shrinkage may turn a leaf whose classes nearly tie

    def test_send_unseen_categories_where_missing_values_go(self, name, mixed):
        X, y = mixed
        model = rulekit.build(name, random_state=0).fit(X, y)
        missing, unseen = X.head(50).copy(), X.head(50).copy()
        missing["colour"] = pd.Categorical([None] * 50, categories=["red"])
        unseen["colour"] = pd.Categorical(["mauve"] * 50)
        np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(missing))

    def test_do_what_every_method_does(self, name, mixed, tmp_path):
        X, y = mixed
        model = rulekit.build(name, random_state=0).fit(X, y)
        again = rulekit.RuleSet.from_dict(model.ruleset_.to_dict())
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert model.explain(X.head(3)).ensemble is not None
        model.ruleset_.export(tmp_path / "rules.sql", table="people")
        model.report(tmp_path / "rules.html", X, y)

    def test_of_samples_that_no_feature_separates_is_the_default_rule(self, name):
        X, y = np.zeros((12, 2)), np.array([0, 1, 1] * 4)
        with pytest.warns(FewRulesWarning, match="single leaf"):
            model = rulekit.build(name).fit(X, y)
        assert len(model.ruleset_) == 1

    def test_reject_a_forest(self, name, cancer):
        with pytest.raises(InvalidParameterError, match="rules of one tree, but the RandomForestClassifier has 2"):
            rulekit.build(name, RandomForestClassifier(2, max_depth=2, random_state=0)).fit(*cancer)

    def test_reject_columns_of_strings(self, name):
        X = pd.DataFrame({"word": ["a", "b"] * 10})
        with pytest.raises(UnsupportedDataError, match=r"'word' .* Convert decimals to floats, and strings to categ"):
            rulekit.build(name).fit(X, [0, 1] * 10)

    @pytest.mark.parametrize("max_leaves", [1, 0, 2.5, "eight"])
    def test_reject_other_numbers_of_leaves(self, name, cancer, max_leaves):
        with pytest.raises(InvalidParameterError, match="max_leaves must be None or a whole number of at least 2"):
            rulekit.build(name, max_leaves=max_leaves).fit(*cancer)
