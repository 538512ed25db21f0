"""The second search of the list: as a slow twin does it, within its limits, and without dead rules."""

import attrs
import numpy as np
import pytest
from core.training_sets import TrainingSet, antecedents_from, conditions_of, random_rules, random_training_set
from reference.relist import SlowRelist
from search.contexts import context_of

from rulekit.core.context import Budget
from rulekit.core.errors import InvalidParameterError
from rulekit.core.rules import Rules
from rulekit.core.weights import Weights
from rulekit.search.relist import Relist

pytestmark = pytest.mark.usefixtures("engine")


def relist(**parameters):
    """Without nodes: there are no trees here."""
    return Relist(node_depth=0, **parameters)


def setting(seed, n_rules=12, n_samples=200, **options):
    """A context whose labels follow the rules in part, a list, and rulesets of a pool that includes it."""
    drawn = random_training_set(seed, n_samples=n_samples, n_classes=2 + seed % 2)
    index = drawn.index()
    rulesets = [random_rules(drawn, index, 10 * seed + k, n_rules=n_rules, longest=3, shortest=1) for k in range(3)]
    rng = np.random.default_rng(seed)
    for row in range(n_rules):
        samples = index.samples(rulesets[row % 3].bits[row])
        drawn.y[samples & (rng.random(n_samples) < 0.7)] = row % drawn.n_classes
    context = context_of(drawn, **options)
    return drawn, context, [rules.on(context.index) for rules in rulesets]


def sets_of_samples(rules, index):
    return [frozenset(np.flatnonzero(index.samples(bits)).tolist()) for bits in rules.bits]


def answered(rules, index):
    left, counts = set(range(index.n_samples)), []
    for samples in sets_of_samples(rules, index):
        counts.append(len(left & samples))
        left -= samples
    return counts


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("of_one", [[0.25, 6.0, 1.0], [1.0, 1.0, 1.0]])
def test_with_weights_the_list_is_that_of_the_slow_twin(seed, of_one):
    """Of samples, of classes, and of both."""
    drawn, context, pool = setting(seed)
    of_one, rng = of_one[: drawn.n_classes], np.random.default_rng(seed)
    given = rng.integers(1, 40, len(drawn.y)) / 8 if seed or of_one[0] == 1 else np.ones(len(drawn.y))
    weights = Weights.of(given, dict(enumerate(of_one)), drawn.y, np.arange(drawn.n_classes))
    context = attrs.evolve(context, data=context.data.with_samples(drawn.X, drawn.y, weights))
    pool = [rules.on(context.index) for rules in pool]
    refined = relist().refine(pool[0], pool, context)
    distinct = list(dict.fromkeys(s for rules in pool for s in sets_of_samples(rules, context.index) if s))
    of_samples = weights.of_samples(drawn.y).tolist()
    slow = SlowRelist(drawn.y.tolist(), drawn.n_classes, distinct, weights=of_samples, of_one=of_one)
    start = list(dict.fromkeys(distinct.index(s) for s in sets_of_samples(pool[0], context.index) if s))
    expected = slow.relist(start, len(pool[0]))
    assert [distinct[row] for row in expected] == sets_of_samples(refined.rules, context.index)
    gain = slow.value(expected) - slow.fit(start) + 2.0 * len(pool[0])
    assert refined.report["gain"] == pytest.approx(gain)


@pytest.mark.parametrize("seed", range(6))
def test_the_list_is_that_of_the_slow_twin(seed):
    drawn, context, pool = setting(seed)
    parameters = {"rule_cost": [2.0, 0.0, 0.5][seed % 3], "f1_weight": [0.3, 0.0][seed % 2]}
    refined = relist(**parameters).refine(pool[0], pool, context)
    distinct = [s for rules in pool for s in sets_of_samples(rules, context.index) if s]
    distinct = list(dict.fromkeys(distinct))
    slow = SlowRelist(drawn.y.tolist(), drawn.n_classes, distinct, **parameters)
    start = list(dict.fromkeys(distinct.index(s) for s in sets_of_samples(pool[0], context.index) if s))
    expected = slow.relist(start, len(pool[0]))
    assert [distinct[row] for row in expected] == sets_of_samples(refined.rules, context.index)
    gain = slow.value(expected) - slow.fit(start) + parameters["rule_cost"] * len(pool[0])
    assert refined.report["gain"] == pytest.approx(gain)
    assert refined.report["n_pool"] == len(distinct)


@pytest.mark.parametrize("seed", range(4))
def test_no_rule_is_dead_and_each_predicts_the_most_frequent_class_that_it_answers(seed):
    drawn, context, pool = setting(seed)
    rules = relist(rule_cost=0.0).refine(pool[0], pool, context).rules
    assert min(answered(rules, context.index), default=1) > 0
    left = set(range(len(drawn.y)))
    for samples, cls in zip(sets_of_samples(rules, context.index), rules.classes.tolist(), strict=True):
        counts = drawn.count(left & samples)
        assert counts.index(max(counts)) == cls
        left -= samples


