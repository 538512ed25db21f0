"""What the stages of a search promise."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np

from rulekit.core.conditions import merge_sets, tidy
from rulekit.core.context import Budget, BudgetSpent
from rulekit.core.interfaces import CombineStage, CoverStage, RefineStage, SimplifyStage
from rulekit.core.rules import Rules
from rulekit.testing.comparison import Answer, expect_array, expect_close, expect_distributions, expect_same
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import BoundCheck, Seam, bind, shared_checks
from rulekit.testing.stage_runs import (
    Run,
    antecedent_sets,
    combine_runs,
    cover_runs,
    refine_runs,
    runs_of_few_rules,
    simplify_runs,
)
from rulekit.testing.world import World, others, worlds

Runs = Callable[[Any, World], Iterator[Run]]
MOST_SINGLE_RULES = 12


@promise
def check_rules_are_valid(stage: Any, runs: Runs) -> None:
    """The result is a valid `Rules`: ascending condition ids, pads last, priors are distributions, classes exist."""
    for run in _all_runs(stage, runs):
        _expect_whole(run)


def _expect_whole(run: Run) -> None:
    rules, index, name = run.result, run.context.index, run.name
    expect(isinstance(rules, Rules), f"{name}: an object of type {type(rules).__name__}.")
    n_rules = len(rules)
    expect_array(rules.conditions, (n_rules, rules.conditions.shape[-1]), f"{name}, conditions", np.int64)
    expect_distributions(rules.priors, (n_rules, index.n_classes), f"{name}, priors")
    for what in ("classes", "groups"):
        expect_array(getattr(rules, what), (n_rules,), f"{name}, {what}", np.int64)
    known = (rules.classes >= 0) & (rules.classes < index.n_classes)
    expect(known.all(), f"{name}: the classes {np.unique(rules.classes).tolist()}.")
    for row in rules.conditions.tolist():
        real = [condition for condition in row if condition != index.pad]
        wanted = sorted(set(real)) + [index.pad] * (len(row) - len(real))
        expect(row == wanted and max(row, default=0) <= index.pad, f"{name}: the condition ids {row}.")


@promise
def check_bits_and_counts(stage: Any, runs: Runs) -> None:
    """Bits and counts are those of the samples that each rule covers; rules of different groups share no sample."""
    for run in _all_runs(stage, runs):
        _expect_counted(run)


def _expect_counted(run: Run) -> None:
    rules, index, name = run.result, run.context.index, run.name
    bits = index.cover(rules.conditions)
    expect_array(rules.bits, bits.shape, f"{name}, bits", np.uint64)
    wrong = np.flatnonzero((rules.bits != bits).any(axis=1)).tolist()
    expect(not wrong, f"{name}: the bits of rules {wrong[:5]} are those of other samples.")
    expect_array(rules.counts, (len(rules), index.n_classes), f"{name}, counts", np.int64)
    expect_close(rules.counts, index.count(bits), f"{name}, counts")
    shared = (bits[:, None] & bits).any(axis=2) & (rules.groups[:, None] != rules.groups)
    pair = np.argwhere(shared)[:1].tolist()
    expect(not pair, f"{name}: the rules {pair} of different groups share samples.")


@promise
def check_no_rules(stage: Any, runs: Runs) -> None:
    """If the stage gets no rules, it returns no rules: a `Rules` of length 0."""
    for world in worlds():
        for run in runs(fresh(stage), world):
            for rules in run.without_rules(fresh(stage)):
                expect(isinstance(rules, Rules), f"{run.name}: an object of type {type(rules).__name__}.")
                expect(len(rules) == 0, f"{run.name}: {len(rules)} rules.")
                expect_array(rules.priors, (0, world.n_classes), f"{run.name}, priors")
                expect_array(rules.counts, (0, world.n_classes), f"{run.name}, counts", np.int64)


@promise
def check_some_rules_remain(stage: Any, runs: Runs) -> None:
    """Some rules remain if the rules fit the samples well."""
    found = [len(run.result) for run in _all_runs(stage, runs)]
    expect(any(found), f"no rule at all, in {len(found)} searches.")


class _SpentBudget(Budget):
    """A budget that is spent at its n-th check."""

    def __init__(self, n_checks: int) -> None:
        super().__init__()
        self.n_left, self.is_spent = n_checks, False

    def check_time(self) -> None:
        """Raise at the n-th call of any of the checks."""
        self.n_left -= 1
        if self.n_left <= 0:
            self.is_spent = True
            raise BudgetSpent("max_seconds")

    def check_memory(self, n_bytes: float) -> None:
        """As `check_time`."""
        self.check_time()


@promise
def check_spent_budget(stage: Any, runs: Runs) -> None:
    """A stage does not catch `BudgetSpent`, and a spent budget has no effect on the next search."""
    for run in _all_runs(stage, runs):
        for n_checks in (1, 2):
            own = fresh(stage)
            budget = _SpentBudget(n_checks)
            cut = attrs.evolve(run, context=attrs.evolve(run.context, budget=budget))
            try:
                cut.again_with(own, *run.given)
                expect(not budget.is_spent, f"{run.name}: the budget was spent, but rules were returned.")
            except BudgetSpent:
                pass
            again, expected = run.again_with(own, *run.given), run.again_with(fresh(stage), *run.given)
            expect_same(_facts(again), _facts(expected), f"{run.name}, after a budget was spent")


@promise
def check_few_rules(stage: Any) -> None:
    """With one rule or none, and with an empty pool, the result is a valid `Rules`."""
    for run in _all_runs(stage, runs_of_few_rules):
        _expect_whole(run)


@promise
def check_path(stage: Any) -> None:
    """The lists in the `path` of a `Refined` are valid `Rules` with the right bits and counts, one of each length."""
    for run in _all_runs(stage, refine_runs):
        path = run.refined.path
        lengths = [len(rules) for rules in path]
        twice = sorted({length for length in lengths if lengths.count(length) > 1})
        expect(not twice, f"{run.name}: several lists of {twice[:1]} rules.")
        for rules in path:
            of_path = attrs.evolve(run, name=f"{run.name}, the path's list of {len(rules)} rules", returned=rules)
            _expect_whole(of_path)
            _expect_counted(of_path)


@promise
def check_honest_samples(stage: Any) -> None:
    """`honest` of a `Refined` holds the training samples, then virtual ones; each has a distribution, or NaNs."""
    for run in _all_runs(stage, refine_runs):
        honest, data = run.refined.honest, run.context.data
        if honest is None:
            continue
        name, n_samples = f"{run.name}, honest", data.n_samples
        n_virtual = len(honest.X) - n_samples
        expect(honest.n_virtual == n_virtual, f"{name}: `n_virtual` is {honest.n_virtual}, but there are {n_virtual}.")
        expect_close(honest.X[:n_samples], data.X, f"{name}, the training samples", 0.0)
        expect_array(honest.probabilities, (len(honest.X), data.n_classes), f"{name}, probabilities", np.float64)
        known = np.asarray(~np.isnan(honest.probabilities).all(axis=1))
        expect(known[n_samples:].all(), f"{name}: virtual samples without probabilities.")
        shape = (int(known.sum()), data.n_classes)
        expect_distributions(honest.probabilities[known], shape, f"{name}, probabilities that are no NaNs")


@promise
def check_report(stage: Any) -> None:
    """`report` of a `Refined` maps strings to numbers, strings, booleans and None."""
    for run in _all_runs(stage, refine_runs):
        for name, fact in run.refined.report.items():
            is_plain = isinstance(name, str) and (fact is None or isinstance(fact, str | int | float))
            expect(is_plain, f"{run.name}: {name!r} is an object of type {type(fact).__name__}.")


@promise
def check_candidates_are_unions(stage: Any, runs: Runs) -> None:
    """Each candidate's antecedent is the union of one of `rules` and one of `tree_rules`."""
    for run in _all_runs(stage, runs):
        possible = {union for union, _, _ in _unions(run)}
        for candidate in antecedent_sets(run.result, run.context):
            expect(candidate in possible, f"{run.name}: {run.describe(candidate)}, which is not such a union.")


