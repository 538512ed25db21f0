"""Whole weights give the rules and probabilities of repeated samples, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier

import rulekit

METHODS = {
    "rc+": {},
    "rcprob": {"min_coverage": 0.02, "search_score": "log-loss", "search_estimator": "m-estimate"},
    "rclist": {"refine": "relist", "final_estimator__honest": "none", "min_class_coverage": 0.03},
}
#: Random labels lead to poor rules now and then, which warn; the rules must be the same all the same.
FEW_RULES = "ignore:(No rule|The rules predict|No rule predicts):UserWarning"


def drawn(seed):
    rng = np.random.default_rng(seed)
    n_samples, n_classes = int(rng.integers(40, 120)), int(rng.integers(2, 4))
    X = rng.integers(0, 8, (n_samples, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] > rng.integers(4, 10)).astype(int) + (n_classes == 3) * (X[:, 2] > 5)
    y = np.where(rng.random(n_samples) < 0.2, rng.integers(0, n_classes, n_samples), y)
    weights = rng.integers(0, 4, n_samples)
    y[:n_classes], weights[:n_classes] = np.arange(n_classes), 1
    return X, y, weights


def same(weighted, repeated):
    assert weighted.antecedents == repeated.antecedents
    assert weighted.probabilities.tolist() == repeated.probabilities.tolist()
    assert weighted.weighted.counts.tolist() == repeated.counts.tolist()
    assert weighted.weighted.answered.tolist() == repeated.answered_counts.tolist()
    assert weighted.weighted.total == repeated.n_samples


@pytest.mark.filterwarnings(FEW_RULES)
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), is_fitted=st.booleans())
def test_whole_weights_equal_repeated_samples(method, seed, is_fitted):
    X, y, weights = drawn(seed)
    X_repeated, y_repeated = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    ensemble = ExtraTreesClassifier(5, max_depth=4, max_features=None, random_state=seed % 1000)
    if is_fitted:
        ensemble.fit(X, y)
    class_weight = "balanced" if seed % 3 == 0 else None
    model = rulekit.build(method, ensemble, class_weight=class_weight, **METHODS[method])
    repeated = model.fit(X_repeated, y_repeated)
    path, lists = repeated.path_, repeated.ruleset_
    weighted = model.fit(X, y, sample_weight=weights)
    if class_weight is None:
        same(weighted.ruleset_, lists)
    assert weighted.ruleset_.antecedents == lists.antecedents
    assert weighted.ruleset_.probabilities.tolist() == lists.probabilities.tolist()
    if path is not None:
        pd_columns = path.to_frame().to_numpy().tolist()
        assert weighted.path_.to_frame().to_numpy().tolist() == pd_columns


@pytest.mark.filterwarnings(FEW_RULES)
def test_samples_of_weight_zero_might_as_well_be_absent():
    X, y, weights = drawn(1)
    weights = np.where(weights > 0, weights + 0.3, 0.0)
    model = rulekit.build("rcprob", random_state=0)
    kept = weights > 0
    assert model.fit(X, y, sample_weight=weights).ruleset_ == model.fit(X[kept], y[kept], weights[kept]).ruleset_


@pytest.mark.filterwarnings(FEW_RULES)
@pytest.mark.parametrize("method", ["rc+", "rcprob", "rclist"])
def test_weights_of_one_change_nothing(method):
    X, y, _ = drawn(2)
    ensemble = ExtraTreesClassifier(5, max_depth=4, random_state=0).fit(X, y)
    model = rulekit.build(method, ensemble, random_state=0)
    document = model.fit(X, y).ruleset_.to_dict()
    ones = dict.fromkeys(np.unique(y), 1.0)
    assert model.set_params(class_weight=ones).fit(X, y, sample_weight=np.ones(len(y))).ruleset_.to_dict() == document


@pytest.mark.filterwarnings(FEW_RULES)
def test_weights_of_classes_are_those_of_their_samples_in_the_search():
    X, y, weights = drawn(3)
    ensemble = ExtraTreesClassifier(5, max_depth=4, random_state=0).fit(X, y)
    by_class = rulekit.build("rcprob", ensemble, class_weight={0: 0.5, 1: 4}).fit(X, y, sample_weight=weights)
    by_sample = rulekit.build("rcprob", ensemble).fit(X, y, sample_weight=weights * np.where(y == 1, 4, 0.5))
    assert by_class.ruleset_ == by_sample.ruleset_
