"""Virtual samples: mixtures of near samples, whatever the kinds of features."""

from types import SimpleNamespace

import attrs
import numpy as np
import pytest
from core.training_sets import random_training_set

from rulekit.core.virtual_samples import N_NEAREST, virtual_samples

#: x1 and x2 hold codes of categories; x0 and x2 have missing values; x3 never varies.
CATEGORICAL = {1, 2}


def training_data(seed=0, n_samples=24):
    drawn = random_training_set(seed, n_samples=n_samples)
    rng = np.random.default_rng(seed)
    drawn.X[:, 1] = rng.integers(4, size=n_samples)
    drawn.X[:, 2] = rng.integers(3, size=n_samples)
    drawn.X[rng.random(n_samples) < 0.2, 2] = np.nan
    data = attrs.evolve(drawn.data(), seed=seed)
    drawn.X[rng.random(n_samples) < 0.2, 0] = np.nan
    forest = SimpleNamespace(categories={1: ("a", "b", "c", "d")}, set_features=frozenset({2}))
    return attrs.evolve(data, X=drawn.X, forest=forest)


def distance(X, one, two):
    """Each feature counts 2 on average over all pairs of its known values."""
    total = 0.0
    for feature, column in enumerate(X.T):
        values = ["missing" if np.isnan(value) else value for value in column.tolist()]
        a, b = values[one], values[two]
        if feature in CATEGORICAL:
            differ = 1 - sum((values.count(value) / len(values)) ** 2 for value in set(values))
            total += 2 / differ if a != b else 0.0
            continue
        known = [value for value in values if value != "missing"]
        mean, deviation = np.mean(known), np.std(known) or 1.0
        standard = {None: 0.0} | {value: (value - mean) / deviation for value in known}
        a, b = (None if value == "missing" else value for value in (a, b))
        total += (standard[a] - standard[b]) ** 2 + ((a is None) != (b is None))
    return total


def nearest(X, sample, folds):
    others = [i for i in range(len(X)) if i != sample and folds[i] == folds[sample]]
    return sorted(others, key=lambda other: (round(distance(X, sample, other), 9), other))[:N_NEAREST]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("n_folds", [1, 2])
def test_a_partner_is_one_of_the_nearest_of_the_fold(seed, n_folds):
    data = training_data(seed)
    folds = np.arange(data.n_samples) % n_folds
    _, parents = virtual_samples(data, None if n_folds == 1 else folds, 30)
    for sample in range(data.n_samples):
        partners = parents[parents[:, 0] == sample, 1].tolist()
        allowed = nearest(data.X, sample, folds)
        furthest = distance(data.X, sample, allowed[-1])
        assert all(distance(data.X, sample, partner) <= furthest + 1e-9 for partner in partners)
        assert {folds[partner] for partner in partners} == {folds[sample]}
        assert len(set(partners)) == N_NEAREST


def test_each_feature_has_the_value_of_either_parent_about_as_often():
    data = training_data()
    X, parents = virtual_samples(data, None, 50)
    own, other = data.X[parents[:, 0]], data.X[parents[:, 1]]
    is_own, is_other = ((of == X) | (np.isnan(of) & np.isnan(X)) for of in (own, other))
    assert (is_own | is_other).all()
    differ = ~(is_own & is_other)
    assert 0.45 < is_own[differ].mean() < 0.55


def test_a_sample_alone_in_its_fold_is_its_own_partner():
    data = training_data(n_samples=8)
    X, parents = virtual_samples(data, np.arange(8), 2)
    assert (parents[:, 0] == parents[:, 1]).all()
    assert np.array_equal(X, data.X[parents[:, 0]], equal_nan=True)


def test_the_seed_decides():
    data = training_data()
    one, same = (virtual_samples(data, None, 4) for _ in range(2))
    other = virtual_samples(attrs.evolve(data, seed=7), None, 4)
    assert np.array_equal(one[0], same[0], equal_nan=True)
    assert not np.array_equal(one[1], other[1])


def test_none_are_made_if_none_are_wanted():
    X, parents = virtual_samples(training_data(), None, 0)
    assert (X.shape, parents.shape) == ((0, 4), (0, 2))


def test_without_virtual_samples_no_distance_is_computed(monkeypatch):
    """Out-of-bag predictions of many samples took minutes: the nearest samples were looked for, but not used."""
    monkeypatch.delattr("rulekit.core.virtual_samples.nearest_samples")
    assert len(virtual_samples(training_data(), None, 0)[0]) == 0
