"""What every estimator promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from probability.batches import ESTIMATORS, random_batch, small_case
from sklearn.base import clone

from rulekit.core.index import TrainingIndex
from rulekit.core.rules import RuleBatch

every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
quickly = settings(max_examples=20, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def predicted(estimator, batch):
    return clone(estimator).fit(batch.index).estimate(batch)


@every_estimator
@quickly
@given(seed=seeds, n_classes=st.integers(2, 9))
def test_rows_sum_to_one(estimator, seed, n_classes):
    _, batch = random_batch(seed, n_classes)
    np.testing.assert_allclose(predicted(estimator, batch).sum(axis=1), np.ones(len(batch)), rtol=1e-12)


@every_estimator
@quickly
@given(seed=seeds, n_classes=st.integers(2, 9))
def test_no_probability_is_negative(estimator, seed, n_classes):
    _, batch = random_batch(seed, n_classes)
    assert predicted(estimator, batch).min() >= 0


@every_estimator
def test_a_rule_without_conditions_sums_to_one(estimator):
    np.testing.assert_allclose(predicted(estimator, small_case())[2].sum(), 1.0, rtol=1e-12)


@every_estimator
def test_a_rule_that_covers_nothing_sums_to_one(estimator):
    batch = small_case()
    assert batch.counts[3].tolist() == [0, 0]
    np.testing.assert_allclose(predicted(estimator, batch)[3].sum(), 1.0, rtol=1e-12)


@every_estimator
@quickly
@given(seed=seeds)
def test_a_rules_row_does_not_depend_on_the_batch(estimator, seed):
    _, batch = random_batch(seed)
    alone = [
        predicted(estimator, RuleBatch(batch.index, batch.conditions[i : i + 1], batch.priors[i : i + 1]))[0].tolist()
        for i in range(len(batch))
    ]
    assert alone == predicted(estimator, batch).tolist()


@every_estimator
@quickly
@given(seed=seeds)
def test_where_the_pads_stand_does_not_matter(estimator, seed):
    _, batch = random_batch(seed)
    reversed_ = RuleBatch(batch.index, batch.conditions[:, ::-1], batch.priors)
    assert predicted(estimator, batch).tolist() == predicted(estimator, reversed_).tolist()


@every_estimator
@quickly
@given(seed=seeds, n_classes=st.integers(2, 5))
def test_renaming_the_classes_moves_the_columns(estimator, seed, n_classes):
    drawn, batch = random_batch(seed, n_classes)
    new_name = np.random.default_rng(seed).permutation(n_classes)
    index = TrainingIndex(drawn.X, new_name[drawn.y], drawn.conditions, n_classes)
    renamed = RuleBatch(index, batch.conditions, batch.priors[:, np.argsort(new_name)])
    np.testing.assert_allclose(
        predicted(estimator, renamed)[:, new_name], predicted(estimator, batch), rtol=1e-12, atol=1e-15
    )


@every_estimator
def test_no_rules_get_no_rows(estimator):
    _, batch = random_batch(0)
    nothing = RuleBatch(batch.index, batch.conditions[:0], batch.priors[:0])
    assert predicted(estimator, nothing).shape == (0, 3)


@every_estimator
def test_estimating_leaves_the_batch_as_it_was(estimator):
    _, batch = random_batch(1)
    before = (batch.conditions.tolist(), batch.priors.tolist(), batch.counts.tolist())
    predicted(estimator, batch)
    assert before == (batch.conditions.tolist(), batch.priors.tolist(), batch.counts.tolist())


@every_estimator
def test_fitting_returns_the_estimator_itself(estimator):
    fresh = clone(estimator)
    assert fresh is fresh.fit(small_case().index)


@every_estimator
def test_known_counts_lead_to_the_same_probabilities(estimator):
    _, batch = random_batch(2)
    known = RuleBatch(batch.index, batch.conditions, batch.priors, batch.counts)
    assert predicted(estimator, batch).tolist() == predicted(estimator, known).tolist()


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if e.uses_counts], ids=lambda e: type(e).__name__)
def test_supports_of_estimators_that_read_samples_are_exact(estimator):
    drawn, batch = random_batch(3)
    expected = [float(len(drawn.covered(row))) for row in batch.conditions.tolist()]
    assert expected == clone(estimator).fit(batch.index).support(batch).tolist()
