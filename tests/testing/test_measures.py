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
    (OfTwoLines(), "check_how_it_is_shown", r"meaning is 'mean probability\nof the true class'."),
    (OfHalfADecimal(), "check_how_it_is_shown", "decimals is 0.5."),
    (OfNoKnownDirection(), "check_how_it_is_shown", "is_higher_better is 'up'."),
    (NeedsTheMoon(), "check_how_it_is_shown", "needs is 'the moon', which is none of predictions, rules, ensemble."),
    (OfOneClass(), "check_value", "two classes, one sample: inf."),
    (Whole(), "check_value", "two classes: an object of type int, no float."),
    (ReadsRules(), "check_needs_what_it_says", "two classes: 0."),
    (ReadsTheEnsemble(), "check_needs_what_it_says", "TypeError: object of type 'NoneType' has no len()"),
    (TurnedRound(), "check_direction", "two classes: 1.0 where everything is right, 0.0 where everything is wrong."),
    (Sharpens(), "check_inputs_are_not_written_to", "read-only"),
]


@pytest.mark.parametrize(("component", "check", "came"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_measure_is_caught(component, check, came):
    assert_caught(check, component, came)


@pytest.mark.parametrize(("component", "check", "came"), BROKEN, ids=lambda value: str(value)[:40])
def test_nothing_else_is_held_against_a_broken_measure(component, check, came):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, TopProbability(), elsewhere=SHARED)


@pytest.mark.parametrize("component", [TopProbability(), LongestRule(), Doubted()], ids=str)
def test_a_sound_measure_passes(component):
    check_measure(component)
