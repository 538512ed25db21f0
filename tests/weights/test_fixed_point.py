"""Weights in fixed point, and where their bits are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.checks import check_class_weight
from rulekit.core.engine.interface import Layout
from rulekit.core.errors import InvalidParameterError, SampleWeightError
from rulekit.core.weights import Weights, checked_weights

LABELS = np.array(["a", "b", "c"])
quickly = settings(max_examples=30, deadline=None)


def weights_of(sample_weight, class_weight=None, y=None):
    given_weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    y = np.arange(len(given_weights)) % 3 if y is None else np.asarray(y)
    return Weights.of(given_weights, class_weight, y, LABELS), y


@quickly
@given(st.lists(st.integers(1, 5000), min_size=3, max_size=300), st.sampled_from([None, {"a": 3, "b": 1, "c": 7}]))
def test_bits_of_a_sample_add_up_to_its_weight(units, class_weight):
    weights, y = weights_of(units, class_weight)
    layout = Layout.of(y, 3, weights)
    blocks = layout.blocks
    owners = np.arange(len(y)) if layout.owners is None else layout.owners
    assert len(np.unique(layout.slots)) == len(layout.slots)
    block = np.searchsorted(blocks.bounds, layout.slots // 64, side="right") - 1
    assert (blocks.classes[block] == y[owners]).all()
    sums = np.bincount(owners, blocks.multipliers[block] * blocks.unit, minlength=len(y))
    expected = np.asarray(units) * ([class_weight[LABELS[c]] for c in y] if class_weight else 1)
    assert sums.tolist() == expected.tolist()
    assert (owners[np.searchsorted(layout.slots, layout.first, sorter=np.argsort(layout.slots))].size) == len(y)


@quickly
@given(st.lists(st.floats(0.1, 100), min_size=3, max_size=100))
def test_other_weights_are_off_by_half_a_unit_at_most(given_weights):
    weights, y = weights_of(given_weights)
    found = np.ones(len(y)) if weights is None else weights.of_samples(y)
    assert np.abs(found - given_weights).max() <= max(given_weights) / 2**12


def test_whole_weights_are_exact_up_to_two_billion():
    weights, y = weights_of([2**31 - 1, 1, 5])
    assert weights.of_samples(y).tolist() == [2**31 - 1, 1, 5]


def test_few_different_weights_take_one_bit_each():
    weights, y = weights_of(np.tile([0.3, 1.7, 2.9], 100))
    assert len(Layout.of(y, 3, weights).slots) == 300


def test_weights_of_one_are_no_weights():
    assert weights_of(np.ones(6), {"a": 1.0, "b": 1, "c": 1})[0] is None


def test_class_weights_need_no_bits_of_their_own():
    weights, y = weights_of(None, {"a": 0.1, "b": 20.0, "c": 3.0}, np.arange(100) % 3)
    layout = Layout.of(y, 3, weights)
    assert layout.owners is None
    assert weights.of_samples(np.arange(3)) == pytest.approx([0.1, 20.0, 3.0], rel=1e-9)


def test_balanced_classes_weigh_the_same_and_all_as_much_as_before():
    weights, y = weights_of(None, "balanced", [0] * 90 + [1] * 9 + [2])
    assert weights.sums(y) == pytest.approx([100 / 3] * 3)


def test_balanced_takes_the_weights_of_samples_into_account():
    weights, y = weights_of([1, 1, 4], "balanced", [0, 0, 1])
    assert weights.sums(y)[:2] == pytest.approx([3, 3])


def test_classes_that_are_not_named_count_as_one():
    weights, y = weights_of([1, 1, 1], {"b": 5})
    assert weights.of_samples(y).tolist() == [1, 5, 1]


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [
        ([1, -1, 1], r"must be finite and not negative, got -1 for sample 1"),
        ([1, np.nan, 1], r"must be finite and not negative, got nan for sample 1"),
        ([1, np.inf, 1], r"must be finite and not negative, got inf for sample 1"),
        ([0, 0, 0], r"zero for every sample"),
        ([1, 2], r"one number for each of the 3 samples, shape \(3,\), got \(2,\)"),
        ([[1], [2], [3]], r"got \(3, 1\)"),
        (["a", "b", "c"], r"sample_weight must be numbers"),
    ],
)
def test_what_is_no_weight_of_a_sample_is_rejected(sample_weight, message):
    with pytest.raises(SampleWeightError, match=message):
        checked_weights(sample_weight, 3)


def test_weights_that_are_too_far_apart_are_rejected():
    with pytest.raises(SampleWeightError, match=r"more than 4,096 times the smallest positive one, 1e-06"):
        weights_of([1.5, 1e-6, 1])


def test_sums_that_would_not_be_exact_are_rejected():
    with pytest.raises(SampleWeightError, match="too large to be exact"):
        weights_of(np.full(300, 2.0**31), {"a": 2**20})


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ("balance", "class_weight must be None, 'balanced', or a dict"),
        ([1, 2], "class_weight must be None, 'balanced', or a dict"),
        ({"a": 0}, "positive finite numbers, got 0 for the class 'a'"),
        ({"a": float("nan")}, "positive finite numbers, got nan"),
        ({"a": True}, "positive finite numbers, got True"),
    ],
)
def test_what_is_no_weight_of_a_class_is_rejected(class_weight, message):
    with pytest.raises(InvalidParameterError, match=message):
        check_class_weight(class_weight)


def test_a_misspelled_class_is_reported():
    with pytest.raises(InvalidParameterError, match=r"unknown classes, \['d'\], and none of \['b', 'c'\]"):
        weights_of([1, 1, 1], {"a": 2, "d": 3})
