"""The m-estimate whose prior is the ensemble's."""

import re

import numpy as np
import pytest
from core.training_sets import TrainingSet, conditions_of
from probability.batches import published_case, random_batch, small_case

from rulekit.core.errors import InvalidParameterError
from rulekit.core.rules import RuleBatch
from rulekit.probability.hybrid import EnsembleMEstimate


def predicted(batch, **parameters):
    return EnsembleMEstimate(**parameters).fit(batch.index).estimate(batch)


def test_the_published_rule_comes_out_by_hand():
    assert round(float(predicted(published_case())[0, 0]), 5) == 0.94652


def test_the_rules_prior_weighs_tau_samples():
    """`x > 2` covers [1, 4] and has the prior [0.9, 0.1]."""
    np.testing.assert_allclose(predicted(small_case(), strength=5)[0], [(1 + 4.5) / 10, (4 + 0.5) / 10], rtol=1e-14)


def test_the_prior_never_weighs_more_than_the_samples():
    np.testing.assert_allclose(
        predicted(small_case(), strength=1000.0)[0], [(1 + 4.5) / 10, (4 + 0.5) / 10], rtol=1e-14
    )


def test_a_fractional_tau_is_used_as_it_is():
    np.testing.assert_allclose(predicted(small_case(), strength=0.25)[0, 0], (1 + 0.25 * 0.9) / 5.25, rtol=1e-14)


def test_without_prior_strength_the_fractions_are_those_of_the_samples():
    np.testing.assert_allclose(predicted(small_case(), strength=0)[0], [0.2, 0.8], rtol=1e-15)


@pytest.mark.parametrize("strength", [0, 5.0])
def test_a_rule_that_covers_nothing_states_its_prior(strength):
    assert predicted(small_case(), strength=strength)[3].tolist() == [0.2, 0.8]


@pytest.mark.parametrize("strength", [0, 0.25, 1, 5.0])
def test_one_sample_is_enough_to_count(strength):
    """Samples 1, 2 and 3 of classes 0, 1 and 1: `x <= 1` covers the first and has the prior [0.3, 0.7]."""
    drawn = TrainingSet(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 1]), conditions_of([(0, 1.0)], 1), 2)
    upto = int(np.flatnonzero(drawn.conditions.is_upper)[0])
    batch = RuleBatch(drawn.index(), np.array([[upto]]), np.array([[0.3, 0.7]]))
    weight = min(strength, 1)
    expected = [(1 + weight * 0.3) / (1 + weight), weight * 0.7 / (1 + weight)]
    np.testing.assert_allclose(predicted(batch, strength=strength)[0], expected, rtol=1e-14)


def test_any_rule_follows_the_formula():
    _, batch = random_batch(1, n_classes=4)
    expected = []
    for counts, prior in zip(batch.counts.tolist(), batch.priors.tolist(), strict=True):
        support = sum(counts)
        weight = min(5.0, support)
        smoothed = [(n + weight * q) / (support + weight) if support else q for n, q in zip(counts, prior, strict=True)]
        expected.append(smoothed)
    np.testing.assert_allclose(predicted(batch), expected, rtol=1e-13)


@pytest.mark.parametrize("value", [-0.1, "five", True])
def test_a_negative_strength_is_rejected(value):
    expected = f"EnsembleMEstimate: strength must be a number of at least 0, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        predicted(small_case(), strength=value)
