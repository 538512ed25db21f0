"""Simplify against its naive twin."""

import attrs
import numpy as np
import pytest
from core.training_sets import TrainingSet, antecedents_from, conditions_of, random_rules, random_training_set, sets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from search import naive
from search.contexts import PARTS, context_of

from rulekit.core.context import Budget
from rulekit.core.rules import Rules
from rulekit.core.statistics import RULE_ORDERS
from rulekit.probability.hybrid import EnsembleMEstimate
from rulekit.search.simplify import Simplify, generalise

pytestmark = pytest.mark.usefixtures("engine")

quickly = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 2**32 - 1)
every_method = pytest.mark.parametrize("method", PARTS)


def prepared(seed, method, **options):
    """Rules of the majority class of their samples as often as not, so that some survive."""
    drawn = random_training_set(seed, n_classes=2, n_features=3)
    context = context_of(drawn, method, **options)
    rules = random_rules(drawn, context.index, seed, n_rules=15, longest=6)
    return drawn, context, rules


def listed(rules, pad):
    return list(zip(sets_of(rules, pad), rules.classes.tolist(), strict=True))


@every_method
@pytest.mark.parametrize("drop_redundant", [True, False])
@quickly
@given(seed=seeds, order=st.sampled_from(RULE_ORDERS), confidence=st.sampled_from([0.1, 0.25, 0.9]))
def test_rules_are_those_of_the_naive_loop_in_its_order(method, drop_redundant, seed, order, confidence):
    drawn, context, rules = prepared(seed, method, rule_order=order, confidence=confidence)
    expected = naive.simplify(rules, drawn, context, drop_redundant)
    actual = Simplify(drop_redundant=drop_redundant).simplify(rules, context)
    assert expected == listed(actual, context.index.pad)


@every_method
@quickly
@given(seed=seeds, min_precision=st.sampled_from([0.0, 0.6]), min_coverage=st.sampled_from([0.0, 0.1]))
def test_limits_are_those_of_the_naive_loop(method, seed, min_precision, min_coverage):
    drawn, context, rules = prepared(seed, method, min_precision=min_precision, min_coverage=min_coverage)
    expected = naive.simplify(rules, drawn, context)
    assert expected == listed(Simplify().simplify(rules, context), context.index.pad)


@every_method
@quickly
@given(seed=seeds, max_conditions=st.integers(1, 4), drop_redundant=st.booleans())
def test_rules_that_are_too_long_are_shortened_as_in_the_naive_loop(method, seed, max_conditions, drop_redundant):
    drawn, context, rules = prepared(seed, method, max_conditions=max_conditions)
    expected = naive.simplify(rules, drawn, context, drop_redundant)
    actual = Simplify(drop_redundant).simplify(rules, context)
    assert expected == listed(actual, context.index.pad)


@quickly
@given(seed=seeds, strength=st.sampled_from([2.0, 30.0]))
def test_search_estimators_may_use_the_prior_of_each_rule(seed, strength):
    drawn, context, rules = prepared(seed, "rc+")
    context = attrs.evolve(context, search_estimator=EnsembleMEstimate(strength).fit(context.index))
    expected = naive.simplify(rules, drawn, context)
    assert expected == listed(Simplify().simplify(rules, context), context.index.pad)


@pytest.mark.parametrize("order", RULE_ORDERS)
def test_equals_stand_by_the_second_number_then_by_length_then_by_string(order):
    """Rules of class 1 that share no sample: four right ones each, two of them with as many conditions as they need.

    Columns: a for four samples of class 1; b for another four and two of class 0; c and d for four more, and each
    alone for ten of class 0; e for the last four.
    """
    groups = [("a", 4, 1), ("b", 4, 1), ("b", 2, 0), ("cd", 4, 1), ("c", 10, 0), ("d", 10, 0), ("e", 4, 1), ("", 30, 0)]
    X = np.array([[float(name in columns) for name in "abcde"] for columns, size, _ in groups for _ in range(size)])
    y = np.array([label for _, size, label in groups for _ in range(size)])
    drawn = TrainingSet(X, y, conditions_of([(position, 0.5) for position in range(5)], 5), 2)
    context = context_of(drawn, rule_order=order)
    above = [drawn.triples.index((position, False, 0.5)) for position in range(5)]
    wanted = {"a": [above[0]], "b": [above[1]], "cd": above[2:4], "e": [above[4]]}
    rows = antecedents_from([wanted[name] for name in ("e", "a", "cd", "b")], context.index.pad)
    rules = Rules.of(rows, np.tile([0.0, 1.0], (4, 1)), np.ones(4, dtype=np.int64), context.index, None)
    found = sets_of(Simplify().simplify(rules, context), context.index.pad)
    first, last = ([], ["b"]) if order == "precision" else (["b"], [])
    assert found == [frozenset(wanted[name]) for name in (*first, "cd", "a", "e", *last)]


