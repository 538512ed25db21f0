"""RuleFit: against scikit-learn's own models and trees, the conditions of an optimum, and numbers by hand."""

import warnings

import numpy as np
import pytest
from rulekit_rulefit import RuleFit, logistic
from rulekit_rulefit.candidates import Candidates
from rulekit_rulefit.penalty import Path, folds_of
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier

import rulekit
from rulekit.plugin import FewRulesWarning, InvalidParameterError
from rulekit.testing import parametrize_with_checks
from rulekit.testing.tables import table_with_categories, table_with_gaps


def small_forest():
    return RandomForestClassifier(10, max_depth=3, random_state=0)


def two_classes():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :8], y


def three_classes():
    return load_wine(return_X_y=True, as_frame=True)


DATA = {"two classes": two_classes, "three classes": three_classes}


@pytest.fixture(params=DATA, scope="module")
def fitted(request):
    X, y = DATA[request.param]()
    model = rulekit.build("rulefit", small_forest().fit(X, y), random_state=0)
    return model.fit(X, y), X, y


def rows_of(antecedents, pad):
    return [row[row != pad].tolist() for row in antecedents]


@parametrize_with_checks([RuleFit(n_penalties=3), RuleFit(rules="leaves", linear_terms=True, C=1.0)])
def test_it_keeps_what_methods_promise(component, check):
    check(component)


class TestAgainstScikitLearn:
    @pytest.mark.parametrize("linear_terms", [False, True])
    @pytest.mark.parametrize("data", DATA)
    def test_the_ruleset_answers_what_the_fitted_models_answer(self, data, linear_terms, monkeypatch):
        """On samples that nobody has seen, to rounding: the models are caught as `fit` makes them."""
        made = []

        class Caught(LogisticRegression):
            def fit(self, X, y):
                made.append(self)
                return super().fit(X, y)

        X, y = DATA[data]()
        monkeypatch.setattr(logistic, "LogisticRegression", Caught)
        model = RuleFit(small_forest().fit(X[::2], y[::2]), linear_terms=linear_terms, C=0.5, random_state=0)
        training = model.prepare(X[::2], y[::2])
        model.fit(training, training.y)
        candidates, new = Candidates.of(training, "nodes", 1000), X[1::2].to_numpy()
        features = np.column_stack(
            [
                np.all([training.conditions.hold(condition, new.T) for condition in row], axis=0)
                for row in rows_of(candidates.antecedents, training.pad)
            ]
        )
        if linear_terms:
            known = X[::2].to_numpy()
            low, high = np.quantile(known, [0.025, 0.975], axis=0)
            clipped = np.clip(known, low, high)
            features = np.hstack(
                [features, 0.4 * (np.clip(new, low, high) - clipped.mean(axis=0)) / clipped.std(axis=0)]
            )
        each = np.column_stack([one.predict_proba(features)[:, 1] for one in made])
        expected = np.hstack([1 - each, each]) if len(made) == 1 else each / each.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.ruleset_.predict_proba(X[1::2]), expected, rtol=1e-9, atol=1e-12)
        assert len(made) == {"two classes": 1, "three classes": 3}[data]

    def test_fitted_values_are_those_of_one_against_the_rest_on_the_paths_of_scikit_learns_trees(
        self, fitted, monkeypatch
    ):
        """With a free intercept, what an optimal L1 model says of its samples is unique, however features are found."""
        monkeypatch.setattr(logistic, "INTERCEPT_SCALING", 1000.0)
        monkeypatch.setattr("rulekit_rulefit.method.TOLERANCE", 1e-8)
        model, X, y = fitted
        model = clone(model).set_params(C=0.3, max_rules=None).fit(X, y)
        paths = [tree.decision_path(X.to_numpy(np.float32)).toarray() for tree in model.ensemble_.estimators_]
        features = np.unique(np.hstack(paths), axis=1).astype(float)
        features = features[:, ~features.all(axis=0)]
        one = LogisticRegression(
            C=0.3, l1_ratio=1.0, solver="liblinear", intercept_scaling=1000.0, tol=1e-7, max_iter=5000, random_state=1
        )
        expected = OneVsRestClassifier(one).fit(features, y).predict_proba(features)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-3)

    def test_weights_satisfy_the_conditions_of_an_optimum(self, fitted):
        """The gradient is 1 / C where a rule has a weight, and no larger where it has none."""
        model, X, y = fitted
        data = model.prepare(X, y)
        candidates = Candidates.of(data, "nodes", 1000)
        features = data.samples(candidates.bits).astype(float)
        kept = dict(zip(map(tuple, named(model.ruleset_)), weights_of(model), strict=True))
        conditions = [str(data.conditions.key(row)) for row in range(len(data.conditions))]
        antecedents = rows_of(candidates.antecedents, data.pad)
        none = np.zeros(len(model.classes_))
        weights = np.array([kept.get(tuple(conditions[row] for row in rule), none) for rule in antecedents])
        assert (weights != 0).any(axis=1).sum() == len(model.ruleset_) - 1
        for label in range(len(model.classes_)):
            log_odds = features.T @ weights[:, label] + model.ruleset_.inference.intercepts[label]
            gradient = model.C_ * features @ ((y.to_numpy() == label) - 1 / (1 + np.exp(-log_odds)))
            has_weight = weights[:, label] != 0
            np.testing.assert_allclose(gradient[has_weight], np.sign(weights[has_weight, label]), atol=2e-3)
            assert (np.abs(gradient[~has_weight]) < 1 + 2e-3).all()


