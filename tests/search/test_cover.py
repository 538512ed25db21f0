"""Cover against its naive twin."""

import numpy as np
import pytest
from core.training_sets import random_rules, random_training_set, sets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from search import naive
from search.contexts import context_of, grouped_rules

from rulekit.core.statistics import RULE_ORDERS
from rulekit.search.cover import Cover

pytestmark = pytest.mark.usefixtures("engine")

quickly = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)
orders = st.sampled_from(RULE_ORDERS)
limits = st.fixed_dictionaries(
    {"min_precision": st.sampled_from([0.0, 0.4, 0.5]), "min_coverage": st.sampled_from([0.0, 0.05])}
)


def listed(rules, pad):
    return list(zip(sets_of(rules, pad), rules.classes.tolist(), strict=True))


def prepared(seed, order, thresholds, make=random_rules):
    drawn = random_training_set(seed, n_samples=60)
    context = context_of(drawn, rule_order=order, **thresholds)
    return drawn, context, make(drawn, context.index, seed)


@quickly
@given(seeds, orders, limits)
def test_the_choice_is_that_of_the_naive_loop(seed, order, thresholds):
    drawn, context, candidates = prepared(seed, order, thresholds)
    chosen = Cover().cover(candidates, context)
    assert naive.cover(candidates, drawn, context) == listed(chosen, context.index.pad)


@settings(max_examples=100, deadline=None)
@given(seeds, orders, limits)
def test_with_groups_the_choice_is_that_of_the_naive_loop(seed, order, thresholds):
    drawn, context, candidates = prepared(seed, order, thresholds, grouped_rules)
    chosen = Cover().cover(candidates, context)
    assert naive.cover(candidates, drawn, context) == listed(chosen, context.index.pad)


@quickly
@given(seeds, orders, limits)
def test_the_chosen_are_among_the_candidates(seed, order, thresholds):
    _, context, candidates = prepared(seed, order, thresholds)
    pad = context.index.pad
    assert set(listed(Cover().cover(candidates, context), pad)) <= set(listed(candidates, pad))


@quickly
@given(seeds, orders, limits)
def test_every_chosen_one_qualified_when_it_was_chosen(seed, order, thresholds):
    drawn, context, candidates = prepared(seed, order, thresholds, grouped_rules)
    uncovered = drawn.everything
    for antecedent, class_ in listed(Cover().cover(candidates, context), context.index.pad):
        assert naive.admitted(drawn.count(drawn.covered(antecedent) & uncovered), class_, context)
        uncovered -= drawn.covered(antecedent)


@quickly
@given(seeds, orders, limits)
def test_nothing_that_qualifies_is_left_behind(seed, order, thresholds):
    drawn, context, candidates = prepared(seed, order, thresholds)
    chosen = Cover().cover(candidates, context)
    uncovered = drawn.everything.difference(*map(drawn.covered, sets_of(chosen, context.index.pad)))
    assert not any(
        naive.admitted(drawn.count(drawn.covered(antecedent) & uncovered), class_, context)
        for antecedent, class_ in listed(candidates, context.index.pad)
    )


@quickly
@given(seeds)
def test_the_order_of_the_candidates_does_not_matter(seed):
    """As long as no antecedent comes twice."""
    _, context, candidates = prepared(seed, "support", {})
    sets = sets_of(candidates, context.index.pad)
    once = np.array([i for i, antecedent in enumerate(sets) if antecedent not in sets[:i]])
    shuffled = np.random.default_rng(seed).permutation(once)
    expected, actual = (Cover().cover(candidates.take(rows), context) for rows in (once, shuffled))
    assert listed(expected, context.index.pad) == listed(actual, context.index.pad)


@quickly
@given(seeds)
def test_the_candidates_stay_as_they_were(seed):
    _, context, candidates = prepared(seed, "support", {}, grouped_rules)
    before = (candidates.bits.tolist(), candidates.counts.tolist())
    Cover().cover(candidates, context)
    assert before == (candidates.bits.tolist(), candidates.counts.tolist())


@quickly
@given(seeds)
def test_the_chosen_keep_their_counts_on_all_samples(seed):
    drawn, context, candidates = prepared(seed, "support", {})
    chosen = Cover().cover(candidates, context)
    assert drawn.counts_of(sets_of(chosen, context.index.pad)) == chosen.counts.tolist()


def test_of_one_antecedent_with_two_classes_at_most_one_is_chosen():
    drawn, context, candidates = prepared(5, "support", {"min_precision": 0.0})
    doubled = candidates.take(np.repeat(np.arange(len(candidates)), 2))
    doubled.classes[1::2] = (doubled.classes[1::2] + 1) % drawn.n_classes
    chosen = sets_of(Cover().cover(doubled, context), context.index.pad)
    assert len(chosen) == len(set(chosen))


@pytest.mark.parametrize("n_candidates", [0, 1])
def test_few_candidates_are_no_problem(n_candidates):
    _, context, candidates = prepared(0, "support", {"min_precision": 0.999})
    few = candidates.take(np.arange(n_candidates))
    assert len(Cover().cover(few, context)) <= n_candidates
