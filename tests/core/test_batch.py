"""Batches of antecedents: counts from scratch, and of all removals of one condition."""

import numpy as np
import pytest
from core.samples import Sample, conditions_of, random_antecedents, random_priors, random_sample
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.batch import RemovalBatch, RuleBatch

pytestmark = pytest.mark.usefixtures("engine")
seeds = st.integers(0, 2**32 - 1)
quickly = settings(max_examples=40, deadline=None)


def removals_by_hand(antecedents, pad):
    """(parent, what is left) for each condition of each row."""
    return [
        (parent, [c for place, c in enumerate(row) if place != position])
        for parent, row in enumerate(antecedents.tolist())
        for position, condition in enumerate(row)
        if condition != pad
    ]


def batch_of(kind, sample, antecedents):
    return kind(sample.index(), antecedents, random_priors(0, len(antecedents), sample.n_classes))


@quickly
@given(seeds, st.integers(1, 6), st.integers(2, 9))
def test_removals_are_counted_as_from_scratch(seed, longest, n_classes):
    sample = random_sample(seed, n_classes=n_classes, n_records=140)
    antecedents = random_antecedents(sample, seed, longest=longest)
    batch = batch_of(RemovalBatch, sample, antecedents)
    expected = sample.counts_of(rest for _, rest in removals_by_hand(antecedents, batch.index.pad))
    assert expected == batch.counts.tolist()


@quickly
@given(seeds)
def test_a_rules_counts_are_those_of_the_records_it_covers(seed):
    sample = random_sample(seed)
    antecedents = random_antecedents(sample, seed)
    assert sample.counts_of(antecedents.tolist()) == batch_of(RuleBatch, sample, antecedents).counts.tolist()


@quickly
@given(seeds)
def test_each_removals_conditions_are_its_parents_without_one(seed):
    sample = random_sample(seed)
    antecedents = random_antecedents(sample, seed)
    batch = batch_of(RemovalBatch, sample, antecedents)
    pad = batch.index.pad
    expected = [set(rest) - {pad} for _, rest in removals_by_hand(antecedents, batch.index.pad)]
    assert expected == [set(row) - {pad} for row in batch.conditions.tolist()]


def test_removals_inherit_the_prior_of_their_parent():
    sample = random_sample(3)
    antecedents = random_antecedents(sample, 3)
    batch = batch_of(RemovalBatch, sample, antecedents)
    priors = random_priors(0, len(antecedents), sample.n_classes)
    assert [
        priors[parent].tolist() for parent, _ in removals_by_hand(antecedents, batch.index.pad)
    ] == batch.priors.tolist()


def test_making_removals_leaves_the_rules_as_they_were():
    sample = random_sample(4)
    antecedents = random_antecedents(sample, 4)
    before = antecedents.tolist()
    assert len(batch_of(RemovalBatch, sample, antecedents).counts)
    assert before == antecedents.tolist()


def test_pads_between_conditions_do_not_matter():
    sample = random_sample(5)
    pad = len(sample.conditions)
    batch = batch_of(RemovalBatch, sample, np.array([[pad, 2, pad, 7, pad]]))
    assert sample.counts_of([[7], [2]]) == batch.counts.tolist()


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing_to_remove_gives_an_empty_batch(shape):
    batch = batch_of(RemovalBatch, random_sample(6), np.empty(shape, dtype=np.int64))
    assert batch.counts.shape == (0, 3)


def test_rules_of_pads_only_have_no_removals():
    sample = random_sample(6)
    batch = batch_of(RemovalBatch, sample, np.full((2, 2), len(sample.conditions)))
    assert batch.counts.shape == (0, 3)


@quickly
@given(seeds, st.booleans())
def test_sums_over_conditions_are_those_of_each_antecedent(seed, infinite):
    """In steps of 1/8 all sums are exact, whatever their order."""
    sample = random_sample(seed)
    antecedents = random_antecedents(sample, seed)
    rng = np.random.default_rng(seed)
    table = rng.integers(-50, 50, (2, len(sample.conditions) + 1)) / 8
    table[:, -1] = 0.0
    if infinite:
        table[0, rng.integers(len(sample.conditions))] = -np.inf
    for kind in (RuleBatch, RemovalBatch):
        batch = batch_of(kind, sample, antecedents)
        expected = [[sum(row[c] for c in antecedent) for antecedent in batch.conditions] for row in table]
        assert expected == batch.sum_over_conditions(table).tolist()


def test_rules_counted_in_several_blocks_are_counted_alike():
    """So many words of records that the rules do not fit into one block."""
    n_records, n_rules = 150_000, 1_000
    values = np.random.default_rng(0).integers(10, size=n_records).astype(float)
    sample = Sample(values[:, None], np.zeros(n_records, dtype=np.int64), conditions_of([(0, 2.0), (0, 6.0)], 1), 2)
    above_2, above_6, upto_2, upto_6 = range(4)
    cases = np.array([[above_2, upto_6], [upto_2, upto_6], [above_2, above_6]])
    batch = batch_of(RemovalBatch, sample, np.tile(cases, (n_rules // 3, 1)))
    counts = {
        above_2: (values > 2).sum(),
        above_6: (values > 6).sum(),
        upto_2: (values <= 2).sum(),
        upto_6: (values <= 6).sum(),
    }
    expected = [counts[other] for row in cases.tolist() for other in reversed(row)] * (n_rules // 3)
    assert expected == batch.counts[:, 0].tolist()


def test_counts_that_are_known_are_not_counted_again():
    known = np.array([[5, 6, 7]])
    index = random_sample(7).index()
    index.cover = index.count = None
    assert known.tolist() == RuleBatch(index, np.array([[0]]), random_priors(0, 1, 3), known).counts.tolist()


def test_support_is_the_number_of_covered_records():
    sample = random_sample(8)
    antecedents = random_antecedents(sample, 8)
    expected = [len(sample.covered(row)) for row in antecedents.tolist()]
    assert expected == batch_of(RuleBatch, sample, antecedents).support.tolist()


def test_only_rules_without_conditions_are_empty():
    sample = random_sample(9)
    pad = len(sample.conditions)
    antecedents = np.array([[pad, pad], [0, pad], [pad, 0]])
    assert batch_of(RuleBatch, sample, antecedents).is_empty.tolist() == [True, False, False]


def test_a_batch_is_as_long_as_it_has_antecedents():
    sample = random_sample(9)
    assert len(batch_of(RuleBatch, sample, random_antecedents(sample, 1))) == 30