@promise
def check_priors_are_combined(stage: Any, runs: Runs) -> None:
    """A candidate's prior is what `context.priors` returns for the priors of its two rules."""
    for run in _all_runs(stage, runs):
        rules, leaves = run.given
        combined = run.context.priors.combine(rules.priors, leaves.priors, rules.covered, leaves.covered)
        of_union: dict[frozenset[int], list[Any]] = {}
        for union, i, j in _unions(run):
            of_union.setdefault(union, []).append(combined[i, j])
        for row, candidate in enumerate(antecedent_sets(run.result, run.context)):
            prior, possible = run.result.priors[row], of_union.get(candidate, [])
            is_made = any(np.allclose(prior, other, rtol=1e-9, atol=1e-12) for other in possible)
            expect(is_made, f"{run.name}: candidate {row} has {prior}, but `context.priors` gives {possible}.")


@promise
def check_candidates_predict_class_of_prior(stage: Any, runs: Runs) -> None:
    """A candidate predicts the most probable class of its prior."""
    for run in _all_runs(stage, runs):
        wrong = np.flatnonzero(run.result.classes != run.result.priors.argmax(axis=1)).tolist()
        expect(not wrong, f"{run.name}: candidates {wrong[:5]} predict another class.")


@promise
def check_choice_is_a_subset(stage: Any, runs: Runs) -> None:
    """The chosen rules are unchanged candidates, each at most once, in any order."""
    for run in _all_runs(stage, runs):
        left = _listed(run.given[0], run)
        for rule in _listed(run.result, run):
            expect(rule in left, f"{run.name}: {run.describe(rule[0])}, which is not a candidate or was chosen twice.")
            left.remove(rule)


