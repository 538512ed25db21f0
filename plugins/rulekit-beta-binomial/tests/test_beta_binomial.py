"""How strongly to smooth: against SciPy's likelihood, brute force, and leaves whose strength is known."""

import numpy as np
import pytest
import rulekit_beta_binomial
from hypothesis import given, settings
from hypothesis import strategies as st
from rulekit_beta_binomial import BetaBinomial, UninformativeLeavesError, most_likely_strength, slope
from scipy.stats import dirichlet_multinomial
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.plugin import InvalidParameterError
from rulekit.testing import parametrize_with_checks

SEEDS = st.integers(0, 2**32 - 1)
LIMITS = (0.01, 1000.0)


def simulated_leaves(rng, strength, mean, n_leaves, largest):
    """Class counts of leaves whose class shares are Dirichlet-distributed, as NumPy draws them."""
    fractions = rng.dirichlet(strength * mean, n_leaves)
    sizes = rng.integers(1, largest, n_leaves)
    return np.array([rng.multinomial(size, row) for size, row in zip(sizes, fractions, strict=True)])


def log_likelihood(strength, counts, mean):
    """The sum over all leaves, by SciPy."""
    counts = counts[counts.sum(axis=1) > 0]
    return dirichlet_multinomial.logpmf(counts, strength * mean, counts.sum(axis=1)).sum()


def iris_forest():
    X, y = load_iris(return_X_y=True)
    return X, y, RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y)


@parametrize_with_checks([BetaBinomial(), BetaBinomial(min_strength=20.0)])
def test_it_keeps_what_probability_estimators_promise(component, check):
    check(component)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.floats(0.05, 50.0), st.integers(2, 4))
def test_the_slope_is_that_of_scipys_likelihood(seed, strength, n_classes):
    rng = np.random.default_rng(seed)
    mean = rng.dirichlet(np.full(n_classes, 5.0))
    counts = simulated_leaves(rng, 2.0, mean, 30, 40)
    step = 1e-5 * strength
    rise = log_likelihood(strength + step, counts, mean) - log_likelihood(strength - step, counts, mean)
    np.testing.assert_allclose(slope(strength, counts, mean).sum(), rise / (2 * step), rtol=1e-4, atol=1e-4)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.sampled_from([0.3, 2.0, 30.0]), st.integers(2, 4))
def test_no_strength_of_a_grid_is_more_likely(seed, strength, n_classes):
    rng = np.random.default_rng(seed)
    mean = rng.dirichlet(np.full(n_classes, 5.0))
    counts = simulated_leaves(rng, strength, mean, 40, 30)
    grid = np.geomspace(*LIMITS, 400)
    likelihoods = [log_likelihood(each, counts, mean) for each in grid]
    found = most_likely_strength(counts, mean, LIMITS)
    assert log_likelihood(found, counts, mean) >= max(likelihoods) - 1e-7
    # The grid's best neighbours enclose it.
    best = int(np.argmax(likelihoods))
    assert grid[max(best - 1, 0)] <= found <= grid[min(best + 1, 399)]


def test_of_two_peaks_the_higher_one_is_found():
    """Many small pure leaves and one large balanced leaf once led to the largest strength, which is far less likely."""
    mean = np.array([0.5, 0.5])
    counts = np.array([[2, 0]] * 10 + [[0, 2]] * 10 + [[1, 1]] * 3 + [[500, 500]])
    grid = np.geomspace(*LIMITS, 400)
    likelihoods = [log_likelihood(each, counts, mean) for each in grid]
    is_rising = np.diff(likelihoods) > 0
    assert (is_rising[:-1] & ~is_rising[1:]).sum() + is_rising[-1] == 2
    np.testing.assert_allclose(most_likely_strength(counts, mean, LIMITS), grid[np.argmax(likelihoods)], rtol=0.03)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.floats(0.05, 50.0), st.integers(2, 4))
