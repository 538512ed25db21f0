"""The mixture and its two steps: against loops over samples and splits, and by what must be true of any data."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rulekit_defragtrees.fab import Fit, best_of, fit, without_vanished
from rulekit_defragtrees.indicators import Indicators
from rulekit_defragtrees.mixture import EDGE, Mixture, criterion, expect, penalty_of
from rulekit_defragtrees.splits import splits_of
from sklearn.ensemble import RandomForestClassifier

import rulekit

SEEDS = st.integers(0, 2**32 - 1)


class Case:
    """Random samples, the splits of a small forest, and the matrix of indicators in full."""

    def __init__(self, seed, n_samples=120, n_trees=6):
        rng = np.random.default_rng(seed)
        self.n_classes = int(rng.integers(2, 5))
        # Few different values, so that samples share their indicators.
        X = rng.integers(0, rng.integers(3, 12), (n_samples, 3)).astype(float)
        score = X[:, 0] + rng.integers(0, 3) * X[:, 1] + rng.normal(size=n_samples)
        y = np.searchsorted(np.quantile(score, np.arange(1, self.n_classes) / self.n_classes), score)
        forest = RandomForestClassifier(n_trees, max_depth=3, random_state=int(rng.integers(2**31)))
        data = rulekit.build("defragtrees", forest).prepare(X, y)
        splits = splits_of(data.conditions)
        self.y, self.rng = y, rng
        self.sides = data.samples(data.condition_bits(splits.right)).T
        self.indicators = Indicators.of(data, splits)
        examples = self.indicators.examples
        rows = {(*self.sides[example].tolist(), y[example]): row for row, example in enumerate(examples)}
        self.pattern_of = np.array([rows[(*sides.tolist(), of)] for sides, of in zip(self.sides, y, strict=True)])

    def mixture(self, n_components=4):
        return Mixture.random(self.indicators, n_components, self.rng)

    def responsibilities(self, n_components=4):
        return self.rng.dirichlet(np.full(n_components, 0.5), len(self.indicators.counts))


def slow_log_joint(case, mixture):
    """Log alpha_k p(y_n|k) p(s_n|eta_k), of shape (n_samples, n_components), one factor after the other."""
    rates = mixture.rates[case.indicators.column_of]
    table = np.zeros((len(case.y), len(mixture)))
    for n, (sides, y) in enumerate(zip(case.sides, case.y, strict=True)):
        for k in range(len(mixture)):
            table[n, k] = log(mixture.weights[k]) + log(mixture.class_fractions[y, k])
            for split, is_right in enumerate(sides):
                table[n, k] += log(rates[split, k] if is_right else 1 - rates[split, k])
    return table


def slow_expect(log_joint, q, n_splits, n_classes, n_updates):
    """The E step as the paper has it: q_nk in proportion to p_nk exp(-omega / (1 + sum_n q_nk))."""
    n_samples, n_components = log_joint.shape
    for _ in range(n_updates):
        sizes = [sum(q[n, k] for n in range(n_samples)) for k in range(n_components)]
        shrunk = [exp(-(1 + n_classes + n_splits) / 2 / (1 + size)) for size in sizes]
        q = np.empty_like(log_joint)
        for n in range(n_samples):
            largest = max(log_joint[n])
            unnormalised = [exp(log_joint[n, k] - largest) * shrunk[k] for k in range(n_components)]
            for k in range(n_components):
                q[n, k] = unnormalised[k] / sum(unnormalised)
    return q


def slow_criterion(log_joint, q, n_splits, n_classes):
    total = 0.0
    for k in range(q.shape[1]):
        size = 0.0
        for n in range(len(q)):
            size += q[n, k]
            if q[n, k] > 0:
                total += q[n, k] * (log_joint[n, k] - log(q[n, k]))
        total -= (1 + n_classes + n_splits) / 2 * log(1 + size)
    return total


class TestAgainstLoops:
    @settings(max_examples=10, deadline=None)
    @given(SEEDS)
    def test_the_joint_probability(self, seed):
        case = Case(seed)
        mixture = case.mixture()
        came = mixture.log_joint(case.indicators)[case.pattern_of]
        np.testing.assert_allclose(came, slow_log_joint(case, mixture), rtol=1e-10, atol=1e-8)

    @settings(max_examples=10, deadline=None)
    @given(SEEDS, st.integers(1, 3))
    def test_the_e_step(self, seed, n_updates):
        case = Case(seed)
        indicators, q = case.indicators, case.responsibilities()
        log_joint = case.mixture().log_joint(indicators)
        came = expect(log_joint, q, indicators.counts, penalty_of(indicators), n_updates)[case.pattern_of]
        expected = slow_expect(
            log_joint[case.pattern_of], q[case.pattern_of], case.sides.shape[1], case.n_classes, n_updates
        )
        np.testing.assert_allclose(came, expected, rtol=1e-6, atol=1e-9)

    def test_the_e_step_takes_samples_from_a_small_component_even_if_it_leads_by_far(self):
        log_joint = np.tile([0.0, -50.0], (10, 1))
        q = np.tile([0.05, 0.95], (10, 1))
        came = expect(log_joint, q, np.ones(10), penalty=150.0, n_updates=1)
        np.testing.assert_allclose(came, slow_expect(log_joint, q, n_splits=297, n_classes=2, n_updates=1), atol=1e-12)
        assert (came[:, 1] > 0.99).all()

    @settings(max_examples=10, deadline=None)
    @given(SEEDS)
    def test_the_m_step(self, seed):
        case = Case(seed)
        q = case.responsibilities()
        came = Mixture.most_likely(case.indicators, q)
        rates = came.rates[case.indicators.column_of]
        for k in range(q.shape[1]):
            size, of_class, on_the_right = 0.0, [0.0] * case.n_classes, [0.0] * case.sides.shape[1]
            for n, pattern in enumerate(case.pattern_of):
                size += q[pattern, k]
                of_class[case.y[n]] += q[pattern, k]
                for split, is_right in enumerate(case.sides[n]):
                    on_the_right[split] += q[pattern, k] * is_right
            np.testing.assert_allclose(came.weights[k], size / len(case.y), rtol=1e-12)
            np.testing.assert_allclose(came.class_fractions[:, k], np.divide(of_class, size), rtol=1e-12)
            expected = [min(max(total / size, EDGE), 1 - EDGE) for total in on_the_right]
            np.testing.assert_allclose(rates[:, k], expected, rtol=1e-9, atol=1e-12)

    @settings(max_examples=10, deadline=None)
    @given(SEEDS)
    def test_the_criterion(self, seed):
        case = Case(seed)
        indicators, q = case.indicators, case.responsibilities()
        log_joint = case.mixture().log_joint(indicators)
        came = criterion(log_joint, q, indicators.counts, penalty_of(indicators))
        every = case.pattern_of
        assert came == pytest.approx(slow_criterion(log_joint[every], q[every], case.sides.shape[1], case.n_classes))

    def test_the_training_error(self):
        case = Case(3)
        mixture = fit(case.indicators, 4, 50, 1e-6, case.rng).mixture
        rates = mixture.rates[case.indicators.column_of]
        claims = case.sides @ np.log(rates) + ~case.sides @ np.log(1 - rates) + np.log(mixture.weights)
        predicted = mixture.class_fractions.argmax(axis=0)[claims.argmax(axis=1)]
        assert mixture.error(case.indicators) == pytest.approx((predicted != case.y).mean())


class TestIndicators:
    @settings(max_examples=10, deadline=None)
    @given(SEEDS)
    def test_products_are_those_with_the_full_matrix(self, seed):
        case = Case(seed)
        indicators = case.indicators
        columns = np.zeros((len(indicators.counts), len(indicators.multiplicity)))
        columns[:, indicators.column_of] = case.sides[indicators.examples]
        table = case.rng.normal(size=(columns.shape[1], 3))
        np.testing.assert_allclose(indicators.times(table), columns @ table, atol=1e-10)
        table = case.rng.normal(size=(len(columns), 3))
        np.testing.assert_allclose(indicators.transposed_times(table), columns.T @ table, atol=1e-10)

    def test_every_sample_counts_in_one_pattern_of_its_class(self):
        case = Case(0)
        indicators = case.indicators
        assert len(indicators.counts) < len(case.y)
        np.testing.assert_array_equal(np.bincount(case.pattern_of), indicators.counts)
        np.testing.assert_array_equal(indicators.classes[case.pattern_of], case.y)


class TestTheCriterionNeverDecreases:
    @settings(max_examples=25, deadline=None)
    @given(SEEDS, st.integers(1, 12))
    def test_over_iterations_even_where_components_vanish(self, seed, n_components):
        case = Case(seed)
        history = np.array(fit(case.indicators, n_components, 60, 0.0, case.rng).history)
        assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()

    @settings(max_examples=25, deadline=None)
    @given(SEEDS)
    def test_in_any_update_of_the_e_step(self, seed):
        case = Case(seed)
        indicators, q = case.indicators, case.responsibilities(5)
        log_joint, penalty = case.mixture(5).log_joint(indicators), penalty_of(indicators)
        before = criterion(log_joint, q, indicators.counts, penalty)
        for _ in range(6):
            q = expect(log_joint, q, indicators.counts, penalty, n_updates=1)
            after = criterion(log_joint, q, indicators.counts, penalty)
            assert after >= before - 1e-9 * abs(before)
            before = after

    @settings(max_examples=25, deadline=None)
    @given(SEEDS)
    def test_in_the_m_step(self, seed):
        case = Case(seed)
        indicators, q, penalty = case.indicators, case.responsibilities(5), penalty_of(case.indicators)
        before = criterion(case.mixture(5).log_joint(indicators), q, indicators.counts, penalty)
        best = Mixture.most_likely(indicators, q)
        after = criterion(best.log_joint(indicators), q, indicators.counts, penalty)
        assert after >= before
        # Nor does any other rate do better.
        for _ in range(5):
            moved = np.clip(best.rates + case.rng.normal(scale=0.05, size=best.rates.shape), EDGE, 1 - EDGE)
            other = Mixture(best.weights, best.class_fractions, moved)
            assert criterion(other.log_joint(indicators), q, indicators.counts, penalty) <= after

    def test_where_a_component_vanishes_it_grows_by_the_penalty_that_is_saved(self):
        """The rest of a component that vanishes is below 1e-12 of the samples, so that no term of it can be seen."""
        case = Case(1)
        indicators, penalty = case.indicators, penalty_of(case.indicators)
        q = case.responsibilities(4)
        q[:, 3] = 1e-15
        q /= q.sum(axis=1, keepdims=True)
        log_joint = case.mixture(4).log_joint(indicators)
        kept = without_vanished(q, indicators.counts)
        before = criterion(log_joint, q, indicators.counts, penalty)
        after = criterion(log_joint[:, :3], kept, indicators.counts, penalty)
        assert kept.shape == (len(q), 3)
        assert after == pytest.approx(before, rel=1e-11)

    def test_components_do_vanish(self):
        case = Case(2)
        assert any(len(fit(case.indicators, 12, 60, 0.0, case.rng).mixture) < 12 for _ in range(5))


class TestStarts:
    def test_one_component_is_the_class_shares_of_all_samples(self):
        case = Case(4)
        mixture = fit(case.indicators, 1, 50, 1e-6, case.rng).mixture
        fractions = np.bincount(case.y) / len(case.y)
        np.testing.assert_allclose(mixture.class_fractions[:, 0], fractions)
        np.testing.assert_allclose(mixture.rates[case.indicators.column_of, 0], case.sides.mean(axis=0), atol=EDGE)

    def test_the_smallest_error_counts_then_the_largest_criterion_then_the_first(self):
        case = Case(5)
        settled = [(0.3, -1.0), (0.2, -9.0), (0.2, -5.0), (0.2, -5.0)]
        fits = [Fit(case.mixture(), [-20.0, reached], error) for error, reached in settled]
        assert best_of(fits) is fits[2]

    def test_it_stops_at_the_limit_or_where_the_criterion_stays(self):
        case = Case(6)
        assert len(fit(case.indicators, 4, 3, 0.0, np.random.default_rng(0)).history) == 3
        history = fit(case.indicators, 4, 500, 1e-5, np.random.default_rng(0)).history
        growth = np.diff(history) / len(case.y)
        assert len(history) < 500
        assert growth[-1] < 1e-5 <= growth[:-1].min()