@promise
def check_rules_cover_no_fewer_samples(stage: Any, runs: Runs) -> None:
    """A simplified rule covers every sample that the original rule covers."""
    for run in _single_rules(stage, runs):
        (before,), after = run.given[0].bits, run.result.bits
        lost = np.flatnonzero((before & ~after).any(axis=1)).tolist()
        expect(not lost, f"{run.name}: {run.change(lost)}, which covers fewer samples.")


@promise
def check_conditions_are_only_removed(stage: Any, runs: Runs) -> None:
    """A simplified rule has only conditions of the original rule."""
    for run in _single_rules(stage, runs):
        (before,) = antecedent_sets(run.given[0], run.context)
        after = antecedent_sets(run.result, run.context)
        new = [row for row, antecedent in enumerate(after) if not antecedent <= before]
        expect(not new, f"{run.name}: {run.change(new)}.")


def _all_runs(stage: Any, runs: Runs) -> Iterator[Run]:
    for world in worlds():
        yield from runs(fresh(stage), world)


def _single_rules(stage: Any, runs: Runs) -> Iterator[Run]:
    """One rule at a time, so that the original of each simplified rule is known."""
    for run in _all_runs(stage, runs):
        for row in range(min(MOST_SINGLE_RULES, len(run.given[0]))):
            yield run.again_with(fresh(stage), run.given[0].take(np.array([row])))


def _unions(run: Run) -> Iterator[tuple[frozenset[int], int, int]]:
    """Unions of all pairs, with both indices; sets of categories on one feature may have become one condition."""
    rules, leaves = run.given
    index = run.context.index
    left, right = np.indices((len(rules), len(leaves))).reshape(2, -1)
    both = tidy(np.hstack([rules.conditions[left], leaves.conditions[right]]), index.pad)
    for united in (both, merge_sets(both, index.conditions)):
        for row, i, j in zip(united.tolist(), left.tolist(), right.tolist(), strict=True):
            yield frozenset(row) - {index.pad}, i, j


def _listed(rules: Rules, run: Run) -> list[tuple[frozenset[int], int, tuple[float, ...], tuple[int, ...]]]:
    """Rules in a form that can be compared."""
    facts = zip(rules.classes.tolist(), rules.priors.tolist(), rules.counts.tolist(), strict=True)
    sets = antecedent_sets(rules, run.context)
    return [(own, cls, tuple(prior), tuple(counts)) for own, (cls, prior, counts) in zip(sets, facts, strict=True)]


def _answer_of(runs: Runs) -> Callable[[Any, World], Answer]:
    def answer(stage: Any, world: World) -> Answer:
        return {name: fact for run in runs(stage, world) for name, fact in _facts(run).items()}

    return answer


def _facts(run: Run) -> dict[str, Any]:
    """What a stage returned, by name."""
    parts = ("conditions", "priors", "classes", "bits", "counts", "groups")
    facts = {f"{part} ({run.name})": getattr(run.result, part) for part in parts}
    for rules in run.refined.path:
        facts[f"path, list of {len(rules)} rules ({run.name})"] = rules.conditions
    if run.refined.honest is not None:
        facts[f"honest probabilities ({run.name})"] = run.refined.honest.probabilities
    return facts


def _cases() -> tuple[World, ...]:
    return (*worlds(), others()[0])


def _checks(runs: Runs, *own: Callable[..., None]) -> tuple[BoundCheck, ...]:
    answer = _answer_of(runs)
    usage = Usage(_cases, answer, answer)
    shared = (check_rules_are_valid, check_bits_and_counts, check_some_rules_remain, check_spent_budget)
    return (
        *shared_checks(usage),
        bind(check_inputs_are_not_written_to, usage),
        *(bind(check, runs) for check in (*shared, *own)),
    )


COMBINE = Seam(
    kind="combine stage",
    interface=CombineStage,
    checks=_checks(
        combine_runs,
        check_no_rules,
        check_candidates_are_unions,
        check_priors_are_combined,
        check_candidates_predict_class_of_prior,
    ),
)
COVER = Seam(
    kind="cover stage",
    interface=CoverStage,
    checks=_checks(cover_runs, check_no_rules, check_choice_is_a_subset),
)
SIMPLIFY = Seam(
    kind="simplify stage",
    interface=SimplifyStage,
    checks=_checks(
        simplify_runs, check_no_rules, check_rules_cover_no_fewer_samples, check_conditions_are_only_removed
    ),
)
REFINE = Seam(
    kind="refine stage",
    interface=RefineStage,
    checks=(*_checks(refine_runs), check_few_rules, check_path, check_honest_samples, check_report),
)
