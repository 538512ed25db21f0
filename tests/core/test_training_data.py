"""Sets of samples of the training data, against one sample at a time."""

import numpy as np
import pytest
from core.training_sets import random_antecedents, random_training_set
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.conditions import Conditions
from rulekit.core.forest import Forest
from rulekit.core.training_data import TrainingData

pytestmark = pytest.mark.usefixtures("engine")
seeds = st.integers(0, 2**32 - 1)
quickly = settings(max_examples=30, deadline=None)


def as_sets(covers):
    return [frozenset(np.flatnonzero(row).tolist()) for row in covers]


@quickly
@given(seeds)
def test_rules_cover_the_samples_that_satisfy_all_their_conditions(seed):
    drawn = random_training_set(seed)
    antecedents, data = random_antecedents(drawn, seed), drawn.data()
    assert as_sets(data.samples(data.cover(antecedents))) == [drawn.covered(row) for row in antecedents.tolist()]


@quickly
@given(seeds)
def test_bits_of_single_conditions_are_the_samples_for_which_they_hold(seed):
    drawn = random_training_set(seed)
    data = drawn.data()
    found = data.samples(data.condition_bits(np.arange(len(drawn.conditions))))
    assert as_sets(found) == list(drawn.holding)


@quickly
@given(seeds)
def test_bits_go_to_booleans_and_back(seed):
    drawn = random_training_set(seed)
    data, some = drawn.data(), np.random.default_rng(seed).random((3, len(drawn.y))) < 0.5
    assert data.samples(data.sample_bits(some)).tolist() == some.tolist()
    assert data.samples(data.all_samples).all()


@quickly
@given(seeds)
def test_intersections_are_counted_by_class(seed):
    drawn = random_training_set(seed)
    antecedents, data = random_antecedents(drawn, seed), drawn.data()
    sets = [drawn.covered(row) for row in antecedents.tolist()]
    bits = data.cover(antecedents)
    assert data.count(bits).tolist() == [drawn.count(each) for each in sets]
    expected = [[drawn.count(one & other) for other in sets] for one in sets]
    assert data.pair_counts(bits, bits).tolist() == expected


@quickly
@given(seeds)
def test_the_first_rule_that_covers_a_sample_answers_it_and_the_default_rule_the_rest(seed):
    drawn = random_training_set(seed)
    antecedents, data = random_antecedents(drawn, seed), drawn.data()
    left, expected = drawn.everything, []
    for row in antecedents.tolist():
        expected.append(drawn.count(left & drawn.covered(row)))
        left -= drawn.covered(row)
    assert data.answered_counts(data.cover(antecedents)).tolist() == [*expected, drawn.count(left)]


@quickly
@given(seeds)
def test_removals_are_counted_one_condition_after_the_other(seed):
    drawn = random_training_set(seed)
    antecedents, data = random_antecedents(drawn, seed), drawn.data()
    expected = [
        drawn.count(drawn.covered([*row[:position], *row[position + 1 :]]))
        for row in antecedents.tolist()
        for position, condition in enumerate(row)
        if condition != data.pad
    ]
    assert data.removal_counts(antecedents).tolist() == expected


@quickly
@given(seeds)
def test_antecedents_without_redundancy_cover_the_same_and_need_each_condition(seed):
    drawn = random_training_set(seed)
    antecedents, data = random_antecedents(drawn, seed, longest=6), drawn.data()
    shorter = data.without_redundancy(antecedents)
    for row, short in zip(antecedents.tolist(), shorter.tolist(), strict=True):
        kept = [condition for condition in short if condition != data.pad]
        assert drawn.covered(row) == drawn.covered(kept)
        assert set(kept) <= set(row)
        sides = [drawn.triples[condition][:2] for condition in kept]
        assert len(sides) == len(set(sides))


def test_tidy_antecedents_ascend_without_repetition_and_end_with_pads():
    data = random_training_set(1).data()
    pad = data.pad
    assert data.tidy(np.array([[pad, 2, 1, 2], [pad, pad, pad, 0]])).tolist() == [[1, 2], [0, pad]]


def test_rules_are_made_with_their_samples():
    drawn = random_training_set(2)
    antecedents, data = random_antecedents(drawn, 2), drawn.data()
    priors = np.full((len(antecedents), drawn.n_classes), 1 / drawn.n_classes)
    rules = data.rules(antecedents, priors, np.zeros(len(antecedents), dtype=np.int64))
    assert rules.counts.tolist() == drawn.counts_of(antecedents.tolist())
    assert rules.groups.tolist() == [0] * len(antecedents)


class Said(Forest):
    """A forest that predicts given probabilities, whatever its trees are."""

    def predict_proba(self, X):
        return np.random.default_rng(7).dirichlet(np.ones(len(self.classes)), len(X))


@quickly
@given(seeds)
def test_the_default_prior_of_a_rule_is_the_mean_prediction_for_the_samples_it_covers(seed):
    drawn = random_training_set(seed)
    antecedents = random_antecedents(drawn, seed)
    forest = Said((), np.arange(drawn.n_classes), drawn.X.shape[1], "mean")
    data = TrainingData(forest, drawn.X, drawn.y, (), drawn.index())
    predicted = data.ensemble_probabilities
    expected = [
        predicted[sorted(drawn.covered(row)) or slice(None)].mean(axis=0).tolist() for row in antecedents.tolist()
    ]
    np.testing.assert_allclose(data.rule_list(antecedents).priors, expected, rtol=1e-12)


def test_a_set_of_categories_is_merged_with_another_of_its_feature():
    conditions = Conditions(
        features=np.array([0, 0, 0]),
        is_upper=np.ones(3, dtype=bool),
        thresholds=np.zeros(3),
        feature_names=("colour",),
        sets=(frozenset({0, 1}), frozenset({1, 2}), frozenset({1})),
    )
    drawn = random_training_set(0)
    X = np.arange(len(drawn.y), dtype=float)[:, None] % 4
    data = TrainingData(None, X, drawn.y, (), type(drawn)(X, drawn.y, conditions, drawn.n_classes).index())
    assert data.without_redundancy(np.array([[0, 1], [0, 2]])).tolist() == [[2], [2]]
