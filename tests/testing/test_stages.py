"""Stages that break a promise are caught, by the check that is meant for it."""

import attrs
import numpy as np
import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, of_one_fault
from testing.test_every_component import SHARED

from rulekit.core.conditions import tidy
from rulekit.core.interfaces import CombineStage, CoverStage, SimplifyStage
from rulekit.core.rules import Rules
from rulekit.search.combine import Combine
from rulekit.search.cover import Cover
from rulekit.search.simplify import DropRedundant
from rulekit.testing import check_stage
from rulekit.testing.stage_runs import combine_runs, cover_runs, simplify_runs
from rulekit.testing.world import worlds


class EveryPair(CombineStage):
    """Joins every rule with every leaf; keeps every promise."""

    def combine(self, rules, tree_rules, context):
        left, right = np.indices((len(rules), len(tree_rules))).reshape(2, -1)
        index = context.index
        both = tidy(np.hstack([rules.conditions[left], tree_rules.conditions[right]]), index.pad)
        priors = self.priors(rules, tree_rules, context)[left, right]
        return Rules.of(both, priors, priors.argmax(axis=1), index, tree_rules.groups[right])

    def priors(self, rules, tree_rules, context):
        return context.priors.combine(rules.priors, tree_rules.priors, rules.covered, tree_rules.covered)


class Unsorted(EveryPair):
    def combine(self, *given):
        candidates = super().combine(*given)
        return attrs.evolve(candidates, conditions=candidates.conditions[:, ::-1])


class UnknownClass(EveryPair):
    def combine(self, *given):
        candidates = super().combine(*given)
        return attrs.evolve(candidates, classes=candidates.classes + 1)


class Array(EveryPair):
    def combine(self, *given):
        return super().combine(*given).conditions


class CountsOfTheRule(EveryPair):
    """Takes a rule's samples for those of its conjunctions."""

    def combine(self, rules, tree_rules, context):
        candidates = super().combine(rules, tree_rules, context)
        left = np.repeat(np.arange(len(rules)), len(tree_rules))
        return attrs.evolve(candidates, samples=rules.bits[left], counts=rules.counts[left])


class CountsOnly(EveryPair):
    def combine(self, *given):
        candidates = super().combine(*given)
        return attrs.evolve(candidates, counts=candidates.counts * 2)


class WrongGroups(EveryPair):
    def combine(self, *given):
        candidates = super().combine(*given)
        return attrs.evolve(candidates, groups=np.arange(len(candidates)))


class NeedsRules(EveryPair):
    def combine(self, rules, tree_rules, context):
        assert min(rules.covered.max(), tree_rules.covered.max()) > 0
        return super().combine(rules, tree_rules, context)


class Nothing(EveryPair):
    def combine(self, *given):
        return super().combine(*given).take(np.array([], dtype=np.int64))


class LeavesOnly(EveryPair):
    """Forgets the rules so far."""

    def combine(self, rules, tree_rules, context):
        return tree_rules if len(rules) else rules


class TakesTheLeft(EveryPair):
    def priors(self, rules, tree_rules, context):
        return np.repeat(rules.priors[:, None], len(tree_rules), axis=1)


class ForgetsSupports(EveryPair):
    def priors(self, rules, tree_rules, context):
        ones = np.ones(len(rules), dtype=np.int64), np.ones(len(tree_rules), dtype=np.int64)
        return context.priors.combine(rules.priors, tree_rules.priors, *ones)


class OtherClass(EveryPair):
    def combine(self, *given):
        candidates = super().combine(*given)
        return attrs.evolve(candidates, classes=candidates.priors.argmin(axis=1))


class WritesToPriors(EveryPair):
    def combine(self, rules, tree_rules, context):
        rules.priors[:] = rules.priors / rules.priors.sum(axis=1, keepdims=True)
        return super().combine(rules, tree_rules, context)


class NeverForgets(Combine):
    """Keeps the antecedents that failed in another search."""

    def begin(self, context):
        if not hasattr(self, "rejected_"):
            super().begin(context)


class Everything(CoverStage):
    """Chooses all candidates; keeps every promise."""

    def cover(self, candidates, context):
        return candidates


class Twice(Everything):
    def cover(self, candidates, context):
        return candidates.take(np.repeat(np.arange(len(candidates)), 2))


class Improves(Everything):
    """Changes what it chooses."""

    def cover(self, candidates, context):
        return attrs.evolve(candidates, priors=np.full_like(candidates.priors, 1 / candidates.priors.shape[1]))


class AsItIs(SimplifyStage):
    """Simplifies nothing; keeps every promise."""

    def simplify(self, rules, context):
        return rules


class Shorter(SimplifyStage):
    """Drops the last condition of every rule; keeps every promise."""

    def simplify(self, rules, context):
        conditions = rules.conditions.copy()
        if conditions.shape[1]:
            conditions[:, -1] = context.index.pad
        return Rules.of(tidy(conditions, context.index.pad), rules.priors, rules.classes, context.index, None)