def test_it_improves_the_list_and_says_what_it_did():
    _, context, pool = setting(1)
    refined = relist().refine(pool[0], pool, context)
    report = refined.report
    assert report["gain"] > 0
    changes = report["n_inserted"] - report["n_deleted"]
    assert len(refined.rules) <= len(pool[0]) + changes
    assert 1 <= report["n_trees"] <= len(pool)
    assert 1 <= report["n_sweeps"] <= 3


@pytest.mark.parametrize(("own", "asked", "most"), [(3, None, 3), (None, 3, 3), (3, 8, 8), (8, 3, 3)])
def test_the_list_is_never_longer_than_its_limit_which_that_of_the_extractor_replaces(own, asked, most):
    _, context, pool = setting(2)
    stage = relist(rule_cost=0.0, max_rules=own)
    assert len(stage.refine(pool[0], pool, limited(context, asked)).rules) <= most


def test_a_list_grows_beyond_that_of_the_loop_only_if_the_extractor_has_a_limit():
    _, context, pool = setting(1)
    first = pool[0].take(np.array([0]))
    lengths = [len(relist().refine(first, pool, limited(context, asked)).rules) for asked in (None, 3)]
    assert lengths == [1, 3]


def limited(context, max_rules):
    return attrs.evolve(context, budget=Budget(max_rules=max_rules))


def value_of(rules, drawn, context):
    """What a list is worth to the slow twin."""
    slow = SlowRelist(drawn.y.tolist(), drawn.n_classes, sets_of_samples(rules, context.index))
    return slow.value(range(len(rules)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("asked", [3, 14])
def test_with_a_limit_the_list_is_that_of_the_slow_twin_and_no_worse_than_the_longer_list_cut_to_it(seed, asked):
    drawn, context, pool = setting(seed)
    free, refined = (relist().refine(pool[0], pool, limited(context, most)) for most in (None, asked))
    distinct = list(dict.fromkeys(s for rules in pool for s in sets_of_samples(rules, context.index) if s))
    slow = SlowRelist(drawn.y.tolist(), drawn.n_classes, distinct)
    start = list(dict.fromkeys(distinct.index(s) for s in sets_of_samples(pool[0], context.index) if s))
    expected = slow.relist(start, len(pool[0]), asked)
    assert [distinct[row] for row in expected] == sets_of_samples(refined.rules, context.index)
    cut = next(rules for rules in free.path if len(rules) <= asked)
    assert value_of(refined.rules, drawn, context) >= value_of(cut, drawn, context) - 1e-9


def test_the_path_holds_one_list_of_each_length():
    _, context, pool = setting(3)
    refined = relist(rule_cost=0.0).refine(pool[0], pool, context)
    assert [len(rules) for rules in refined.path] == list(range(len(refined.rules), 0, -1))


def test_small_blocks_of_memory_change_nothing(monkeypatch):
    _, context, pool = setting(4)
    whole = relist().refine(pool[0], pool, context).rules
    monkeypatch.setattr("rulekit.search.edited_list.BLOCK", 40)
    assert np.array_equal(whole.conditions, relist().refine(pool[0], pool, context).rules.conditions)


def test_a_very_long_list_is_cut_down_to_its_limit():
    _, context, pool = setting(5, n_rules=300, n_samples=400)
    rules = relist(max_rules=5).refine(pool[0], pool, context).rules
    assert 0 < len(rules) <= 5


@pytest.mark.parametrize(
    ("name", "value"),
    [("rule_cost", -1.0), ("smoothing", 0.0), ("max_rules", 0), ("max_sweeps", 0), ("node_depth", -1)],
)
def test_bad_parameters_are_rejected_before_the_search(name, value):
    _, context, _ = setting(0)
    with pytest.raises(InvalidParameterError, match=name):
        Relist(**{name: value}).begin(context)


def test_the_example_of_the_documentation():
    """docs/explanation/relist.md, By hand: rules A and B of the loop, C and D of other trees."""
    counts = [(1, 6), (6, 0), (5, 0), (0, 6)]
    X = np.repeat([[5.0], [15.0], [25.0], [35.0]], [7, 6, 5, 6], axis=0)
    y = np.array([label for part in counts for label, n in enumerate(part) for _ in range(n)])
    drawn = TrainingSet(X, y, conditions_of([(0, 10.0), (0, 20.0), (0, 30.0)], 1), 2)
    context = context_of(drawn)
    ids = {(is_upper, threshold): row for row, (_, is_upper, threshold) in enumerate(drawn.triples)}
    a, b = [ids[True, 10.0]], [ids[False, 10.0]]
    c, d = [ids[False, 10.0], ids[True, 20.0]], [ids[False, 20.0], ids[True, 30.0]]
    antecedents = antecedents_from([a, b, c, d], len(drawn.conditions))
    pool = Rules.of(antecedents, np.full((4, 2), 0.5), np.array([1, 0, 0, 0]), context.index, None)
    listed = pool.take(np.arange(2))
    refined = relist().refine(listed, [listed, pool], context)
    assert refined.rules.conditions.tolist() == antecedents[[3, 2]].tolist()
    said = {"n_pool": 4, "n_deleted": 1, "n_replaced": 1, "n_inserted": 1, "n_sweeps": 2}
    assert said.items() <= refined.report.items()
    assert refined.report["gain"] == pytest.approx(10.656, abs=5e-4)
