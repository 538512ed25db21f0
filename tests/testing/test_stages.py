"""Stages that break a promise are caught, by the check that is meant for it."""

import contextlib

import attrs
import numpy as np
import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, of_one_fault
from testing.test_every_component import SHARED

from rulekit.core.conditions import tidy
from rulekit.core.context import BudgetSpent
from rulekit.core.honest import HonestSamples, OutOfBag
from rulekit.core.interfaces import CombineStage, CoverStage, RefineStage, SimplifyStage
from rulekit.core.rules import Refined, Rules, concatenate
from rulekit.search.combine import Combine
from rulekit.search.cover import Cover
from rulekit.search.simplify import DropRedundant
from rulekit.testing import check_stage
from rulekit.testing.stage_runs import combine_runs, cover_runs, refine_runs, runs_of_few_rules, simplify_runs
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


class CatchesBudgets(EveryPair):
    """Goes on when its time is over."""

    def combine(self, rules, tree_rules, context):
        with contextlib.suppress(BudgetSpent):
            context.budget.check_time()
        return super().combine(rules, tree_rules, context)


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


class Unchanged(RefineStage):
    """Leaves the list as it is; keeps every promise."""

    def refine(self, rules, pool, context):
        context.budget.check_time()
        return rules


class LargestFirst(RefineStage):
    """Puts rules that cover more in front, of the list and of the pool, each antecedent once; keeps every promise."""

    def refine(self, rules, pool, context):
        found = concatenate([rules, *pool], context.index.pad)
        context.budget.check_memory(found.bits.nbytes)
        _, first = np.unique(found.conditions, axis=0, return_index=True)
        first = np.sort(first)
        order = first[np.argsort(-found.covered[first], kind="stable")]
        return attrs.evolve(found.take(order), groups=np.zeros(len(order), dtype=np.int64))


class KeepsGroups(LargestFirst):
    """Takes groups of different trees for groups of one."""

    def refine(self, rules, pool, context):
        return concatenate([rules, *pool], context.index.pad)


class OtherIndex(Unchanged):
    """Counts beyond the conditions that there are."""

    def refine(self, rules, pool, context):
        return attrs.evolve(rules, conditions=np.where(rules.conditions == 0, 10_000, rules.conditions))


class Reversed(Unchanged):
    """Turns the conditions of each rule around, pads and all."""

    def refine(self, rules, pool, context):
        return attrs.evolve(rules, conditions=rules.conditions[:, ::-1])


class NeedsAPool(Unchanged):
    def refine(self, rules, pool, context):
        return pool[0]


class NeedsARule(Unchanged):
    def refine(self, rules, pool, context):
        assert rules.covered.max() > 0
        return rules


class WritesToThePool(Unchanged):
    def refine(self, rules, pool, context):
        for found in pool:
            found.priors[:] += 0.0
        return rules


class DropsAll(Unchanged):
    def refine(self, rules, pool, context):
        return rules.take(np.array([], dtype=np.int64))


class ReturnsTheBest(Unchanged):
    """Takes it upon itself to end the search."""

    def refine(self, rules, pool, context):
        try:
            return super().refine(rules, pool, context)
        except BudgetSpent:
            return rules


class SpendsItself(Unchanged):
    """Says that the time is over, which it is not."""

    def refine(self, rules, pool, context):
        if len(pool) > 1:
            raise BudgetSpent("max_seconds")
        return rules


class RemembersACut(Unchanged):
    """Is afraid of what happened once."""

    def refine(self, rules, pool, context):
        if hasattr(self, "was_cut_"):
            return rules.take(np.arange(len(rules))[:1])
        try:
            return super().refine(rules, pool, context)
        except BudgetSpent:
            self.was_cut_ = True
            raise


class RemembersRules(Unchanged):
    """Refines the list of another search."""

    def refine(self, rules, pool, context):
        self.rules_ = getattr(self, "rules_", rules)
        return self.rules_


class Draws(Unchanged):
    def refine(self, rules, pool, context):
        return rules.take(np.random.default_rng().permutation(len(rules)))


