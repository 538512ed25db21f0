"""Batches of antecedents: counts from scratch, and of all removals of one condition."""

import numpy as np
import pytest
from core.training_sets import TrainingSet, conditions_of, random_antecedents, random_priors, random_training_set
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.rules import RemovalBatch, RuleBatch

pytestmark = pytest.mark.usefixtures("engine")
seeds = st.integers(0, 2**32 - 1)
quickly = settings(max_examples=40, deadline=None)


def removals_by_hand(antecedents, pad):
    """(parent, what is left) for each condition of each row."""
    return [
        (parent, [c for other, c in enumerate(row) if other != position])
        for parent, row in enumerate(antecedents.tolist())
        for position, condition in enumerate(row)
        if condition != pad
    ]


def batch_of(kind, drawn, antecedents):
    return kind(drawn.index(), antecedents, random_priors(0, len(antecedents), drawn.n_classes))


@quickly
@given(seeds, st.integers(1, 6), st.integers(2, 9))
def test_removals_are_counted_as_from_scratch(seed, longest, n_classes):
    drawn = random_training_set(seed, n_classes=n_classes, n_samples=140)
    antecedents = random_antecedents(drawn, seed, longest=longest)
    batch = batch_of(RemovalBatch, drawn, antecedents)
    expected = drawn.counts_of(rest for _, rest in removals_by_hand(antecedents, batch.index.pad))
    assert expected == batch.counts.tolist()


@quickly
@given(seeds)
def test_a_rules_counts_are_those_of_the_samples_it_covers(seed):
    drawn = random_training_set(seed)
    antecedents = random_antecedents(drawn, seed)
    assert drawn.counts_of(antecedents.tolist()) == batch_of(RuleBatch, drawn, antecedents).counts.tolist()


@quickly
@given(seeds)
def test_each_removals_conditions_are_its_parents_without_one(seed):
    drawn = random_training_set(seed)
    antecedents = random_antecedents(drawn, seed)
    batch = batch_of(RemovalBatch, drawn, antecedents)
    pad = batch.index.pad
    expected = [set(rest) - {pad} for _, rest in removals_by_hand(antecedents, batch.index.pad)]
    assert expected == [set(row) - {pad} for row in batch.conditions.tolist()]


def test_removals_inherit_the_prior_of_their_parent():
    drawn = random_training_set(3)
    antecedents = random_antecedents(drawn, 3)
    batch = batch_of(RemovalBatch, drawn, antecedents)
    priors = random_priors(0, len(antecedents), drawn.n_classes)
    assert [
        priors[parent].tolist() for parent, _ in removals_by_hand(antecedents, batch.index.pad)
    ] == batch.priors.tolist()


def test_making_removals_leaves_the_rules_as_they_were():
    drawn = random_training_set(4)
    antecedents = random_antecedents(drawn, 4)
    before = antecedents.tolist()
    assert len(batch_of(RemovalBatch, drawn, antecedents).counts)
    assert before == antecedents.tolist()


def test_pads_between_conditions_do_not_matter():
    drawn = random_training_set(5)
    pad = len(drawn.conditions)
    batch = batch_of(RemovalBatch, drawn, np.array([[pad, 2, pad, 7, pad]]))
    assert drawn.counts_of([[7], [2]]) == batch.counts.tolist()


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing_to_remove_gives_an_empty_batch(shape):
    batch = batch_of(RemovalBatch, random_training_set(6), np.empty(shape, dtype=np.int64))
    assert batch.counts.shape == (0, 3)


def test_rules_of_pads_only_have_no_removals():
    drawn = random_training_set(6)
    batch = batch_of(RemovalBatch, drawn, np.full((2, 2), len(drawn.conditions)))
    assert batch.counts.shape == (0, 3)


@quickly
@given(seeds, st.booleans())
def test_sums_over_conditions_are_those_of_each_antecedent(seed, infinite):
    """In steps of 1/8 all sums are exact, whatever their order."""
    drawn = random_training_set(seed)
    antecedents = random_antecedents(drawn, seed)
    rng = np.random.default_rng(seed)
    table = rng.integers(-50, 50, (2, len(drawn.conditions) + 1)) / 8
    table[:, -1] = 0.0
    if infinite:
        table[0, rng.integers(len(drawn.conditions))] = -np.inf
    for kind in (RuleBatch, RemovalBatch):
        batch = batch_of(kind, drawn, antecedents)
        expected = [[sum(row[c] for c in antecedent) for antecedent in batch.conditions] for row in table]
        assert expected == batch.sum_over_conditions(table).tolist()


def test_rules_counted_in_several_blocks_are_counted_alike():
    """So many words of samples that the rules do not fit into one block."""
    n_samples, n_rules = 150_000, 1_000
    values = np.random.default_rng(0).integers(10, size=n_samples).astype(float)
    drawn = TrainingSet(values[:, None], np.zeros(n_samples, dtype=np.int64), conditions_of([(0, 2.0), (0, 6.0)], 1), 2)
    above_2, above_6, upto_2, upto_6 = range(4)
    cases = np.array([[above_2, upto_6], [upto_2, upto_6], [above_2, above_6]])
    batch = batch_of(RemovalBatch, drawn, np.tile(cases, (n_rules // 3, 1)))
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
    index = random_training_set(7).index()
    index.cover = index.count = None
    assert known.tolist() == RuleBatch(index, np.array([[0]]), random_priors(0, 1, 3), known).counts.tolist()


def test_support_is_the_number_of_covered_samples():
    drawn = random_training_set(8)
    antecedents = random_antecedents(drawn, 8)
    expected = [len(drawn.covered(row)) for row in antecedents.tolist()]
    assert expected == batch_of(RuleBatch, drawn, antecedents).support.tolist()


def test_only_rules_without_conditions_are_empty():
    drawn = random_training_set(9)
    pad = len(drawn.conditions)
    antecedents = np.array([[pad, pad], [0, pad], [pad, 0]])
    assert batch_of(RuleBatch, drawn, antecedents).is_empty.tolist() == [True, False, False]


def test_a_batch_is_as_long_as_it_has_antecedents():
    drawn = random_training_set(9)
    assert len(batch_of(RuleBatch, drawn, random_antecedents(drawn, 1))) == 30
