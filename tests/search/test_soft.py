"""The list that grows from honest probabilities: as a slow twin grows it, within limits, and always the same."""

import attrs
import numpy as np
import pytest
from reference.soft import SlowSoft
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.context import Budget, BudgetSpent, SearchContext
from rulekit.core.errors import InvalidParameterError
from rulekit.core.rules import answered_counts
from rulekit.priors.product import Product
from rulekit.probability.naive_bayes import NaiveBayes
from rulekit.search.soft import Soft
from rulekit.search.soft_objective import UNIT, SoftObjective

DATA = {"iris": load_iris(return_X_y=True), "cancer": load_breast_cancer(return_X_y=True)}


def samples_of(name):
    X, y = DATA[name]
    rows = np.random.default_rng(0).permutation(len(y))[:60]
    return X[rows][:, :6], y[rows]


def setting(name="iris", ensemble=None, sample_weight=None, **options):
    """A context on few samples, and the leaves of each tree as its pool."""
    X, y = samples_of(name)
    if ensemble is None:
        ensemble = RandomForestClassifier(6, max_depth=3, random_state=0)
    data = rulekit.build("rcprob", ensemble, **options).prepare(X, y, sample_weight=sample_weight)
    context = SearchContext(data, Product().fit(data), NaiveBayes().fit(data))
    return context, list(data.tree_rules())


def boosting():
    return GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0)


def sets_of(context, conditions, X):
    everything = context.data.with_samples(X, np.zeros(len(X), dtype=np.int64))
    covered = everything.samples(everything.cover(conditions))
    return [frozenset(np.flatnonzero(row).tolist()) for row in covered]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize(
    ("ensemble", "parameters"),
    [
        (None, {"n_virtual": 2}),
        (boosting(), {"n_virtual": 1, "honest_weight": 0.5, "prior_strength": 1.0, "smoothing": 1.0}),
        (boosting(), {"n_virtual": 0}),
    ],
)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_list_is_that_of_the_slow_twin(name, ensemble, parameters, is_weighted):
    weights = {"sample_weight": np.arange(8, 68) / 8, "class_weight": {0: 0.5, 1: 4.0}} if is_weighted else {}
    context, pool = setting(name, ensemble, **weights)
    refined = Soft(**parameters).refine(pool[0], pool, context)
    honest, data = refined.honest, context.data
    rows = {}
    for rules in pool:
        for antecedent, bits in zip(rules.conditions, rules.bits, strict=True):
            if data.count(bits).sum() >= 2:
                rows.setdefault(bits.tobytes(), data.tidy(antecedent[None])[0])
    width = max(map(len, rows.values()))
    conditions = np.array([[*row, *[data.pad] * (width - len(row))] for row in rows.values()])
    sets = sets_of(context, conditions, honest.X)
    known = [None if np.isnan(row).any() else row.tolist() for row in honest.probabilities]
    parameters = {"n_each": parameters["n_virtual"], **parameters}
    del parameters["n_virtual"]
    if is_weighted:
        parameters |= {"weights": honest.weights.tolist(), "of_one": data.index.class_factors.tolist()}
    slow = SlowSoft(data.y.tolist(), known, sets, data.n_classes, **parameters)
    path = slow.grown(len(pool[0]))
    assert [sets[row] for row in path[-1]] == sets_of(context, refined.rules.conditions, honest.X)
    assert refined.report["n_pool"] == len(sets)
    assert refined.report["gain"] == pytest.approx(slow.value(path[-1]) - slow.value([]))
    expected = {len(rows): [sets[row] for row in rows] for rows in path[1:]}
    found = {len(rules): sets_of(context, rules.conditions, honest.X) for rules in refined.path}
    assert {length: expected[length] for length in found} == found
    assert sorted(found) == list(range(1, len(refined.rules) + 1))


def test_every_rule_answers_a_training_sample_and_predicts_their_most_frequent_class():
    context, pool = setting("cancer")
    rules = Soft().refine(pool[0], pool, context).rules
    counts = answered_counts(rules.bits, context.index)[:-1]
    assert len(rules)
    assert (counts.sum(axis=1) > 0).all()
    assert (counts.argmax(axis=1) == rules.classes).all()


@pytest.mark.parametrize(("own", "budget", "expected"), [(2, None, 2), (None, 2, 2), (1, 2, 2), (2, 1, 1)])
def test_the_limit_of_the_extractor_takes_the_place_of_its_own(own, budget, expected):
    context, pool = setting("cancer")
    limited = attrs.evolve(context, budget=Budget(max_rules=budget))
    unlimited = Soft(max_rules=None).refine(pool[0], pool, context).rules
    assert len(Soft(max_rules=own).refine(pool[0], pool, limited).rules) == expected
    assert 2 < len(unlimited) <= len(pool[0])