class WithAPath(Unchanged):
    """Tells all that a refine stage may tell; keeps every promise."""

    def refine(self, rules, pool, context):
        rules = super().refine(rules, pool, context)
        return Refined(rules, self.path(rules), self.honest(context.data), self.report(rules))

    def path(self, rules):
        return (rules, rules.take(np.arange(1))) if len(rules) > 1 else (rules,)

    def honest(self, data):
        return None if data.unseen is None else HonestSamples.of(data, OutOfBag(data), n_virtual=1)

    def report(self, rules):
        return {"stage": "with a path", "n_rules": len(rules), "reason": None}


class TwoOfOneLength(WithAPath):
    def path(self, rules):
        return (rules, rules)


class PathThatMiscounts(WithAPath):
    def path(self, rules):
        return (attrs.evolve(rules, counts=rules.counts + 1),)


class ForgetsVirtualSamples(WithAPath):
    def honest(self, data):
        found = super().honest(data)
        return found and attrs.evolve(found, n_virtual=0)


class HonestInPart(WithAPath):
    def honest(self, data):
        found = super().honest(data)
        return found and attrs.evolve(found, probabilities=found.probabilities * 0.9)


class OtherSamples(WithAPath):
    def honest(self, data):
        found = super().honest(data)
        return found and attrs.evolve(found, data=found.data.with_samples(found.X[::-1], found.data.y))


class VirtualSamplesUnknown(WithAPath):
    def honest(self, data):
        found = super().honest(data)
        if found is not None:
            found.probabilities[-1] = np.nan
        return found


class ReportsRules(WithAPath):
    def report(self, rules):
        return {"rules": rules}


class DrawsThePath(WithAPath):
    def path(self, rules):
        return (rules.take(np.random.default_rng().permutation(len(rules))),)


COMBINING = [
    (Unsorted(), "check_rules_are_valid", "two classes, NaiveBayes, tree 1: the condition ids ["),
    (UnknownClass(), "check_rules_are_valid", "two classes, NaiveBayes, tree 1: the classes [1, 2]."),
    (Array(), "check_rules_are_valid", "two classes, NaiveBayes, tree 1: an object of type ndarray."),
    (CountsOfTheRule(), "check_bits_and_counts", "the bits of rules [0, 1, 2, 3, 4] are those of other samples."),
    (CountsOnly(), "check_bits_and_counts", "two classes, NaiveBayes, tree 1, counts: row 0 is"),
    (WrongGroups(), "check_bits_and_counts", "of different groups share samples."),
    (NeedsRules(), "check_no_rules", "ValueError: zero-size array to reduction operation"),
    (Nothing(), "check_some_rules_remain", "no rule at all, in 12 searches."),
    (LeavesOnly(), "check_candidates_are_unions", "which is not such a union."),
    (TakesTheLeft(), "check_priors_are_combined", "but `context.priors` gives"),
    (ForgetsSupports(), "check_priors_are_combined", "Empirical, tree 1: candidate 0 has"),
    (OtherClass(), "check_candidates_predict_class_of_prior", "candidates [0, 1, 2, 3, 4] predict another class."),
    (WritesToPriors(), "check_inputs_are_not_written_to", "read-only"),
    (NeverForgets(), "check_refit_forgets", "IndexError"),
    (CatchesBudgets(), "check_spent_budget", "the budget was spent, but rules were returned."),
]
COVERING = [
    (Twice(), "check_choice_is_a_subset", "which is not a candidate or was chosen twice."),
    (Improves(), "check_choice_is_a_subset", "which is not a candidate or was chosen twice."),
]
SIMPLIFYING = [
    (Narrows(), "check_rules_cover_no_fewer_samples", "which covers fewer samples."),
    (Loosens(), "check_conditions_are_only_removed", "became"),
]
REFINING = [
    (OtherIndex(), "check_rules_are_valid", "two classes, NaiveBayes, candidates: the condition ids ["),
    (Reversed(), "check_rules_are_valid", "two classes, NaiveBayes, candidates: the condition ids ["),
    (KeepsGroups(), "check_bits_and_counts", "of different groups share samples."),
    (NeedsAPool(), "check_few_rules", "IndexError: tuple index out of range"),
    (NeedsARule(), "check_few_rules", "ValueError: zero-size array to reduction operation"),
    (DropsAll(), "check_some_rules_remain", "no rule at all, in 12 searches."),
    (WritesToThePool(), "check_inputs_are_not_written_to", "read-only"),
    (ReturnsTheBest(), "check_spent_budget", "candidates: the budget was spent, but rules were returned."),
    (SpendsItself(), "check_spent_budget", "BudgetSpent: max_seconds"),
    (RemembersACut(), "check_spent_budget", "candidates, after a budget was spent: conditions"),
    (RemembersRules(), "check_refit_forgets", "after other uses: conditions"),
    (Draws(), "check_same_seed_same_result", "the second time: conditions"),
    (DrawsThePath(), "check_same_seed_same_result", "the second time: path, list of"),
    (TwoOfOneLength(), "check_path", "candidates: several lists of ["),
    (PathThatMiscounts(), "check_path", "rules, counts: row 0 is"),
    (ForgetsVirtualSamples(), "check_honest_samples", "candidates, honest: `n_virtual` is 0, but there are"),
    (HonestInPart(), "check_honest_samples", "honest, probabilities that are no NaNs: row 0 is"),
    (OtherSamples(), "check_honest_samples", "honest, the training samples: row 0 is"),
    (VirtualSamplesUnknown(), "check_honest_samples", "virtual samples without probabilities."),
    (ReportsRules(), "check_report", "candidates: 'rules' is an object of type Rules."),
]
SHARED_BY_STAGES = {case[1] for case in COMBINING}


