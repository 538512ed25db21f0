"""From components to rules: the paper's grid, and what every region must say."""

import numpy as np
import pytest
from rulekit_defragtrees.fab import fit
from rulekit_defragtrees.indicators import Indicators
from rulekit_defragtrees.regions import CERTAIN, order_of_trial, regions
from rulekit_defragtrees.splits import splits_of
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit

NOISE = 0.1


def grid(seed, n_samples=1000):
    """The first synthetic example of the paper: four squares of alternating classes, a tenth of the labels flipped."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_samples, 2))
    return X, ((X > 0.5).sum(axis=1) == 1) ^ (rng.random(n_samples) < NOISE)


@pytest.fixture(scope="module", params=["forest", "boosting"])
def on_the_grid(request):
    X, y = grid(0)
    ensembles = {
        "forest": RandomForestClassifier(100, max_depth=5, random_state=0),
        "boosting": GradientBoostingClassifier(min_samples_leaf=10, random_state=0),
    }
    return X, y, ensembles[request.param].fit(X, y)


class TestTheGridOfThePaper:
    @pytest.mark.parametrize("seed", range(3))
    def test_the_four_regions_are_found(self, on_the_grid, seed):
        X, y, ensemble = on_the_grid
        ruleset = rulekit.build("defragtrees", ensemble, max_rules=4, random_state=seed).fit(X, y).ruleset_
        found = {}
        for rule in ruleset[:-1]:
            sides = {(condition.feature_index, condition.operator) for condition in rule.conditions}
            assert {feature for feature, _ in sides} == {0, 1}
            assert all(abs(condition.threshold - 0.5) < 0.07 for condition in rule.conditions)
            found[frozenset(sides)] = rule.label
        assert found == {
            frozenset({(0, first), (1, second)}): first != second for first in ("<=", ">") for second in ("<=", ">")
        }

    def test_each_states_the_class_shares_of_the_samples_that_it_answers_for(self, on_the_grid):
        """Here hardly a sample belongs to two components, so that shares of samples are shares of responsibility."""
        X, y, ensemble = on_the_grid
        ruleset = rulekit.build("defragtrees", ensemble, max_rules=4, random_state=0).fit(X, y).ruleset_
        answering = ruleset.inference.answering_rule(ruleset.matches(X), X)
        for position, rule in enumerate(ruleset[:-1]):
            fraction = y[answering == position].mean()
            np.testing.assert_allclose(rule.probabilities, [1 - fraction, fraction], atol=0.005)

    def test_with_more_components_than_regions_the_error_stays_that_of_the_noise(self, on_the_grid):
        X, y, ensemble = on_the_grid
        model = rulekit.build("defragtrees", ensemble, max_rules=10, random_state=0).fit(X, y)
        assert 4 <= len(model.ruleset_) - 1 < 10
        X_new, y_new = grid(1, 3000)
        assert 1 - model.score(X_new, y_new) < NOISE + 0.05


@pytest.fixture(scope="module")
def fitted():
    """A mixture with what it was fitted on."""
    X, y = load_iris(return_X_y=True)
    data = rulekit.build("defragtrees", RandomForestClassifier(20, max_depth=3, random_state=0)).prepare(X, y)
    splits = splits_of(data.conditions)
    indicators = Indicators.of(data, splits)
    mixture = fit(indicators, 5, 100, 1e-6, np.random.default_rng(1)).mixture
    return X, data, splits, indicators, mixture


class TestRegions:
    def test_a_region_covers_the_samples_on_the_certain_sides_of_all_splits(self, fitted):
        X, data, splits, indicators, mixture = fitted
        rates = mixture.rates[indicators.column_of]
        antecedents = regions(rates, splits, data)
        cover = data.samples(data.cover(antecedents))
        conditions, columns = data.conditions, X.T
        for k, covered in enumerate(cover):
            expected = np.ones(len(X), dtype=bool)
            for left, right, rate in zip(splits.left, splits.right, rates[:, k], strict=True):
                if rate < CERTAIN:
                    expected &= conditions.hold(left, columns)
                if rate > 1 - CERTAIN:
                    expected &= conditions.hold(right, columns)
            np.testing.assert_array_equal(covered, expected)

    def test_no_condition_can_be_removed_without_adding_samples(self, fitted):
        _, data, splits, indicators, mixture = fitted
        for row in regions(mixture.rates[indicators.column_of], splits, data):
            ids = row[row != data.pad]
            n_covered = data.samples(data.cover(ids[None])).sum()
            for position in range(len(ids)):
                without = np.append(np.delete(ids, position), data.pad)[None]
                assert data.samples(data.cover(without)).sum() > n_covered

    def test_both_sides_of_a_split_are_never_asked_for(self, fitted):
        _, data, splits, _, _ = fitted
        left, right = data.samples(data.condition_bits(splits.left)), data.samples(data.condition_bits(splits.right))
        np.testing.assert_array_equal(left, ~right)


class TestOrder:
    def test_a_region_that_claims_all_it_covers_comes_before_one_that_does_not(self):
        covers = np.array([[1, 1, 1, 1], [0, 0, 1, 1]], dtype=bool)
        order = order_of_trial(covers, claims=np.array([0, 0, 1, 1]), counts=np.ones(4))
        assert order.tolist() == [1, 0]

    def test_of_regions_that_claim_alike_the_larger_comes_first(self):
        covers = np.array([[1, 0, 0, 0], [0, 1, 1, 1]], dtype=bool)
        assert order_of_trial(covers, np.array([0, 1, 1, 1]), np.ones(4)).tolist() == [1, 0]

    def test_patterns_count_as_often_as_they_occur(self):
        covers = np.array([[1, 1, 0], [1, 0, 1]], dtype=bool)
        claims = np.array([0, 1, 0])
        assert order_of_trial(covers, claims, np.array([9.0, 1.0, 1.0])).tolist() == [0, 1]
        assert order_of_trial(covers, claims, np.array([1.0, 9.0, 1.0])).tolist() == [0, 1]
        assert order_of_trial(covers, 1 - claims, np.array([9.0, 1.0, 1.0])).tolist() == [1, 0]
