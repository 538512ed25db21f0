"""Combiners that break a promise are caught, by the check that is meant for it."""

from typing import ClassVar

import numpy as np
import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, of_one_fault
from testing.test_every_component import SHARED

from rulekit.core.interfaces import PriorCombiner
from rulekit.testing import check_prior_combiner


class Mean(PriorCombiner):
    """Keeps every promise."""

    def combine(self, left, right, left_support, right_support):
        return (left[:, None] + right) / 2


class Crosswise(Mean):
    def combine(self, *sides):
        return super().combine(*sides).transpose(1, 0, 2).copy()


class Single(Mean):
    def combine(self, *sides):
        return super().combine(*sides).astype(np.float32)


class BareProduct(Mean):
    def combine(self, left, right, left_support, right_support):
        product = left[:, None] * right
        with np.errstate(invalid="ignore"):
            return product / product.sum(axis=2, keepdims=True)


class BySamples(Mean):
    """Weights by samples, where there are some."""

    is_symmetric: ClassVar[bool] = False

    def combine(self, left, right, left_support, right_support):
        with np.errstate(invalid="ignore"):
            fraction = (left_support[:, None] / (left_support[:, None] + right_support))[..., None]
        return fraction * left[:, None] + (1 - fraction) * right


class NeedsRules(Mean):
    def combine(self, left, right, left_support, right_support):
        assert min(left.max(), right.max()) >= 0
        return super().combine(left, right, left_support, right_support)


class LooksAround(Mean):
    """Mixes in the mean of all rules on the left."""

    is_symmetric: ClassVar[bool] = False

    def combine(self, left, right, left_support, right_support):
        return (left[:, None] + right + left.mean(axis=0)) / 3 if len(left) else super().combine(left, right, 0, 0)


class LeansLeft(Mean):
    def combine(self, left, right, left_support, right_support):
        return 0.7 * left[:, None] + 0.3 * right


class SaysSo(LeansLeft):
    """Is allowed to."""

    is_symmetric: ClassVar[bool] = False


class Favours(Mean):
    def combine(self, *sides):
        mean = super().combine(*sides)
        return 0.9 * mean + 0.1 * (np.arange(mean.shape[2]) == 0)


class WritesToLeft(Mean):
    def combine(self, left, *others):
        left *= 1.0
        return super().combine(left, *others)


class Remembers(Mean):
    """Moves away from what it was first asked about."""

    def combine(self, left, *others):
        self.n_asked_ = getattr(self, "n_asked_", 0) + 1
        fraction = 1 / (1 + self.n_asked_)
        return fraction * super().combine(left, *others) + (1 - fraction) / left.shape[1]


class Shrunken(Mean):
    """Learns class fractions, and draws towards them; keeps every promise."""

    def fit(self, data):
        self.fractions_ = data.class_counts / data.n_samples
        return self

    def combine(self, *sides):
        return 0.9 * super().combine(*sides) + 0.1 * self.fractions_


class FitsOnce(Shrunken):
    def fit(self, data):
        return self if hasattr(self, "fractions_") else super().fit(data)


class ReturnsNothing(Mean):
    def fit(self, data):
        pass


class WritesToData(Shrunken):
    def fit(self, data):
        data.class_counts[:] = data.class_counts
        return super().fit(data)


BROKEN = [
    (ReturnsNothing(), "check_fit_returns_self", "Got: None."),
    (FitsOnce(), "check_refit_forgets", "ValueError: operands could not be broadcast"),
    (WritesToData(), "check_inputs_are_not_written_to", "read-only"),
    (Crosswise(), "check_shape", "2 classes: the shape (7, 6, 2) instead of (6, 7, 2)."),
    (Single(), "check_shape", "2 classes: the type float32 instead of float64."),
    (BareProduct(), "check_rows_sum_to_one", "2 classes: entry (0, 0) is [nan, nan], not all finite."),
    (BySamples(), "check_rows_sum_to_one", "not all finite."),
    (NeedsRules(), "check_no_rules", "ValueError: zero-size array to reduction operation"),
    (LooksAround(), "check_pairs_are_combined_independently", "left 0 and right 0 alone: row 0 is"),
    (LeansLeft(), "check_symmetry", "2 classes, exchanged: entry (0, 0) is [0.3, 0.7] instead of [0.7, 0.3]."),
    (Favours(), "check_order_of_classes", "2 classes, classes renamed: entry (0, 0) is"),
    (WritesToLeft(), "check_inputs_are_not_written_to", "read-only"),
    (Remembers(), "check_refit_forgets", "after other uses: distributions: row 0 is"),
]


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_combiner_is_caught(component, check, got):
    assert_caught(check, component, got)


#: An answer of the wrong form fails wherever its rows are looked at.
SPOILING_MORE = (Crosswise, Single, Remembers, ReturnsNothing)


@pytest.mark.parametrize(
    ("component", "check", "got"), of_one_fault(BROKEN, SPOILING_MORE), ids=lambda value: str(value)[:40]
)
def test_no_other_check_fails_for_a_broken_combiner(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, Mean(), elsewhere=SHARED)


@pytest.mark.parametrize("component", [Mean(), SaysSo(), Shrunken()], ids=str)
def test_a_sound_combiner_passes(component):
    check_prior_combiner(component)