def named(ruleset):
    keys = [str(ruleset.conditions.key(row)) for row in range(len(ruleset.conditions))]
    return [[keys[row] for row in antecedent] for antecedent in ruleset.antecedents[:-1]]


def weights_of(model):
    return np.array(model.ruleset_.inference.weights)


class TestCandidates:
    @pytest.mark.parametrize("source", ["nodes", "leaves"])
    @pytest.mark.parametrize("data", DATA)
    def test_they_are_the_different_sets_of_samples_of_scikit_learns_trees(self, data, source):
        X, y = DATA[data]()
        data = RuleFit(small_forest()).prepare(X, y)
        found = data.samples(Candidates.of(data, source, None).bits)
        expected = set()
        for tree in data.ensemble.estimators_:
            path = tree.decision_path(X.to_numpy(np.float32)).toarray().astype(bool)
            nodes = path[:, tree.tree_.children_left < 0] if source == "leaves" else path
            expected |= {side_of_first(column) for column in nodes.T if 0 < column.sum() < len(column)}
        assert len(found) == len(expected)
        assert {side_of_first(row) for row in found} == expected

    def test_of_several_with_the_same_samples_the_shortest_stays(self):
        X, y = two_classes()
        data = RuleFit(small_forest()).prepare(X, y)
        everything, chosen = data.node_antecedents(), Candidates.of(data, "nodes", None)
        shortest = {}
        for row, covers in zip(everything, data.samples(data.cover(everything)), strict=True):
            key, length = side_of_first(covers), (row != data.pad).sum()
            shortest[key] = min(length, shortest.get(key, length))
        kept = [shortest[side_of_first(covers)] for covers in data.samples(chosen.bits)]
        assert chosen.lengths.tolist() == kept

    def test_of_too_many_those_stay_that_the_penalty_would_let_in_first(self):
        """A penalty between two scores leaves the weights of all rules with the smaller score at zero."""
        X, y = three_classes()
        data = RuleFit(small_forest()).prepare(X, y)
        all_of_them = Candidates.of(data, "nodes", None)
        covers = data.samples(all_of_them.bits)
        fractions = np.bincount(y) / len(y)
        scores = [
            max(abs((row & (y == label)).sum() - row.sum() * fractions[label]) for label in range(3)) for row in covers
        ]
        np.testing.assert_allclose(all_of_them.scores, scores, rtol=1e-12)
        best = sorted(np.argsort(-np.array(scores), kind="stable")[:20])
        np.testing.assert_array_equal(Candidates.of(data, "nodes", 20).bits, all_of_them.bits[best])

    def test_features_are_made_in_blocks(self, monkeypatch):
        X, y = three_classes()
        data = RuleFit(small_forest()).prepare(X, y)
        candidates = Candidates.of(data, "nodes", None)
        monkeypatch.setattr("rulekit_rulefit.candidates.BLOCK", 7)
        expected = data.samples(candidates.bits).T
        np.testing.assert_array_equal(candidates.features().toarray(), expected)


