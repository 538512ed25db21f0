"""Likelihoods of single conditions."""

import math
import re

import numpy as np
import pytest
from core.training_sets import TrainingSet, conditions_of
from hypothesis import given, settings
from hypothesis import strategies as st
from probability.batches import published_case, random_batch, small_case

from rulekit.core.errors import InvalidParameterError
from rulekit.core.rules import RuleBatch
from rulekit.probability.naive_bayes import NaiveBayes

quickly = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)


class UnreadableBatch(RuleBatch):
    """A batch that does not let its samples be counted."""

    @property
    def counts(self):
        raise AssertionError("samples were counted")


def predicted(batch, **parameters):
    return NaiveBayes(**parameters).fit(batch.index).estimate(batch)


def by_hand(drawn, conditions, smoothing):
    """p(y) * prod p(a|y), normalised, with logarithms as they are."""
    class_counts = drawn.count(drawn.everything)
    n, n_classes = len(drawn.y), drawn.n_classes
    scores = []
    for y in range(n_classes):
        score = math.log((class_counts[y] + smoothing) / (n + n_classes * smoothing))
        for condition in conditions:
            count = drawn.count(drawn.holding[condition])[y]
            score += math.log((count + smoothing) / (class_counts[y] + 2 * smoothing))
        scores.append(score)
    likelihoods = [math.exp(score - max(scores)) for score in scores]
    return [likelihood / sum(likelihoods) for likelihood in likelihoods]


def real(batch):
    return [[c for c in row if c != batch.index.pad] for row in batch.conditions.tolist()]


def test_the_published_rule_comes_out_by_hand():
    assert round(float(predicted(published_case())[0, 0]), 5) == 0.87453


def test_one_condition_by_hand():
    """1 of 4 and 4 of 6 satisfy `x > 2`; the classes are 4 and 6 of 10."""
    first, second = (5 / 12) * (2 / 6), (7 / 12) * (5 / 8)
    expected = [first / (first + second), second / (first + second)]
    np.testing.assert_allclose(predicted(small_case())[0], expected, rtol=1e-9)


def test_contradicting_conditions_still_multiply():
    """`x > 2` and `x <= 2` together: nothing is covered, but each has its likelihood."""
    first, second = (5 / 12) * (2 / 6) * (4 / 6), (7 / 12) * (5 / 8) * (3 / 8)
    np.testing.assert_allclose(predicted(small_case())[3, 0], first / (first + second), rtol=1e-9)


def test_without_conditions_the_smoothed_class_prior_is_left():
    np.testing.assert_allclose(predicted(small_case())[2], [5 / 12, 7 / 12], rtol=1e-9)


@quickly
@given(seeds, st.integers(2, 9), st.sampled_from([0.1, 1.0, 3.0]))
def test_rounded_logarithms_change_no_probability_by_a_billionth(seed, n_classes, smoothing):
    drawn, batch = random_batch(seed, n_classes)
    expected = [by_hand(drawn, conditions, smoothing) for conditions in real(batch)]
    assert np.abs(predicted(batch, smoothing=smoothing) - expected).max() < 1e-9


@pytest.mark.parametrize("smoothing", [0.1, 1.0, 3.0])
def test_what_is_learnt_of_the_classes_adds_up_and_no_condition_has_likelihood_one(smoothing):
    batch = small_case()
    learnt = NaiveBayes(smoothing).fit(batch.index)
    np.testing.assert_allclose(
        np.exp(learnt.log_prior_), [(4 + smoothing) / (10 + 2 * smoothing), (6 + smoothing) / (10 + 2 * smoothing)]
    )
    assert learnt.log_likelihoods_[:, batch.index.pad].tolist() == [0.0, 0.0]
    assert learnt.log_fractions_[:, batch.index.pad].tolist() == [0.0]


@quickly
@given(seeds)
def test_the_order_of_the_conditions_changes_nothing_at_all(seed):
    _, batch = random_batch(seed)
    shuffled = np.random.default_rng(seed).permuted(batch.conditions, axis=1)
    assert predicted(batch).tolist() == predicted(RuleBatch(batch.index, shuffled, batch.priors)).tolist()


@quickly
@given(seeds)
def test_support_is_the_product_of_the_conditions_fractions(seed):
    drawn, batch = random_batch(seed)
    n = len(drawn.y)
    expected = [n * math.prod(len(drawn.holding[c]) / n for c in conditions) for conditions in real(batch)]
    np.testing.assert_allclose(NaiveBayes().fit(batch.index).support(batch), expected, rtol=1e-9)


def test_a_condition_that_holds_for_no_sample_leaves_no_support():
    index = TrainingSet(np.zeros((4, 1)), np.array([0, 0, 1, 1]), conditions_of([(0, 5.0)], 1), 2).index()
    above = np.flatnonzero(~index.conditions.is_upper)[None]
    assert NaiveBayes().fit(index).support(RuleBatch(index, above, np.ones((1, 2)))).tolist() == [0.0]


def test_probabilities_need_no_samples():
    batch = small_case()
    unreadable = UnreadableBatch(batch.index, batch.conditions, batch.priors)
    assert predicted(batch).tolist() == NaiveBayes().fit(batch.index).estimate(unreadable).tolist()


def test_supports_need_no_samples():
    batch = small_case()
    unreadable = UnreadableBatch(batch.index, batch.conditions, batch.priors)
    np.testing.assert_allclose(NaiveBayes().fit(batch.index).support(unreadable), [5.0, 5.0, 10.0, 2.5], rtol=1e-9)


def test_it_says_that_it_reads_no_samples():
    assert not NaiveBayes.uses_counts


def test_the_ensembles_priors_do_not_matter():
    batch = small_case()
    other = RuleBatch(batch.index, batch.conditions, batch.priors[::-1])
    assert predicted(batch).tolist() == predicted(other).tolist()


def test_likelihoods_that_underflow_alone_do_not_underflow_together():
    """A thousand times the same strong condition: the likelihoods are far below the smallest float."""
    batch = published_case()
    many = RuleBatch(batch.index, np.repeat(batch.conditions, 2000, axis=1), batch.priors)
    assert predicted(many).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("value", [0, -1.0, "one"])
def test_a_smoothing_that_is_not_positive_is_rejected(value):
    expected = f"NaiveBayes: smoothing must be a number above 0, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        predicted(small_case(), smoothing=value)
