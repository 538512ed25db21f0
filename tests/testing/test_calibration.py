"""Calibration maps that break a promise are caught, by the check that is meant for it."""

import numpy as np
import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, of_one_fault
from testing.test_every_component import SHARED

from rulekit.core.interfaces import CalibrationMap
from rulekit.testing import check_calibration_map
from rulekit.testing.calibration import predictions


class Shrinking(CalibrationMap):
    """Part of the way to the fractions of the classes; keeps every promise."""

    def __init__(self, weight=0.5):
        self.weight = weight

    def fit(self, probabilities, class_indices):
        self.fractions_ = np.bincount(class_indices, minlength=probabilities.shape[1]) / len(class_indices)
        return self

    def transform(self, probabilities):
        return (1 - self.weight) * probabilities + self.weight * self.fractions_


class ReturnsNothing(Shrinking):
    def fit(self, probabilities, class_indices):
        super().fit(probabilities, class_indices)


class Single(Shrinking):
    def transform(self, probabilities):
        return super().transform(probabilities).astype(np.float32)


class TruthOnly(Shrinking):
    """Forgets all classes but the first."""

    def transform(self, probabilities):
        return super().transform(probabilities)[:, :1]


class Unscaled(Shrinking):
    def transform(self, probabilities):
        return super().transform(probabilities) * 0.9


class Overdone(Shrinking):
    """Goes away from the fractions of the classes, beyond 0 and 1."""

    def transform(self, probabilities):
        return 1.5 * probabilities - 0.5 * self.fractions_


class NeedsDoubt(Shrinking):
    """Divides by 0 where a probability is 1."""

    def transform(self, probabilities):
        with np.errstate(all="ignore"):
            odds = probabilities / (1 - probabilities)
            return odds / odds.sum(axis=1, keepdims=True)


class LooksAround(Shrinking):
    def transform(self, probabilities):
        return (probabilities + probabilities.mean(axis=0)) / 2


class InPlace(Shrinking):
    def transform(self, probabilities):
        probabilities *= 1 - self.weight
        probabilities += self.weight * self.fractions_
        return probabilities


BROKEN = [
    (ReturnsNothing(), "check_fit_returns_self", "two classes: another object."),
    (Single(), "check_shape", "two classes: the type float32 instead of float64."),
    (TruthOnly(), "check_shape", "two classes: the shape (120, 1) instead of (120, 2)."),
    (Unscaled(), "check_rows_sum_to_one", "which sums to 0.9"),
    (Overdone(), "check_rows_sum_to_one", "partly negative."),
    (NeedsDoubt(), "check_rows_sum_to_one", "not all finite."),
    (LooksAround(), "check_chunks_equal_the_whole", "two classes, one sample at a time: row"),
    (InPlace(), "check_inputs_are_not_written_to", "read-only"),
]
#: Whoever returns nothing cannot be asked further, and the form of a distribution is that of the whole array.
SPOILING_MORE = (ReturnsNothing, Single, TruthOnly, InPlace)


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_map_is_caught(component, check, got):
    assert_caught(check, component, got)


@pytest.mark.parametrize(
    ("component", "check", "got"), of_one_fault(BROKEN, SPOILING_MORE), ids=lambda value: str(value)[:40]
)
def test_no_other_check_fails_for_a_broken_map(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, Shrinking(), elsewhere=SHARED)


@pytest.mark.parametrize("component", [Shrinking(), Shrinking(0.1)], ids=str)
def test_a_sound_map_passes(component):
    check_calibration_map(component)


@pytest.mark.parametrize("case", predictions(), ids=lambda case: case.name)
def test_every_class_has_samples_to_learn_from(case):
    """A map need not know what to do without."""
    assert np.bincount(case.class_indices, minlength=case.probabilities.shape[1]).min() > 5
