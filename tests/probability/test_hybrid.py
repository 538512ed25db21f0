"""The mixture of naive Bayes and m-estimate."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from probability.batches import published_case, random_batch, small_case

from rulekit.core.errors import InvalidParameterError
from rulekit.probability.hybrid import EnsembleMEstimate, Hybrid
from rulekit.probability.naive_bayes import NaiveBayes


def predicted(batch, **parameters):
    return Hybrid(**parameters).fit(batch.index).estimate(batch)


def test_the_published_rule_comes_out_by_hand():
    assert round(float(predicted(published_case())[0, 0]), 5) == 0.93880


def test_both_parts_by_hand():
    """`x > 2` covers [1, 4] of [4, 6], prior [0.9, 0.1]; with crossover = 15 naive Bayes weighs 5 / 20."""
    first, second = (5 / 12) * (2 / 6), (7 / 12) * (5 / 8)
    naive_bayes, smoothed = first / (first + second), (1 + 5 * 0.9) / 10
    np.testing.assert_allclose(
        predicted(small_case(), crossover=15)[0, 0], 0.25 * naive_bayes + 0.75 * smoothed, rtol=1e-9
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 50.0]))
def test_the_mixture_is_of_what_the_parts_state(seed, crossover):
    _, batch = random_batch(seed)
    naive_bayes = NaiveBayes(2.0).fit(batch.index).estimate(batch)
    smoothed = EnsembleMEstimate(7.0).fit(batch.index).estimate(batch)
    weights = [support / (support + crossover) for support in batch.support.tolist()]
    expected = [w * a + (1 - w) * b for w, a, b in zip(weights, naive_bayes, smoothed, strict=True)]
    np.testing.assert_allclose(predicted(batch, smoothing=2.0, strength=7.0, crossover=crossover), expected, rtol=1e-13)


def test_a_rule_that_covers_nothing_states_its_prior():
    np.testing.assert_allclose(predicted(small_case())[3], [0.2, 0.8], rtol=1e-15)


def test_both_parts_weigh_the_same_at_n0_samples():
    batch = small_case()
    naive_bayes = NaiveBayes().fit(batch.index).estimate(batch)[0]
    smoothed = EnsembleMEstimate().fit(batch.index).estimate(batch)[0]
    np.testing.assert_allclose(predicted(batch, crossover=5)[0], (naive_bayes + smoothed) / 2, rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "value", "limits"),
    [("crossover", 0, "above 0"), ("smoothing", 0, "above 0"), ("strength", -1, "of at least 0")],
)
def test_a_bad_parameter_is_rejected_as_the_hybrids(name, value, limits):
    """A user who set `smoothing` of a hybrid must not read about another part of the model."""
    expected = f"Hybrid: {name} must be a number {limits}, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        predicted(small_case(), **{name: value})