class Narrows(SimplifyStage):
    """Adds a condition to every rule."""

    def simplify(self, rules, context):
        more = np.hstack([rules.conditions, np.zeros((len(rules), 1), dtype=np.int64)])
        return Rules.of(tidy(more, context.index.pad), rules.priors, rules.classes, context.index, None)


class Loosens(SimplifyStage):
    """Puts a looser condition on the same feature in the place of each."""

    def simplify(self, rules, context):
        known, pad = context.index.conditions, context.index.pad
        loosest = np.arange(pad + 1)
        for condition in range(pad):
            same = (known.bounds[:-1] == known.bounds[condition]) & ~known.is_set
            if same.any() and not known.missing_features:
                loosest[condition] = np.flatnonzero(same)[known.tightness[:-1][same].argmin()]
        return Rules.of(tidy(loosest[rules.conditions], pad), rules.priors, rules.classes, context.index, None)


COMBINING = [
    (Unsorted(), "check_rules_are_whole", "two classes, NaiveBayes, tree 1: the condition ids ["),
    (UnknownClass(), "check_rules_are_whole", "two classes, NaiveBayes, tree 1: the classes [1, 2]."),
    (Array(), "check_rules_are_whole", "two classes, NaiveBayes, tree 1: an object of type ndarray."),
    (CountsOfTheRule(), "check_samples_are_right", "the bits of rules [0, 1, 2, 3, 4] are those of other samples."),
    (CountsOnly(), "check_samples_are_right", "two classes, NaiveBayes, tree 1, counts: row 0 is"),
    (WrongGroups(), "check_samples_are_right", "of different groups share samples."),
    (NeedsRules(), "check_no_rules", "ValueError: zero-size array to reduction operation"),
    (Nothing(), "check_something_is_left", "no rule at all, in 12 searches."),
    (LeavesOnly(), "check_candidates_are_unions", "which is no such union."),
    (TakesTheLeft(), "check_priors_are_combined", "but `context.priors` makes"),
    (ForgetsSupports(), "check_priors_are_combined", "Empirical, tree 1: candidate 0 has"),
    (OtherClass(), "check_candidates_conclude_their_prior", "candidates [0, 1, 2, 3, 4] conclude another class."),
    (WritesToPriors(), "check_inputs_are_not_written_to", "read-only"),
    (NeverForgets(), "check_refit_forgets", "IndexError"),
]
COVERING = [
    (Twice(), "check_choice_is_a_subset", "which is no candidate or was chosen before."),
    (Improves(), "check_choice_is_a_subset", "which is no candidate or was chosen before."),
]
SIMPLIFYING = [
    (Narrows(), "check_no_rule_gets_narrower", "which covers fewer samples."),
    (Loosens(), "check_conditions_are_only_removed", "became"),
]
SHARED_BY_STAGES = {case[1] for case in COMBINING}


@pytest.mark.parametrize(
    ("component", "check", "came"), [*COMBINING, *COVERING, *SIMPLIFYING], ids=lambda value: str(value)[:40]
)
def test_a_broken_stage_is_caught(component, check, came):
    assert_caught(check, component, came)


#: These break another promise too: a condition more is no removal, what is no union has no prior to compare.
SPOILING_MORE = (UnknownClass, Array, LeavesOnly, NeverForgets, Narrows)


@pytest.mark.parametrize(
    ("component", "check", "came"),
    of_one_fault([*COMBINING, *COVERING, *SIMPLIFYING], SPOILING_MORE),
    ids=lambda value: str(value)[:40],
)
def test_nothing_else_is_held_against_a_broken_stage(component, check, came):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(COMBINING, EveryPair(), elsewhere=SHARED)
    assert_every_check_is_tried(COVERING, Everything(), elsewhere=SHARED | SHARED_BY_STAGES)
    assert_every_check_is_tried(SIMPLIFYING, AsItIs(), elsewhere=SHARED | SHARED_BY_STAGES)


def test_a_simplified_rule_that_loosens_a_condition_is_not_taken_for_a_narrower_one():
    with pytest.raises(AssertionError, match="check_conditions_are_only_removed"):
        check_stage(Loosens())


@pytest.mark.parametrize("component", [EveryPair(), Everything(), AsItIs(), Shorter()], ids=str)
def test_a_sound_stage_passes(component):
    check_stage(component)


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
@pytest.mark.parametrize(
    ("stage", "runs"), [(Combine(), combine_runs), (Cover(), cover_runs), (DropRedundant(), simplify_runs)]
)
def test_stages_have_several_rules_to_work_on(stage, runs, world):
    """Checks on empty results would say nothing."""
    assert min(len(run.result) for run in runs(stage, world)) > 1
