"""Rules of large leaves alone, found from the roots down, against the rules of all leaves."""

import numpy as np
import pytest
from core.training_sets import sets_of
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.statistics import Limits
from rulekit.core.tree_rules import round_rules

pytestmark = pytest.mark.usefixtures("engine")


def with_gaps(X):
    """One value in ten is missing, and the last feature is made of categories."""
    X = X.copy()
    X[:, -1] = np.round(X[:, -1] * 4)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return X


MODELS = {
    "deep forest": (RandomForestClassifier(6, random_state=0), np.asarray),
    "several trees a round": (GradientBoostingClassifier(n_estimators=4, random_state=0), np.asarray),
    "trees that never split": (RandomForestClassifier(2, min_samples_leaf=100, random_state=0), np.asarray),
    "categories and missing values": (
        HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=3, categorical_features=[3]),
        with_gaps,
    ),
}


def data_of(name):
    model, changed = MODELS[name]
    X, y = load_iris(return_X_y=True)
    X = changed(X)
    return rulekit.build("rcprob", model.fit(X, y)).prepare(X, y)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("min_coverage", [-1.0, 0.0, 0.02, 0.3])
def test_large_leaves_are_those_that_cover_more_than_the_limit(name, min_coverage):
    data = data_of(name)
    limits = Limits(data.n_samples, min_coverage, 0.0)
    for n_words in (0, 40, 2**20):
        for of_round in round_rules(data.leaves, data.index, limits, n_words):
            every, large = of_round.all(), of_round.large()
            expected = every.take(np.flatnonzero(every.covered > min_coverage * data.n_samples))
            assert sets_of(expected, data.pad) == sets_of(large, data.pad)
            for column in ("priors", "classes", "bits", "counts", "groups"):
                assert getattr(expected, column).tolist() == getattr(large, column).tolist()


def test_every_round_is_there_once_in_its_order_however_few_fit_at_once():
    data = data_of("deep forest")
    for n_words in (0, 100, 2**20):
        rounds = list(round_rules(data.leaves, data.index, Limits(data.n_samples, 0.1, 0.0), n_words))
        assert list(data.leaves) == [of_round.leaves for of_round in rounds]


def test_few_sets_without_a_common_sample_can_each_hold_more_than_a_tenth():
    assert [Limits(150, limit, 0.5).most_disjoint for limit in (0.0, 0.1, 0.3, 1.0)] == [np.inf, 10, 4, 1]


@pytest.mark.parametrize("method", ["rcprob", "rc+"])
def test_rules_of_a_deep_forest_are_those_of_a_search_that_makes_all_leaves(method, monkeypatch):
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(15, random_state=0).fit(X[::2], y[::2])
    found = []
    for obeys in (True, False):
        monkeypatch.setattr("rulekit.search.cover.Cover.obeys_coverage", obeys)
        model = rulekit.build(method, forest, min_coverage=0.03).fit(X, y)
        found.append((str(model.ruleset_), model.predict_proba(X).tolist(), len(model.history_)))
    assert found[0] == found[1]