def side_of_first(column):
    """The same for a set of samples and for all the others."""
    return (column ^ column[0]).tobytes()


class TestPenalty:
    def test_the_strongest_penalty_that_lets_a_rule_in_is_known_beforehand(self):
        X, y = two_classes()
        model = RuleFit(small_forest(), random_state=0)
        strongest = 1 / Candidates.of(model.prepare(X, y), "nodes", None).scores.max()
        with pytest.warns(FewRulesWarning, match="None of .* rules has a weight") as caught:
            nothing = clone(model).set_params(C=0.99 * strongest).fit(X, y)
        assert caught[0].filename == __file__
        assert len(nothing.ruleset_) == 1
        np.testing.assert_allclose(nothing.predict_proba(X)[0], np.bincount(y) / len(y), atol=5e-3)
        assert len(model.set_params(C=1.02 * strongest).fit(X, y).ruleset_) > 1

    def test_the_best_or_the_strongest_within_a_standard_error_is_chosen(self):
        path = Path(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.9, 0.55, 0.5, 0.6]), np.array([0.3, 0.1, 0.06, 0.2]))
        assert (path.choose(False), path.choose(True)) == (3.0, 2.0)

    def test_classes_are_spread_over_the_folds_and_a_single_sample_is_never_left_out(self):
        y = np.repeat([0, 1, 2, 3], [31, 8, 2, 1])
        folds = folds_of(y, 3, np.random.RandomState(0))
        assert np.bincount(folds[y == 0]).tolist() == [11, 10, 10]
        assert np.bincount(folds[y == 1]).tolist() == [3, 3, 2]
        assert sorted(folds[y == 2]) == [0, 1]
        assert folds[y == 3].tolist() == [-1]

    def test_losses_of_the_path_are_those_of_scikit_learn_on_the_same_parts(self, monkeypatch):
        monkeypatch.setattr("rulekit_rulefit.penalty.TOLERANCE", 1e-7)
        X, y = two_classes()
        model = RuleFit(small_forest(), n_penalties=2, random_state=7).fit(X, y)
        data = model.prepare(X, y)
        features = Candidates.of(data, "nodes", 1000).features()
        folds = folds_of(y.to_numpy(), 3, np.random.RandomState(7))
        losses = np.zeros(len(y))
        one = LogisticRegression(
            C=model.path_.C[0], l1_ratio=1.0, solver="liblinear", intercept_scaling=100.0, tol=1e-7
        )
        for fold in range(3):
            predicted = one.fit(features[folds != fold], y[folds != fold]).predict_proba(features[folds == fold])
            losses[folds == fold] = -np.log(predicted[np.arange(len(predicted)), y[folds == fold]])
        np.testing.assert_allclose(model.path_.losses[0], losses.mean(), rtol=1e-3)
        error = np.std([losses[folds == fold].mean() for fold in range(3)], ddof=1) / np.sqrt(3)
        np.testing.assert_allclose(model.path_.errors[0], error, rtol=1e-2)

    def test_a_class_with_one_sample_has_an_answer(self):
        X, y = load_iris(return_X_y=True)
        model = RuleFit(small_forest(), random_state=0).fit(X[:101], y[:101])
        assert model.predict_proba(X[:101]).shape == (101, 3)

    def test_a_class_of_the_ensemble_that_no_sample_has_gets_next_to_nothing(self):
        X, y = load_iris(return_X_y=True)
        model = RuleFit(small_forest().fit(X, y), C=0.5, random_state=0).fit(X[:100], y[:100])
        assert model.predict_proba(X[:100])[:, 2].max() < 0.02