@pytest.mark.parametrize(
    ("component", "check", "got"), [*COMBINING, *COVERING, *SIMPLIFYING, *REFINING], ids=lambda value: str(value)[:40]
)
def test_a_broken_stage_is_caught(component, check, got):
    assert_caught(check, component, got)


#: These break another promise too: a condition more is no removal, what is no union has no prior to compare.
SPOILING_MORE = (
    UnknownClass,
    Array,
    LeavesOnly,
    NeverForgets,
    Narrows,
    OtherIndex,
    Reversed,
    SpendsItself,
    RemembersRules,
    Draws,
    DrawsThePath,
)


@pytest.mark.parametrize(
    ("component", "check", "got"),
    of_one_fault([*COMBINING, *COVERING, *SIMPLIFYING, *REFINING], SPOILING_MORE),
    ids=lambda value: str(value)[:40],
)
def test_no_other_check_fails_for_a_broken_stage(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(COMBINING, EveryPair(), elsewhere=SHARED)
    assert_every_check_is_tried(COVERING, Everything(), elsewhere=SHARED | SHARED_BY_STAGES)
    assert_every_check_is_tried(SIMPLIFYING, AsItIs(), elsewhere=SHARED | SHARED_BY_STAGES)
    assert_every_check_is_tried(REFINING, Unchanged(), elsewhere=SHARED)


def test_a_simplified_rule_that_loosens_a_condition_is_not_taken_for_a_narrower_one():
    with pytest.raises(AssertionError, match="check_conditions_are_only_removed"):
        check_stage(Loosens())


@pytest.mark.parametrize(
    "component", [EveryPair(), Everything(), AsItIs(), Shorter(), Unchanged(), LargestFirst(), WithAPath()], ids=str
)
def test_a_sound_stage_passes(component):
    check_stage(component)


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
@pytest.mark.parametrize(
    ("stage", "runs"), [(Combine(), combine_runs), (Cover(), cover_runs), (DropRedundant(), simplify_runs)]
)
def test_stages_have_several_rules_to_work_on(stage, runs, world):
    """Checks on empty results would say nothing."""
    assert min(len(run.result) for run in runs(stage, world)) > 1


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
def test_a_refine_stage_is_tried_with_a_pool_and_without_with_one_rule_and_with_none(world):
    runs = [*refine_runs(Unchanged(), world), *runs_of_few_rules(Unchanged(), world)]
    sizes = {(min(len(run.given[0]), 2), min(len(run.given[1]), 2)) for run in runs}
    assert sizes == {(2, 2), (2, 1), (1, 1), (1, 0), (0, 1), (0, 0)}
