"""Scores that break a promise are caught, by the check that is meant for it."""

from typing import ClassVar

import numpy as np
import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, of_one_fault
from testing.test_every_component import SHARED

from rulekit.core.interfaces import Score
from rulekit.core.rules import answered_counts, default_counts
from rulekit.testing import check_score
from rulekit.testing.scores import perfect_lists
from rulekit.testing.stage_runs import contexts, rule_lists
from rulekit.testing.world import worlds


class Accuracy(Score):
    """The fraction of samples that are answered right; keeps every promise."""

    best: ClassVar[float] = 1.0

    def score(self, rules, context):
        answered = answered_counts(rules.bits, context.index)
        predicted = np.append(rules.classes, default_counts(answered, context.index).argmax())
        return float(answered[np.arange(len(predicted)), predicted].sum() / context.index.n_samples)


class PerRule(Accuracy):
    """Wants to have it with few rules; keeps every promise."""

    def __init__(self, price=0.01):
        self.price = price

    def score(self, rules, context):
        return super().score(rules, context) - self.price * len(rules)


class Array(Accuracy):
    def score(self, rules, context):
        return np.array(super().score(rules, context))


class Whole(Accuracy):
    """Counts what is answered right."""

    best: ClassVar[float] = np.inf

    def score(self, rules, context):
        return round(super().score(rules, context) * context.index.n_samples)


class Undefined(Accuracy):
    """Has no answer without rules."""

    def score(self, rules, context):
        return super().score(rules, context) if len(rules) else float("nan")


class Recall(Accuracy):
    """Divides by the samples of each class."""

    def score(self, rules, context):
        with np.errstate(invalid="ignore"):
            balance = (context.index.class_counts / context.index.class_counts).sum() / context.index.n_classes
        return float(super().score(rules, context) * balance)


class LowBest(Accuracy):
    best: ClassVar[float] = 0.5


class NoBest(Accuracy):
    best: ClassVar[float] = float("nan")


class Errors(Accuracy):
    """Forgets that larger is better."""

    def score(self, rules, context):
        return 1.0 - super().score(rules, context)


class FewRules(Accuracy):
    """Would accept nothing after the first tree."""

    best: ClassVar[float] = 0.0

    def score(self, rules, context):
        return -float(len(rules))


class Contrary(Accuracy):
    """Likes rules, and wrong ones best."""

    best: ClassVar[float] = 2.0

    def score(self, rules, context):
        return 1.0 - super().score(rules, context) + (len(rules) > 0)


class Ratchet(Accuracy):
    """Never falls below what it has seen in a search."""

    def score(self, rules, context):
        known, best = getattr(self, "best_", (None, 0.0))
        best = max(super().score(rules, context), best if known is context.index else 0.0)
        self.best_ = context.index, best
        return best

    def __getstate__(self):
        return {}


class FirstSample(Accuracy):
    """Adds something if the first sample is covered."""

    best: ClassVar[float] = 2.0

    def score(self, rules, context):
        covered = context.index.samples(rules.bits)
        return super().score(rules, context) + 0.5 * bool(len(rules) and covered[:, 0].any())


class WritesToRules(Accuracy):
    def score(self, rules, context):
        rules.priors[:] += 0.0
        return super().score(rules, context)


BROKEN = [
    (Array(), "check_score_is_finite", "two classes, NaiveBayes, leaves of the first tree: array("),
    (Whole(), "check_score_is_finite", "of type int."),
    (Undefined(), "check_score_is_finite", "two classes, NaiveBayes, no rules: nan."),
    (Recall(), "check_class_without_samples", "two classes, NaiveBayes, leaves of the first tree: nan."),
    (LowBest(), "check_best", "where `best` is 0.5."),
    (NoBest(), "check_best", "`best` is nan."),
    (Errors(), "check_larger_is_better", "a rule that is always correct: 0.0 for the correct rule, 0."),
    (FewRules(), "check_larger_is_better", "-1.0 for the correct rule, -0.0 without a rule."),
    (Contrary(), "check_wrong_rules_are_not_better", "for the wrong class, 1.0 for the correct one."),
    (Ratchet(), "check_lists_are_scored_independently", "after other lists, "),
    (FirstSample(), "check_order_of_samples", "with the samples shuffled, "),
    (WritesToRules(), "check_inputs_are_not_written_to", "read-only"),
]


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_score_is_caught(component, check, got):
    assert_caught(check, component, got)


#: What is no number is none anywhere, what is worse than nothing is worse than its contrary, and what remembers does so
#: wherever it is asked twice.
SPOILING_MORE = (Array, Whole, Undefined, Errors, Ratchet)


@pytest.mark.parametrize(
    ("component", "check", "got"), of_one_fault(BROKEN, SPOILING_MORE), ids=lambda value: str(value)[:40]
)
def test_no_other_check_fails_for_a_broken_score(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, Accuracy(), elsewhere=SHARED)


@pytest.mark.parametrize("component", [Accuracy(), PerRule()], ids=str)
def test_a_sound_score_passes(component):
    check_score(component)


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
def test_lists_differ_in_what_they_score(world):
    """Checks on lists that all score the same would say nothing."""
    for _, context in contexts(world):
        assert len({Accuracy().score(rules, context) for _, rules in rule_lists(world, context)}) > 2


def test_the_rule_that_is_always_right_is():
    assert [Accuracy().score(rules, context) for _, rules, context in perfect_lists()] == [1.0] * 4
