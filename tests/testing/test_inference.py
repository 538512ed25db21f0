"""Inference modes that break a promise are caught, by the check that is meant for it."""

import numpy as np
import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, of_one_fault
from testing.test_every_component import SHARED

from rulekit.core.interfaces import InferenceMode
from rulekit.testing import check_inference_mode
from rulekit.testing.inference import Question
from rulekit.testing.world import worlds


class Average(InferenceMode):
    """The mean of all rules that match; keeps every promise."""

    def infer(self, matches, ruleset):
        total = matches.T.astype(float) @ ruleset.probabilities[:-1]
        fires = matches.sum(axis=0)[:, None]
        return np.where(fires > 0, total / np.maximum(fires, 1), ruleset.probabilities[-1])


class Crosswise(Average):
    def infer(self, matches, ruleset):
        return super().infer(matches, ruleset).T


class Sum(Average):
    def infer(self, matches, ruleset):
        return matches.T.astype(float) @ ruleset.probabilities[:-1] + ruleset.probabilities[-1]


class Uniform(Average):
    """Knows no default."""

    def infer(self, matches, ruleset):
        n_classes = len(ruleset.classes)
        return np.where(matches.any(axis=0)[:, None], super().infer(matches, ruleset), 1 / n_classes)


class LooksAround(Average):
    """Weighs rules by how often they match in the batch."""

    def infer(self, matches, ruleset):
        weights = 1.0 + matches.sum(axis=1)
        total = (matches.T * weights) @ ruleset.probabilities[:-1]
        fires = (matches.T * weights).sum(axis=1, keepdims=True)
        return np.where(fires > 0, total / np.maximum(fires, 1), ruleset.probabilities[-1])


class NeedsARule(Average):
    def infer(self, matches, ruleset):
        assert matches[0].dtype == bool
        return super().infer(matches, ruleset)


class NeedsASample(Average):
    def infer(self, matches, ruleset):
        assert len(matches) == 0 or matches.sum(axis=0).max() >= 0
        return super().infer(matches, ruleset)


class WritesToMatches(Average):
    def infer(self, matches, ruleset):
        matches &= True
        return super().infer(matches, ruleset)


class NamesNobody(Average):
    def answering(self, matches, X, ruleset):
        return np.zeros((len(matches) + 1, matches.shape[1]), dtype=bool)


class NamesStrangers(Average):
    """Names every rule, also those that do not match."""

    def answering(self, matches, X, ruleset):
        return np.ones((len(matches) + 1, matches.shape[1]), dtype=bool)


class NamesOneOfSeveral(Average):
    """Averages all rules that match, but declares that the first of them answers."""

    def answering(self, matches, X, ruleset):
        padded = np.vstack([matches, np.ones(matches.shape[1], dtype=bool)])
        return np.arange(len(padded))[:, None] == padded.argmax(axis=0)


class MultipliesInsteadOfAdding(Average):
    combination = "sum"

    def infer(self, matches, ruleset):
        product = np.where(matches.T[:, :, None], ruleset.probabilities[:-1], 1.0).prod(axis=1)
        product = np.where(matches.any(axis=0)[:, None], product, ruleset.probabilities[-1])
        return product / product.sum(axis=1, keepdims=True)


class NotTheFirst(Average):
    """The last rule that matches answers, and is taken for the first."""

    combination = "first"

    def infer(self, matches, ruleset):
        padded = np.vstack([np.ones(matches.shape[1], dtype=bool), matches])
        last = len(matches) - padded[::-1].argmax(axis=0)
        return ruleset.probabilities[last - 1]


class AddsUp(Average):
    """The mean of distributions is their normalised sum, as declared here; keeps every promise."""

    combination = "sum"


class MostCertain(InferenceMode):
    """Of the rules that match, the most certain one answers; keeps every promise."""

    def infer(self, matches, ruleset):
        return ruleset.probabilities[self.answering(matches, None, ruleset).argmax(axis=0)]

    def answering(self, matches, X, ruleset):
        certainties = np.where(matches.T, ruleset.probabilities[:-1].max(axis=1), -1.0)
        best = np.column_stack([certainties, np.zeros(len(certainties))]).argmax(axis=1)
        return np.arange(len(matches) + 1)[:, None] == best


class LooksAtSamples(Average):
    """Reads values too, and answers for a sample by itself; keeps every promise."""

    def infer_samples(self, matches, X, ruleset):
        fraction = np.where(np.isnan(X[:, :1]), 0.5, 1 / (1 + np.exp(-X[:, :1])))
        first = np.eye(len(ruleset.classes))[:1]
        fires = matches.any(axis=0)[:, None]
        predicted = self.infer(matches, ruleset)
        return np.where(fires, fraction * predicted + (1 - fraction) * first, predicted)


BROKEN = [
    (Crosswise(), "check_shape", "two classes: the shape (2, 90) instead of (90, 2)."),
    (Sum(), "check_rows_sum_to_one", "which sums to "),
    (
        Uniform(),
        "check_default_where_no_rule_matches",
        "two classes, samples that satisfy no rule: row 0 is [0.5, 0.5]",
    ),
    (LooksAround(), "check_chunks_equal_the_whole", "two classes, 1 samples at a time: row"),
    (NeedsARule(), "check_no_rules", "IndexError: index 0 is out of bounds"),
    (NeedsASample(), "check_no_samples", "ValueError: zero-size array to reduction operation"),
    (WritesToMatches(), "check_inputs_are_not_written_to", "read-only"),
    (NamesNobody(), "check_answering_rules", "two classes: no rule for sample 0."),
    (NamesStrangers(), "check_answering_rules", "two classes: a rule that does not match sample 0."),
    (NamesOneOfSeveral(), "check_other_rules_do_not_matter", "without the rules that do not answer: row"),
    (MultipliesInsteadOfAdding(), "check_declared_combination", "two classes, 'sum': row"),
    (NotTheFirst(), "check_declared_combination", "two classes, 'first': row"),
]


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_mode_is_caught(component, check, got):
    assert_caught(check, component, got)


#: An answer of the wrong form fails wherever its rows are looked at; who knows no default needs a rule; and who names
#: the wrong rules has the right ones among those that should not matter.
SPOILING_MORE = (Crosswise, Uniform, NamesNobody, NotTheFirst)


@pytest.mark.parametrize(
    ("component", "check", "got"), of_one_fault(BROKEN, SPOILING_MORE), ids=lambda value: str(value)[:40]
)
def test_no_other_check_fails_for_a_broken_mode(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, Average(), elsewhere=SHARED)


@pytest.mark.parametrize("component", [Average(), AddsUp(), MostCertain(), LooksAtSamples()], ids=str)
def test_a_sound_mode_passes(component):
    check_inference_mode(component)


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
def test_samples_match_no_rule_one_rule_and_several(world):
    """Checks on samples that all match one rule would say nothing."""
    fires = Question.of(Average(), world).matches.sum(axis=0)
    assert {0, 1, 2} <= set(fires.tolist())