def test_differences_of_likelihoods_are_scipys(seed, strength, n_classes):
    rng = np.random.default_rng(seed)
    mean = rng.dirichlet(np.full(n_classes, 5.0))
    counts = simulated_leaves(rng, 2.0, mean, 20, 40)
    ours = rulekit_beta_binomial.log_likelihood(strength, counts, mean).sum()
    ours -= rulekit_beta_binomial.log_likelihood(1.0, counts, mean).sum()
    expected = log_likelihood(strength, counts, mean) - log_likelihood(1.0, counts, mean)
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("strength", [0.5, 4.0, 40.0])
def test_a_known_strength_is_found_again(strength):
    mean = np.array([0.5, 0.3, 0.2])
    counts = simulated_leaves(np.random.default_rng(0), strength, mean, 4000, 60)
    np.testing.assert_allclose(most_likely_strength(counts, mean, LIMITS), strength, rtol=0.1)


class TestLimits:
    def test_pure_leaves_ask_for_the_least_strength(self):
        assert most_likely_strength(np.array([[5, 0], [0, 9], [3, 0]]), np.array([0.5, 0.5]), LIMITS) == LIMITS[0]

    def test_leaves_no_more_spread_than_chance_ask_for_the_largest(self):
        assert most_likely_strength(np.array([[10, 10], [8, 8]]), np.array([0.5, 0.5]), LIMITS) == LIMITS[1]

    def test_leaves_of_one_sample_are_not_informative(self):
        with pytest.raises(UninformativeLeavesError, match=r"none of the ensemble's 3 has two\. Use shallower trees"):
            most_likely_strength(np.array([[1, 0], [0, 1], [0, 0]]), np.array([0.5, 0.5]), LIMITS)

    def test_they_are_left_out_beside_others(self):
        mean, others = np.array([0.4, 0.6]), np.array([[7, 2], [1, 6], [4, 4]])
        with_single = np.vstack([others, [[1, 0], [0, 1], [0, 0]]])
        expected = most_likely_strength(others, mean, LIMITS)
        np.testing.assert_allclose(most_likely_strength(with_single, mean, LIMITS), expected, rtol=1e-9)

    def test_a_class_without_samples_changes_nothing(self):
        counts, mean = np.array([[7, 2], [1, 6], [4, 4]]), np.array([0.4, 0.6])
        wider = np.insert(counts, 1, 0, axis=1)
        expected = most_likely_strength(counts, mean, LIMITS)
        assert most_likely_strength(wider, np.array([0.4, 0.0, 0.6]), LIMITS) == expected

    def test_the_least_strength_must_be_positive(self):
        X, y, forest = iris_forest()
        model = rulekit.build("rcprob", forest, final_estimator="beta-binomial", final_estimator__min_strength=0.0)
        with pytest.raises(InvalidParameterError, match="BetaBinomial: min_strength must be a number above 0"):
            model.fit(X, y)


class TestWithRulekit:
    def test_it_is_discovered_through_its_entry_point(self):
        (found,) = [each for each in rulekit.list_components("probability") if each.name == "beta-binomial"]
        assert found.origin == "rulekit-beta-binomial 0.1.0"

    def test_the_strength_is_most_likely_for_the_leaves_as_scikit_learn_fills_them(self):
        X, y, forest = iris_forest()
        counts = [
            np.bincount(y[leaf_of_sample == leaf], minlength=3)
            for leaf_of_sample in forest.apply(X).T
            for leaf in np.unique(leaf_of_sample)
        ]
        data = rulekit.build("rcprob", forest).prepare(X, y)
        fractions = np.bincount(y) / len(y)
        expected = most_likely_strength(np.array(counts), fractions, (0.1, float(len(y))))
        np.testing.assert_allclose(BetaBinomial().fit(data).strength_, expected, rtol=1e-9)

    def test_rules_state_counts_drawn_towards_the_class_shares(self):
        X, y, forest = iris_forest()
        model = rulekit.build("rcprob", forest, final_estimator="beta-binomial")
        strength = BetaBinomial().fit(model.prepare(X, y)).strength_
        model.fit(X, y)
        for rule in model.ruleset_[:-1]:
            expected = [(count + strength / 3) / (rule.n_covered + strength) for count in rule.counts.tolist()]
            np.testing.assert_allclose(rule.probabilities, expected, rtol=1e-12)
