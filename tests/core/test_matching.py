"""Matching samples with rules outside of training."""

import numpy as np
from core.training_sets import random_antecedents, random_training_set
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.conditions import first_match, match

seeds = st.integers(0, 2**32 - 1)
quickly = settings(max_examples=30, deadline=None)


@quickly
@given(seeds)
def test_a_sample_matches_a_rule_when_all_conditions_hold(seed):
    drawn = random_training_set(seed)
    rows = [[c for c in row if c < len(drawn.conditions)] for row in random_antecedents(drawn, seed).tolist()]
    actual = match(drawn.conditions, rows, drawn.X)
    assert [drawn.covered(row) for row in rows] == [frozenset(np.flatnonzero(row).tolist()) for row in actual]


@quickly
@given(seeds)
def test_matches_are_the_training_samples_that_the_index_finds(seed):
    drawn = random_training_set(seed)
    index = drawn.index()
    antecedents = random_antecedents(drawn, seed)
    rows = [[c for c in row if c != index.pad] for row in antecedents.tolist()]
    expected = index.samples(index.cover(antecedents))
    assert expected.tolist() == match(drawn.conditions, rows, drawn.X).tolist()


@quickly
@given(seeds)
def test_one_sample_at_a_time_matches_like_all_at_once(seed):
    drawn = random_training_set(seed, n_samples=10)
    rows = [[c for c in row if c < len(drawn.conditions)] for row in random_antecedents(drawn, seed).tolist()]
    expected = np.hstack([match(drawn.conditions, rows, sample[None]) for sample in drawn.X])
    assert expected.tolist() == match(drawn.conditions, rows, drawn.X).tolist()


def test_a_rule_without_conditions_matches_every_sample():
    drawn = random_training_set(0)
    assert match(drawn.conditions, [()], drawn.X).all()


def test_no_rules_match_nothing():
    drawn = random_training_set(0)
    assert match(drawn.conditions, [], drawn.X).shape == (0, 80)


@quickly
@given(seeds, st.integers(0, 6), st.integers(0, 6))
def test_the_first_match_is_the_first_true_of_a_column(seed, n_rules, n_samples):
    matches = np.random.default_rng(seed).random((n_rules, n_samples)) < 0.3
    expected = [next((i for i in range(n_rules) if matches[i, j]), n_rules) for j in range(n_samples)]
    assert expected == first_match(matches).tolist()
