"""Redundant conditions."""

import numpy as np
from core.samples import Sample, conditions_of, random_antecedents, random_rules, random_sample, sets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from search.contexts import context_of

from rulekit.search.redundant import DropRedundant, drop_redundant

quickly = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def crowded(seed):
    """Few features and long rules, so that many conditions are redundant."""
    sample = random_sample(seed, n_features=3, n_splits=25)
    antecedents = random_antecedents(sample, seed, longest=8)
    return sample, antecedents, drop_redundant(antecedents, sample.conditions)


def real(row, sample):
    return [condition for condition in row if condition < len(sample.conditions)]


@quickly
@given(seeds)
def test_the_same_records_are_covered(seed):
    sample, before, after = crowded(seed)
    assert [sample.covered(row) for row in before.tolist()] == [sample.covered(row) for row in after.tolist()]


@quickly
@given(seeds)
def test_at_most_one_upper_and_one_lower_bound_per_feature_is_left(seed):
    sample, _, after = crowded(seed)
    for row in after.tolist():
        bounds = [sample.triples[condition][:2] for condition in real(row, sample)]
        assert len(bounds) == len(set(bounds))


@quickly
@given(seeds)
def test_what_is_left_was_there_before(seed):
    sample, before, after = crowded(seed)
    assert all(
        set(real(short, sample)) <= set(real(long, sample))
        for short, long in zip(after.tolist(), before.tolist(), strict=True)
    )


@quickly
@given(seeds)
def test_no_bound_disappears_altogether(seed):
    sample, before, after = crowded(seed)
    bounds = [
        [{sample.triples[condition][:2] for condition in real(row, sample)} for row in rows.tolist()]
        for rows in (before, after)
    ]
    assert bounds[0] == bounds[1]


def test_the_tightest_of_each_kind_stays():
    sample = Sample(np.zeros((3, 1)), np.array([0, 1, 1]), conditions_of([(0, 1.0), (0, 2.0), (0, 10.0)], 1), 2)
    ids = {(upper, threshold): row for row, (_, upper, threshold) in enumerate(sample.triples)}
    everything = np.arange(len(sample.conditions))[None]
    expected = sorted([ids[True, 1.0], ids[False, 10.0]])
    assert [expected] == drop_redundant(everything, sample.conditions).tolist()


def test_rules_without_conditions_stay_so():
    sample = random_sample(0)
    assert drop_redundant(np.empty((4, 0), dtype=np.int64), sample.conditions).shape == (4, 0)


def test_as_a_stage_it_keeps_rules_and_their_order():
    sample = random_sample(1, n_features=2)
    context = context_of(sample)
    rules = random_rules(sample, context.index, 1, longest=8)
    shorter = DropRedundant().simplify(rules, context)
    assert rules.classes.tolist() == shorter.classes.tolist()


def test_as_a_stage_it_keeps_bits_true():
    sample = random_sample(1, n_features=2)
    context = context_of(sample)
    shorter = DropRedundant().simplify(random_rules(sample, context.index, 1, longest=8), context)
    assert context.index.cover(shorter.conditions).tolist() == shorter.bits.tolist()


def test_as_a_stage_it_drops_redundant_conditions():
    sample = random_sample(1, n_features=2)
    context = context_of(sample)
    rules = random_rules(sample, context.index, 1, longest=8)
    expected = [set(real(row, sample)) for row in drop_redundant(rules.conditions, sample.conditions).tolist()]
    assert expected == sets_of(DropRedundant().simplify(rules, context), context.index.pad)
