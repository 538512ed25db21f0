"""Measures that break a promise are caught, by the check that is meant for it."""

import numpy as np
import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught
from testing.test_every_component import SHARED

from rulekit.core.interfaces import Measure
from rulekit.testing import check_measure


class TopProbability(Measure):
    """Mean probability of the true class; keeps every promise."""

    heading, meaning, is_higher_better = "Truth", "mean probability of the true class", True

    def measure(self, evaluated):
        return float(evaluated.probabilities[np.arange(len(evaluated.y)), evaluated.y].mean())


class LongestRule(Measure):
    """Conditions of the longest rule; keeps every promise."""

    heading, meaning, is_higher_better, needs = "Longest", "conditions of the longest rule", False, "rules"

    def measure(self, evaluated):
        return float(max(len(antecedent) for antecedent in evaluated.ruleset.antecedents))


class Doubted(TopProbability):
    """Disagreement with the ensemble, without a direction; keeps every promise."""

    is_higher_better, needs = None, "ensemble"

    def measure(self, evaluated):
        return float(np.mean(evaluated.classes[evaluated.predicted] != evaluated.ensemble_predicted))


class OfTwoLines(TopProbability):
    meaning = "mean probability\nof the true class"


class OfHalfADecimal(TopProbability):
    decimals = 0.5


class OfNoKnownDirection(TopProbability):
    is_higher_better = "up"


class NeedsTheMoon(TopProbability):
    needs = "the moon"


class OfOneClass(TopProbability):
    """Infinite where all samples are of one class."""

    def measure(self, evaluated):
        return super().measure(evaluated) if np.ptp(evaluated.y) else float("inf")


class Whole(TopProbability):
    def measure(self, evaluated):
        return round(super().measure(evaluated))


class ReadsRules(TopProbability):
    def measure(self, evaluated):
        return super().measure(evaluated) + (0.0 if evaluated.ruleset is None else 1.0)


class ReadsTheEnsemble(LongestRule):
    def measure(self, evaluated):
        return super().measure(evaluated) * len(evaluated.ensemble_predicted)


class TurnedRound(TopProbability):
    is_higher_better = False


class Sharpens(TopProbability):
    def measure(self, evaluated):
        evaluated.probabilities[evaluated.probabilities < 0] = 0.0
        return super().measure(evaluated)


BROKEN = [
    (OfTwoLines(), "check_display_attributes", r"meaning is 'mean probability\nof the true class'."),
    (OfHalfADecimal(), "check_display_attributes", "decimals is 0.5."),
    (OfNoKnownDirection(), "check_display_attributes", "is_higher_better is 'up'."),
    (
        NeedsTheMoon(),
        "check_display_attributes",
        "needs is 'the moon', which is not one of predictions, rules, ensemble.",
    ),
    (OfOneClass(), "check_value", "two classes, one sample: inf."),
    (Whole(), "check_value", "two classes: an object of type int, not a float."),
    (ReadsRules(), "check_declared_needs", "two classes: 0."),
    (ReadsTheEnsemble(), "check_declared_needs", "TypeError: object of type 'NoneType' has no len()"),
    (TurnedRound(), "check_direction", "two classes: 1.0 if everything is correct, 0.0 if everything is wrong."),
    (Sharpens(), "check_inputs_are_not_written_to", "read-only"),
]


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_measure_is_caught(component, check, got):
    assert_caught(check, component, got)


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_no_other_check_fails_for_a_broken_measure(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, TopProbability(), elsewhere=SHARED)


@pytest.mark.parametrize("component", [TopProbability(), LongestRule(), Doubted()], ids=str)
def test_a_sound_measure_passes(component):
    check_measure(component)