class TestWhatIsPredicted:
    def test_a_rule_states_the_class_shares_of_its_samples(self, fitted):
        model, X, y = fitted
        for rule, matches in zip(model.ruleset_[:-1], model.ruleset_.matches(X), strict=True):
            counts = np.bincount(y[matches], minlength=len(model.classes_))
            np.testing.assert_allclose(rule.probabilities, counts / counts.sum(), rtol=1e-12)

    def test_the_default_rule_states_what_is_answered_where_no_rule_holds(self, fitted):
        model, _, _ = fitted
        ruleset = model.ruleset_
        nothing = np.zeros((len(ruleset) - 1, 1), dtype=bool)
        np.testing.assert_allclose(ruleset.inference.infer(nothing, ruleset)[0], ruleset.probabilities[-1], rtol=1e-12)

    def test_the_table_of_weights_follows_the_ruleset_from_the_most_important_on(self, fitted):
        model, X, _ = fitted
        table, ruleset = model.weights_, model.ruleset_
        assert table["rule"].tolist() == list(range(1, len(ruleset)))
        assert table["term"].tolist() == [rule.antecedent for rule in ruleset[:-1]]
        np.testing.assert_array_equal(table[[str(label) for label in model.classes_]], weights_of(model))
        spread = ruleset.matches(X).std(axis=1)
        np.testing.assert_allclose(table["importance"], np.abs(weights_of(model)).mean(axis=1) * spread, rtol=1e-9)
        assert table["importance"].is_monotonic_decreasing

    def test_features_share_the_importance_of_their_rules_and_have_that_of_their_terms(self):
        X, y = two_classes()
        model = RuleFit(small_forest(), linear_terms=True, C=1.0, random_state=0).fit(X, y)
        expected = dict.fromkeys(X.columns, 0.0)
        for position, importance, term in model.weights_[["rule", "importance", "term"]].itertuples(index=False):
            conditions = model.ruleset_[position - 1].conditions if position else ()
            features = {condition.feature for condition in conditions} or {term}
            for feature in features:
                expected[feature] += importance / len(features)
        total = sum(expected.values())
        np.testing.assert_allclose(model.feature_importances_, [each / total for each in expected.values()], rtol=1e-9)
        assert (model.weights_["rule"] == 0).any()