def test_candidates_beyond_the_limit_are_left_out():
    context, pool = setting("cancer")
    assert Soft(max_pool=5).refine(pool[0], pool, context).report["n_pool"] == 5


def test_small_blocks_and_threads_change_nothing(monkeypatch):
    context, pool = setting("cancer")
    whole = Soft().refine(pool[0], pool, context)
    monkeypatch.setattr("rulekit.search.soft_list.BLOCK", 1000)
    monkeypatch.setattr("rulekit.core.virtual_samples.BLOCK", 1000)
    context, pool = setting("cancer", n_jobs=2)
    blocks = Soft().refine(pool[0], pool, context)
    assert np.array_equal(whole.rules.conditions, blocks.rules.conditions)
    assert np.array_equal(whole.honest.X, blocks.honest.X, equal_nan=True)
    assert whole.report == blocks.report


@pytest.mark.parametrize("ensemble", [None, boosting()])
def test_the_seed_decides(ensemble):
    drawn = []
    for seed in (1, 1, 2):
        context, pool = setting("cancer", ensemble, random_state=seed)
        drawn.append(Soft().refine(pool[0], pool, context).honest.X)
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[1], drawn[2])


class CountsFits(GradientBoostingClassifier):
    """Counts how often any copy is fitted."""

    n_fits = 0

    def fit(self, X, y):
        CountsFits.n_fits += 1
        return super().fit(X, y)


@pytest.mark.parametrize(("parameters", "expected"), [({}, 5), ({"n_folds": 2}, 2), ({"honest": "out-of-bag"}, 0)])
def test_boosting_is_fitted_again_once_for_each_fold(parameters, expected):
    context, pool = setting("iris", CountsFits(n_estimators=2, max_depth=2, random_state=0))
    CountsFits.n_fits = 0
    Soft(**parameters).refine(pool[0], pool, context)
    assert CountsFits.n_fits == expected


def test_forests_are_not_fitted_again_unless_wanted():
    context, pool = setting()
    assert Soft().refine(pool[0], pool, context).report["honest"] == "out-of-bag"
    assert Soft(honest="cross-fit").refine(pool[0], pool, context).report["honest"] == "cross-fit"


class FailsAgain(GradientBoostingClassifier):
    """Can be fitted on all samples only."""

    def fit(self, X, y):
        if len(y) < 60:
            raise ValueError("too few")
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("ensemble", "parameters", "reason"),
    [
        (
            FailsAgain(n_estimators=2),
            {},
            "a copy of the FailsAgain could not be fitted on some samples: too few",
        ),
        (boosting(), {"honest": "out-of-bag"}, "the ensemble has no out-of-bag probabilities of these samples"),
        (None, {"honest": "none"}, "honest='none'"),
    ],
)
def test_without_honest_predictions_the_list_is_kept_and_the_history_says_why(ensemble, parameters, reason):
    context, pool = setting("iris", ensemble)
    refined = Soft(**parameters).refine(pool[0], pool, context)
    alive = answered_counts(pool[0].bits, context.index)[:-1].sum(axis=1) > 0
    assert np.array_equal(refined.rules.conditions, pool[0].conditions[alive])
    assert refined.report == {"stage": "kept", "n_dead": int((~alive).sum()), "reason": reason}
    assert refined.honest is None


def test_time_is_checked_before_each_fit():
    context, pool = setting("iris", CountsFits(n_estimators=2, max_depth=2, random_state=0))
    CountsFits.n_fits = 0
    spent = Budget(max_seconds=0.0)
    with pytest.raises(BudgetSpent):
        spent.begin_tree(1)
    with pytest.raises(BudgetSpent):
        Soft().refine(pool[0], pool, attrs.evolve(context, budget=spent))
    assert CountsFits.n_fits == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_virtual", -1),
        ("n_virtual", None),
        ("n_folds", 1),
        ("n_folds", None),
        ("honest", "yes"),
        ("honest_weight", -1.0),
        ("smoothing", 0.0),
        ("prior_strength", -1.0),
        ("max_pool", 0),
        ("max_rules", 0),
    ],
)
def test_bad_parameters_are_rejected_before_the_search(name, value):
    context, _ = setting()
    with pytest.raises(InvalidParameterError, match=name):
        Soft(**{name: value}).begin(context)


def test_the_example_of_the_documentation():
    objective = SoftObjective(np.array([1.5, 1.5]), honest_weight=2.0)
    labels, honest = np.array([[3, 1], [1, 3], [4, 4]]), np.array([[3.2, 0.8], [1, 3], [4.2, 3.8]])
    rule, rest, together = objective.value(np.hstack([honest / UNIT, labels])).round(3).tolist()
    assert (rule, rest, together) == (-2.293, -2.415, -5.626)
