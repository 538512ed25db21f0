"""Redundant conditions."""

import numpy as np
from core.training_sets import (
    TrainingSet,
    conditions_of,
    random_antecedents,
    random_rules,
    random_training_set,
    sets_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from search.contexts import context_of

from rulekit.core.conditions import drop_redundant
from rulekit.search.simplify import DropRedundant

quickly = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def crowded(seed):
    """Few features and long rules, so that many conditions are redundant."""
    drawn = random_training_set(seed, n_features=3, n_splits=25)
    antecedents = random_antecedents(drawn, seed, longest=8)
    return drawn, antecedents, drop_redundant(antecedents, drawn.conditions)


def real(row, drawn):
    return [condition for condition in row if condition < len(drawn.conditions)]


@quickly
@given(seeds)
def test_the_same_samples_are_covered(seed):
    drawn, before, after = crowded(seed)
    assert [drawn.covered(row) for row in before.tolist()] == [drawn.covered(row) for row in after.tolist()]


@quickly
@given(seeds)
def test_at_most_one_upper_and_one_lower_bound_per_feature_is_left(seed):
    drawn, _, after = crowded(seed)
    for row in after.tolist():
        bounds = [drawn.triples[condition][:2] for condition in real(row, drawn)]
        assert len(bounds) == len(set(bounds))


@quickly
@given(seeds)
def test_what_is_left_was_there_before(seed):
    drawn, before, after = crowded(seed)
    assert all(
        set(real(short, drawn)) <= set(real(long, drawn))
        for short, long in zip(after.tolist(), before.tolist(), strict=True)
    )


@quickly
@given(seeds)
def test_no_bound_disappears_altogether(seed):
    drawn, before, after = crowded(seed)
    bounds = [
        [{drawn.triples[condition][:2] for condition in real(row, drawn)} for row in rows.tolist()]
        for rows in (before, after)
    ]
    assert bounds[0] == bounds[1]


def test_the_tightest_of_each_kind_stays():
    drawn = TrainingSet(np.zeros((3, 1)), np.array([0, 1, 1]), conditions_of([(0, 1.0), (0, 2.0), (0, 10.0)], 1), 2)
    ids = {(upper, threshold): row for row, (_, upper, threshold) in enumerate(drawn.triples)}
    everything = np.arange(len(drawn.conditions))[None]
    expected = sorted([ids[True, 1.0], ids[False, 10.0]])
    assert [expected] == drop_redundant(everything, drawn.conditions).tolist()


def test_rules_without_conditions_stay_so():
    drawn = random_training_set(0)
    assert drop_redundant(np.empty((4, 0), dtype=np.int64), drawn.conditions).shape == (4, 0)


def test_as_a_stage_it_keeps_rules_and_their_order():
    drawn = random_training_set(1, n_features=2)
    context = context_of(drawn)
    rules = random_rules(drawn, context.index, 1, longest=8)
    shorter = DropRedundant().simplify(rules, context)
    assert rules.classes.tolist() == shorter.classes.tolist()


def test_as_a_stage_it_keeps_bits_true():
    drawn = random_training_set(1, n_features=2)
    context = context_of(drawn)
    shorter = DropRedundant().simplify(random_rules(drawn, context.index, 1, longest=8), context)
    assert context.index.cover(shorter.conditions).tolist() == shorter.bits.tolist()


def test_as_a_stage_it_drops_redundant_conditions():
    drawn = random_training_set(1, n_features=2)
    context = context_of(drawn)
    rules = random_rules(drawn, context.index, 1, longest=8)
    expected = [set(real(row, drawn)) for row in drop_redundant(rules.conditions, drawn.conditions).tolist()]
    assert expected == sets_of(DropRedundant().simplify(rules, context), context.index.pad)
