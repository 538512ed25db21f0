"""Class fractions."""

import numpy as np
from probability.batches import published_case, random_batch, small_case

from rulekit.probability.empirical import Empirical


def predicted(batch):
    return Empirical().fit(batch.index).estimate(batch)


def test_fractions_are_those_of_the_covered_samples():
    np.testing.assert_allclose(predicted(small_case())[:3], [[1 / 5, 4 / 5], [3 / 5, 2 / 5], [0.4, 0.6]], rtol=1e-15)


def test_a_rule_that_covers_nothing_states_its_prior():
    assert predicted(small_case())[3].tolist() == [0.2, 0.8]


def test_a_pure_rule_states_certainty():
    assert predicted(published_case()).tolist() == [[1.0, 0.0]]


def test_fractions_are_counted_sample_by_sample():
    drawn, batch = random_batch(0)
    for row, conditions in zip(predicted(batch), batch.conditions.tolist(), strict=True):
        samples = drawn.covered(conditions)
        if samples:
            np.testing.assert_allclose(row, [n / len(samples) for n in drawn.count(samples)], rtol=1e-15)
