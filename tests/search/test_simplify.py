"""Simplify against its naive twin."""

import numpy as np
import pytest
from core.samples import random_rules, random_sample, sets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from search import naive
from search.contexts import PARTS, context_of

from rulekit.core.order import RULE_ORDERS
from rulekit.core.rules import Rules
from rulekit.search.generalise import generalise
from rulekit.search.simplify import Simplify

pytestmark = pytest.mark.usefixtures("engine")

quickly = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 2**32 - 1)
every_method = pytest.mark.parametrize("method", PARTS)


def prepared(seed, method, **options):
    """Rules of the majority class of their records as often as not, so that some survive."""
    sample = random_sample(seed, n_classes=2, n_features=3)
    context = context_of(sample, method, **options)
    rules = random_rules(sample, context.index, seed, n_rules=15, longest=6)
    return sample, context, rules


def listed(rules, pad):
    return list(zip(sets_of(rules, pad), rules.classes.tolist(), strict=True))


@every_method
@pytest.mark.parametrize("drop_redundant", [True, False])
@quickly
@given(seed=seeds, order=st.sampled_from(RULE_ORDERS), confidence=st.sampled_from([0.1, 0.25, 0.9]))
def test_rules_are_those_of_the_naive_loop_in_its_order(method, drop_redundant, seed, order, confidence):
    sample, context, rules = prepared(seed, method, rule_order=order, confidence=confidence)
    expected = naive.simplify(rules, sample, context, drop_redundant)
    actual = Simplify(drop_redundant=drop_redundant).simplify(rules, context)
    assert expected == listed(actual, context.index.pad)


@every_method
@quickly
@given(seed=seeds, min_precision=st.sampled_from([0.0, 0.6]), min_coverage=st.sampled_from([0.0, 0.1]))
def test_limits_are_those_of_the_naive_loop(method, seed, min_precision, min_coverage):
    sample, context, rules = prepared(seed, method, min_precision=min_precision, min_coverage=min_coverage)
    expected = naive.simplify(rules, sample, context)
    assert expected == listed(Simplify().simplify(rules, context), context.index.pad)


@every_method
@quickly
@given(seed=seeds)
def test_no_rule_gets_narrower(method, seed):
    sample, context, rules = prepared(seed, method)
    before = [(sample.covered(a), y) for a, y in listed(rules, context.index.pad)]
    for antecedent, class_ in listed(Simplify().simplify(rules, context), context.index.pad):
        assert any(records <= sample.covered(antecedent) for records, y in before if y == class_)


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
    sample, context, rules = prepared(seed, method)
    pad = context.index.pad
    shorter = generalise(rules.conditions, rules, context)
    for short, long, class_ in zip(shorter.tolist(), sets_of(rules, pad), rules.classes.tolist(), strict=True):
        after = naive.error(frozenset(short) - {pad}, class_, sample, context)
        assert after <= naive.error(long, class_, sample, context) + 1e-9


@every_method
@quickly
@given(seed=seeds)
def test_simplified_rules_are_counted_on_all_records(method, seed):
    sample, context, rules = prepared(seed, method)
    shorter = Simplify().simplify(rules, context)
    assert sample.counts_of(sets_of(shorter, context.index.pad)) == shorter.counts.tolist()


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
    sample, context, _ = prepared(0, method)
    everyone = random_rules(sample, context.index, 0, n_rules=3, longest=0)
    assert len(Simplify().simplify(everyone, context)) == 0
