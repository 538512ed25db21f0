"""Matching records with rules outside of training."""

import numpy as np
from core.samples import random_antecedents, random_sample
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.matching import first_match, match

seeds = st.integers(0, 2**32 - 1)
quickly = settings(max_examples=30, deadline=None)


@quickly
@given(seeds)
def test_a_record_matches_a_rule_when_all_conditions_hold(seed):
    sample = random_sample(seed)
    rows = [[c for c in row if c < len(sample.conditions)] for row in random_antecedents(sample, seed).tolist()]
    actual = match(sample.conditions, rows, sample.X)
    assert [sample.covered(row) for row in rows] == [frozenset(np.flatnonzero(row).tolist()) for row in actual]


@quickly
@given(seeds)
def test_matches_are_the_training_records_that_the_index_finds(seed):
    sample = random_sample(seed)
    index = sample.index()
    antecedents = random_antecedents(sample, seed)
    rows = [[c for c in row if c != index.pad] for row in antecedents.tolist()]
    expected = index.records(index.cover(antecedents))
    assert expected.tolist() == match(sample.conditions, rows, sample.X).tolist()


@quickly
@given(seeds)
def test_one_record_at_a_time_matches_like_all_at_once(seed):
    sample = random_sample(seed, n_records=10)
    rows = [[c for c in row if c < len(sample.conditions)] for row in random_antecedents(sample, seed).tolist()]
    expected = np.hstack([match(sample.conditions, rows, record[None]) for record in sample.X])
    assert expected.tolist() == match(sample.conditions, rows, sample.X).tolist()


def test_a_rule_without_conditions_matches_every_record():
    sample = random_sample(0)
    assert match(sample.conditions, [()], sample.X).all()


def test_no_rules_match_nothing():
    sample = random_sample(0)
    assert match(sample.conditions, [], sample.X).shape == (0, 80)


@quickly
@given(seeds, st.integers(0, 6), st.integers(0, 6))
def test_the_first_match_is_the_first_true_of_a_column(seed, n_rules, n_records):
    matches = np.random.default_rng(seed).random((n_rules, n_records)) < 0.3
    expected = [next((i for i in range(n_rules) if matches[i, j]), n_rules) for j in range(n_records)]
    assert expected == first_match(matches).tolist()