class TestLinearTerms:
    def test_they_say_what_rules_can_only_approximate(self):
        random = np.random.default_rng(0)
        X = random.normal(size=(600, 3))
        y = (random.random(600) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
        model = RuleFit(small_forest(), linear_terms=True, random_state=0).fit(X[:400], y[:400])
        of_term = model.weights_[model.weights_["rule"] == 0].set_index("term")["1"]
        assert of_term["x0"] > 0.2
        without = RuleFit(small_forest(), random_state=0).fit(X[:400], y[:400])

        def loss(model):
            return -np.log(model.predict_proba(X[400:])[np.arange(200), y[400:]]).mean()

        assert loss(model) < loss(without)

    def test_missing_values_and_categories_are_taken_as_the_ensemble_takes_them(self):
        for table in (table_with_gaps(), table_with_categories()):
            ensemble = HistGradientBoostingClassifier(
                max_iter=5, min_samples_leaf=5, categorical_features="from_dtype", random_state=0
            )
            model = RuleFit(ensemble, linear_terms=True, C=1.0, random_state=0).fit(table.X, table.y)
            assert np.isfinite(model.predict_proba(table.X)).all()
            assert model.score(table.X, table.y) > 0.8
            terms = model.weights_.loc[model.weights_["rule"] == 0, "term"].tolist()
            assert terms
            assert "colour" not in terms or table.name != "categories"

    def test_constant_columns_have_none(self):
        X, y = two_classes()
        model = RuleFit(small_forest(), linear_terms=True, C=1.0, random_state=0).fit(X.assign(same=3.0), y)
        assert "same" not in model.weights_["term"].tolist()


class TestAsAnEstimator:
    def test_it_is_discovered_through_its_entry_point(self):
        for kind, name in (("method", "rulefit"), ("inference", "linear")):
            (found,) = [each for each in rulekit.list_components(kind) if each.name == name]
            assert found.origin == "rulekit-rulefit 0.1.0"

    def test_parameters_nest_and_can_be_searched(self):
        X, y = two_classes()
        model = rulekit.build("rulefit", "gbm", ensemble__n_estimators=5, random_state=0)
        search = GridSearchCV(model, {"C": [0.1, 1.0], "ensemble__max_depth": [1, 2]}, cv=2).fit(X, y)
        assert search.best_params_.keys() == {"C", "ensemble__max_depth"}
        assert type(search.best_estimator_.ensemble_) is GradientBoostingClassifier

    def test_threads_and_repetition_change_nothing(self):
        X, y = three_classes()
        first, again, threads = (
            rulekit.build("rulefit", small_forest(), random_state=3, n_jobs=n_jobs).fit(X, y)
            for n_jobs in (None, None, 2)
        )
        assert first.ruleset_ == again.ruleset_ == threads.ruleset_

    @pytest.mark.parametrize("C", [None, 2.0])
    def test_trees_without_splits_leave_the_default_with_the_class_shares(self, C):
        X, y = np.ones((40, 2)), np.repeat([0, 1, 2], [20, 15, 5])
        with pytest.warns(FewRulesWarning, match="None of 0 rules has a weight"):
            model = RuleFit(small_forest(), linear_terms=True, C=C, random_state=0).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X[:1])[0], [0.5, 0.375, 0.125], atol=2e-3)
        assert model.weights_.empty
        assert model.feature_importances_.tolist() == [0.0, 0.0]

    # The forest has learnt other coin flips.
    @pytest.mark.filterwarnings("ignore:The rules predict the class that the ensemble")
    def test_nothing_but_coin_flips_gives_few_rules(self):
        X, y = make_classification(300, 5, n_informative=2, n_redundant=0, random_state=0)
        y = np.random.default_rng(0).permutation(y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewRulesWarning)
            model = RuleFit(small_forest().fit(X, np.random.default_rng(1).permutation(y)), random_state=0).fit(X, y)
        assert len(model.ruleset_) < model.n_candidates_ / 4

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"rules": "twigs"}, "rules must be one of 'nodes', 'leaves', got 'twigs'"),
            ({"C": 0}, "C must be a number above 0, got 0"),
            ({"max_rules": 0}, "max_rules must be a whole number of at least 1, got 0"),
            ({"n_folds": 1}, "n_folds must be a whole number of at least 2, got 1"),
            ({"n_penalties": 2.5}, "n_penalties must be a whole number of at least 1, got 2.5"),
            ({"winsorise": 0.7}, "winsorise must be a number of at least 0 and at most 0.5, got 0.7"),
            ({"linear_terms": "yes"}, "linear_terms must be True or False, got 'yes'"),
        ],
    )
    def test_what_a_parameter_cannot_be_is_refused(self, parameters, message):
        with pytest.raises(InvalidParameterError, match=f"RuleFit: {message}"):
            RuleFit(small_forest(), **parameters).fit([[0.0], [1.0]], [0, 1])

    def test_without_two_samples_of_a_class_the_penalty_must_be_given(self):
        forest = RandomForestClassifier(2, bootstrap=False, random_state=0)
        with pytest.raises(
            InvalidParameterError, match="no class has two samples, so C cannot be chosen by cross-validation"
        ):
            RuleFit(forest).fit([[0.0], [1.0]], [0, 1])
        assert RuleFit(forest, C=10.0).fit([[0.0], [1.0]], [0, 1]).predict([[0.0], [1.0]]).tolist() == [0, 1]
