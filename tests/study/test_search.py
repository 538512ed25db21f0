"""Choosing hyperparameters, and growing ensembles instead of training each anew."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)

from rulekit.model import find_adapter
from rulekit.study import CrossValidation, Ensemble, Store, Study, Variant, run_study, search
from rulekit.study.grids import configurations, has_choice
from rulekit.study.search import choose_ensemble, fit_family, mean_merit, merit
from rulekit.study.subsets import Fold, Subset
from rulekit.study.trials import best_position


@pytest.fixture(scope="module")
def subset():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return Subset(X.iloc[::2], y.to_numpy()[::2])


class TestGrid:
    def test_varies_its_first_name_slowest(self):
        found = configurations({"a": [1, 2], "b": [3, 4]})
        assert [tuple(each.values()) for each in found] == [(1, 3), (1, 4), (2, 3), (2, 4)]

    def test_without_names_is_one_configuration(self):
        assert configurations({}) == [{}]

    @pytest.mark.parametrize(("grid", "expected"), [({}, False), ({"a": [1]}, False), ({"a": [1], "b": [1, 2]}, True)])
    def test_has_a_choice_with_two_configurations(self, grid, expected):
        assert has_choice(grid) == expected == (len(configurations(grid)) > 1)


GROWING = [
    RandomForestClassifier(max_depth=3, random_state=0),
    ExtraTreesClassifier(max_depth=3, random_state=0),
    BaggingClassifier(random_state=0),
    GradientBoostingClassifier(max_depth=2, random_state=0),
    GradientBoostingClassifier(max_depth=2, subsample=0.5, max_features=3, random_state=0),
    RandomForestClassifier(max_depth=3, max_samples=0.5, class_weight={0: 2.0}, random_state=0),
    GradientBoostingClassifier(max_depth=2, init="zero", random_state=0),
]


def sized(model, *sizes):
    from sklearn.base import clone

    return [clone(model).set_params(n_estimators=size) for size in sizes]


def trees(model):
    """Every number that rules are made from."""
    forest = find_adapter(model).forest(model)
    return [
        (tree.features.tolist(), tree.thresholds.tolist(), tree.priors.tolist()) for t in forest.rounds for tree in t
    ]


class TestGrowing:
    @pytest.mark.parametrize("model", GROWING, ids=lambda model: type(model).__name__)
    def test_gives_the_ensembles_that_training_each_by_itself_gives(self, model, subset):
        grown = fit_family(sized(model, 3, 5, 9), subset)
        alone = [each.fit(subset.X, subset.y) for each in sized(model, 3, 5, 9)]
        for ours, theirs in zip(grown, alone, strict=True):
            assert trees(ours) == trees(theirs)
            np.testing.assert_array_equal(ours.predict_proba(subset.X), theirs.predict_proba(subset.X))
            assert ours.get_params() == theirs.get_params()

    def test_trains_no_tree_twice(self, subset, monkeypatch):
        n_trees = []
        fit = RandomForestClassifier.fit

        def counting(self, X, y):
            before = len(getattr(self, "estimators_", ()))
            fit(self, X, y)
            n_trees.append(len(self.estimators_) - before)
            return self

        monkeypatch.setattr(RandomForestClassifier, "fit", counting)
        fit_family(sized(GROWING[0], 3, 5, 9), subset)
        assert n_trees == [3, 2, 4]

    @pytest.mark.parametrize(
        "models",
        [
            sized(AdaBoostClassifier(random_state=0), 2, 3),
            sized(GradientBoostingClassifier(n_iter_no_change=1, random_state=0), 2, 3),
            [RandomForestClassifier(2, max_depth=2, random_state=0), RandomForestClassifier(3, random_state=0)],
            sized(RandomForestClassifier(random_state=0), 3, 3),
            sized(RandomForestClassifier(max_depth=2), 2, 3),
            sized(RandomForestClassifier(max_depth=2, warm_start=True, random_state=0), 2, 3),
            sized(RandomForestClassifier(max_depth=2, class_weight="balanced", random_state=0), 2, 3),
            sized(BaggingClassifier(oob_score=True, random_state=0), 40, 50),
        ],
        ids=[
            *("without warm start", "stopping early", "differing in more", "of one size", "without a seed"),
            *("growing themselves", "warning of class weights", "raising for out-of-bag scores"),
        ],
    )
    def test_is_left_to_ensembles_that_give_the_same(self, models, subset):
        assert fit_family(models, subset) == models

    @pytest.mark.parametrize("ensemble", ["rf", "gbm"])
    def test_leaves_every_result_of_a_study_as_it_is(self, ensemble, subset, tmp_path, monkeypatch):
        study = Study(
            "growing",
            ["sklearn:wine"],
            [Ensemble(ensemble, grid={"n_estimators": [4, 2, 8], "max_depth": [1, 2]})],
            [Variant("rcprob", grid={"min_precision": [0.5, 0.75]})],
            outer=CrossValidation(2),
            inner=CrossValidation(2),
        )
        run_study(study, tmp_path / "grown.sqlite", n_jobs=1)
        monkeypatch.setattr(search, "_can_grow", lambda models: False)
        run_study(study, tmp_path / "alone.sqlite", n_jobs=1)
        grown, alone = (Store(tmp_path / f"{name}.sqlite") for name in ("grown", "alone"))
        times = ["seconds", "search_seconds"]
        pd.testing.assert_frame_equal(grown.results().drop(columns=times), alone.results().drop(columns=times))
        assert len(grown.results()) == 4
        assert list(grown.rulesets()) == list(alone.rulesets())
        for (_, _, ours), (_, _, theirs) in zip(grown.predictions(), alone.predictions(), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def folds_of(subset):
    rows = np.arange(len(subset))
    return [Fold(subset.take(rows[rows % 2 != part]), subset.take(rows[rows % 2 == part])) for part in (0, 1)]


class TestChoiceOfAnEnsemble:
    def test_is_the_one_with_the_best_mean_score(self, subset):
        grid = {"n_estimators": [1, 20], "max_depth": [1, 4]}
        folds = folds_of(subset)

        def make(configuration):
            return RandomForestClassifier(random_state=0, **configuration)

        means = [
            np.mean([merit("log_loss", make(each).fit(fold.train.X, fold.train.y), fold.test) for fold in folds])
            for each in configurations(grid)
        ]
        choice = choose_ensemble(make, grid, folds, "log_loss")
        assert choice.configuration == configurations(grid)[int(np.argmax(means))]
        assert choice.merit == pytest.approx(max(means))
        assert [len(model.estimators_) for model in choice.models] == [choice.configuration["n_estimators"]] * 2

    def test_is_the_first_of_equals_whatever_grows_first(self, subset, monkeypatch):
        monkeypatch.setattr(search, "merit", lambda *_: 0.5)
        grid = {"n_estimators": [3, 1, 2], "max_depth": [2, 1]}
        choice = choose_ensemble(lambda each: RandomForestClassifier(**each), grid, folds_of(subset), "accuracy")
        assert choice.configuration == {"n_estimators": 3, "max_depth": 2}


class TestChoiceOfAVariant:
    @pytest.fixture
    def choose(self, monkeypatch):
        """Chooses among configurations whose scores on each of two folds are given."""

        def chosen(*scores, by="accuracy"):
            monkeypatch.setattr(search, "_score", lambda name, model, test, ensemble: model)
            grid = {"position": list(range(len(scores)))}
            means = [mean_merit(merit(by, score, None) for score in of_folds) for of_folds in scores]
            return best_position(grid, None, 0, lambda positions: [means[position] for position in positions])

        return chosen

    def test_is_the_one_with_the_best_mean(self, choose):
        assert choose((0.5, 0.6), (0.9, 0.3), (0.2, 0.2)) == 1

    def test_is_the_lowest_where_lower_is_better(self, choose):
        assert choose((0.5, 0.6), (0.9, 0.3), (0.2, 0.2), by="log_loss") == 2

    def test_is_the_first_of_equals(self, choose):
        assert choose((0.1, 0.2), (0.4, 0.2), (0.2, 0.4)) == 1

    def test_is_never_one_without_a_score(self, choose):
        assert choose((float("nan"), 0.9), (0.1, 0.1)) == 1


class TestMerit:
    @pytest.mark.parametrize("name", search.variant_scores())
    def test_is_what_the_measures_say(self, name):
        import rulekit
        from rulekit.evaluation import evaluate

        X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40) % 3})
        y = (np.arange(40) + np.arange(40) % 5 > 20).astype(int)
        forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
        model = rulekit.build("rcprob", forest).fit(X, y)
        measures = {**evaluate(model, X, y), "accuracy": float(np.mean(model.predict(X) == y))}
        higher = ("accuracy", "macro_f1", "fidelity", "uniqueness", "balanced_accuracy", "roc_auc", "average_precision")
        higher += ("ks", "lift_at_10", "rarest_class_recall")
        sign = 1 if name in higher else -1
        assert merit(name, model, Subset(X, y), forest) == sign * measures[name]

    def test_a_class_that_no_training_sample_was_of_counts_as_never_predicted(self):
        X, y = pd.DataFrame({"a": np.arange(9.0)}), np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
        tree = RandomForestClassifier(1, random_state=0, bootstrap=False).fit(X[y < 2], y[y < 2])
        assert merit("accuracy", tree, Subset(X, y)) == 8 / 9
        assert merit("macro_f1", tree, Subset(X, y)) == pytest.approx((1 + 8 / 9 + 0) / 3)