@every_method
def test_memory_for_all_removals_is_asked_for_before_each_round(method, monkeypatch):
    """Of eight bytes: each removal's conditions, and twice probabilities and counts of two classes."""
    drawn, context, rules = prepared(3, method)
    asked = []
    monkeypatch.setattr(Budget, "check_memory", lambda _, n_bytes: asked.append(n_bytes))
    generalise(rules.conditions, rules, context)
    errors = [naive.error(a, y, drawn, context) for a, y in listed(rules, context.index.pad)]
    active = [error > 1e-9 and bool(a) for error, a in zip(errors, sets_of(rules, context.index.pad), strict=True)]
    longest = rules.conditions.shape[1]
    assert asked[0] == 8 * sum(active) * longest * (longest + 4 * 2)


@every_method
def test_memory_for_the_samples_of_what_is_left_is_asked_for_twice_over(method, monkeypatch):
    _, context, rules = prepared(3, method)
    asked = []
    monkeypatch.setattr(Budget, "check_memory", lambda _, n_bytes: asked.append(n_bytes))
    left = Simplify().simplify(rules, context)
    assert len(left) > 0
    assert asked[-1] == 2 * len(left) * 8 * context.index.n_words


@every_method
@quickly
@given(seed=seeds)
def test_no_rule_gets_narrower(method, seed):
    drawn, context, rules = prepared(seed, method)
    before = [(drawn.covered(a), y) for a, y in listed(rules, context.index.pad)]
    for antecedent, class_ in listed(Simplify().simplify(rules, context), context.index.pad):
        assert any(samples <= drawn.covered(antecedent) for samples, y in before if y == class_)


@every_method
@quickly
@given(seed=seeds)
def test_generalised_antecedents_are_subsets(method, seed):
    _, context, rules = prepared(seed, method)
    pad = context.index.pad
    shorter = generalise(rules.conditions, rules, context)
    assert all(
        set(short) - {pad} <= set(long) - {pad}
        for short, long in zip(shorter.tolist(), rules.conditions.tolist(), strict=True)
    )


@every_method
@quickly
@given(seed=seeds)
def test_generalising_again_changes_nothing(method, seed):
    _, context, rules = prepared(seed, method)
    once = generalise(rules.conditions, rules, context)
    again = Rules.of(once, rules.priors, rules.classes, context.index, None)
    assert once.tolist() == generalise(once, again, context).tolist()


@every_method
@quickly
@given(seed=seeds)
def test_generalising_never_raises_the_error(method, seed):
    drawn, context, rules = prepared(seed, method)
    pad = context.index.pad
    shorter = generalise(rules.conditions, rules, context)
    for short, long, class_ in zip(shorter.tolist(), sets_of(rules, pad), rules.classes.tolist(), strict=True):
        after = naive.error(frozenset(short) - {pad}, class_, drawn, context)
        assert after <= naive.error(long, class_, drawn, context) + 1e-9


@every_method
@quickly
@given(seed=seeds)
def test_simplified_rules_are_counted_on_all_samples(method, seed):
    drawn, context, rules = prepared(seed, method)
    shorter = Simplify().simplify(rules, context)
    assert drawn.counts_of(sets_of(shorter, context.index.pad)) == shorter.counts.tolist()


@every_method
@quickly
@given(seed=seeds)
def test_simplified_rules_all_have_conditions(method, seed):
    _, context, rules = prepared(seed, method)
    assert all(sets_of(Simplify().simplify(rules, context), context.index.pad))


@every_method
@quickly
@given(seed=seeds)
def test_simplifying_leaves_the_rules_it_was_given_as_they_were(method, seed):
    _, context, rules = prepared(seed, method)
    before = (rules.conditions.tolist(), rules.bits.tolist(), rules.counts.tolist())
    Simplify().simplify(rules, context)
    assert before == (rules.conditions.tolist(), rules.bits.tolist(), rules.counts.tolist())


@every_method
def test_no_rules_stay_no_rules(method):
    _, context, rules = prepared(0, method)
    assert len(Simplify().simplify(rules.take(np.array([], dtype=np.int64)), context)) == 0


@every_method
def test_rules_without_conditions_are_dropped(method):
    drawn, context, _ = prepared(0, method)
    all_samples = random_rules(drawn, context.index, 0, n_rules=3, longest=0)
    assert len(Simplify().simplify(all_samples, context)) == 0
