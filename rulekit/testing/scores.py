"""What scores promise."""

from collections.abc import Iterator
from math import isfinite, isnan
from typing import Any

import numpy as np

from rulekit.core.context import SearchContext
from rulekit.core.interfaces import Score
from rulekit.core.rules import Rules
from rulekit.testing.comparison import TOLERANCE_OF_FITS, Answer
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import Seam, bind, shared_checks
from rulekit.testing.stage_runs import contexts, rule_lists
from rulekit.testing.world import World, others, worlds


@promise
def check_score_is_finite(score: Any) -> None:
    """`score` returns a finite `float` for every list of rules, even for one without rules."""
    for world in worlds():
        for name, rules, context in _lists(world):
            _expect_number(fresh(score).score(rules, context), name)


@promise
def check_class_without_samples(score: Any) -> None:
    """`score` returns a finite `float` even if the ensemble knows a class that no sample has."""
    for world in (world.without_last_class() for world in worlds()):
        for name, rules, context in _lists(world):
            _expect_number(fresh(score).score(rules, context), name)


@promise
def check_best(score: Any) -> None:
    """`best` is a number that no list of rules exceeds: otherwise the search would end too early."""
    expect(not isnan(score.best), f"`best` is {score.best!r}.")
    every_list = (found for world in worlds() for found in _lists(world))
    for name, rules, context in (*every_list, *perfect_lists()):
        got = fresh(score).score(rules, context)
        expect(got <= score.best, f"{name}: {got!r}, where `best` is {score.best!r}.")


@promise
def check_larger_is_better(score: Any) -> None:
    """A rule that, with the default rule, answers every sample correctly scores more than the default rule alone."""
    for name, rules, context in perfect_lists():
        right = fresh(score).score(rules, context)
        alone = fresh(score).score(rules.take(np.array([], dtype=np.int64)), context)
        expect(right > alone, f"{name}: {right!r} for the correct rule, {alone!r} without a rule.")


@promise
def check_wrong_rules_are_not_better(score: Any) -> None:
    """A rule that predicts the wrong class does not score more than the same rule with the correct class."""
    for name, rules, context in perfect_lists():
        wrong = Rules.of(rules.conditions, rules.priors[:, ::-1], 1 - rules.classes, context.index, None)
        right, got = fresh(score).score(rules, context), fresh(score).score(wrong, context)
        expect(got <= right, f"{name}: {got!r} for the wrong class, {right!r} for the correct one.")


@promise
def check_lists_are_scored_independently(score: Any) -> None:
    """The score of a list does not depend on the lists that were scored before."""
    for world in worlds():
        own = fresh(score)
        for name, rules, context in reversed([*_lists(world)]):
            expected, got = fresh(score).score(rules, context), own.score(rules, context)
            expect(got == expected, f"{name}: {got!r} after other lists, {expected!r} at first.")


@promise
def check_order_of_samples(score: Any) -> None:
    """The order of the training samples does not matter."""
    for world in worlds():
        for (name, rules, context), (_, moved, other) in zip(_lists(world), _lists(world.shuffled()), strict=True):
            expected, got = fresh(score).score(rules, context), fresh(score).score(moved, other)
            is_close = abs(got - expected) <= TOLERANCE_OF_FITS * max(1.0, abs(expected))
            expect(is_close, f"{name}: {got!r} with the samples shuffled, {expected!r} before.")


def _expect_number(got: Any, name: str) -> None:
    expect(isinstance(got, float), f"{name}: {got!r}, of type {type(got).__name__}.")
    expect(isfinite(got), f"{name}: {got!r}.")


def _lists(world: World) -> Iterator[tuple[str, Rules, SearchContext]]:
    """Lists of rules in each search, with their names in messages."""
    for name, context in contexts(world):
        for which, rules in rule_lists(world, context):
            yield f"{name}, {which}", rules, context


def perfect_lists() -> Iterator[tuple[str, Rules, SearchContext]]:
    """One rule that covers all samples of class 1 and no others, and leaves those of class 0 to the default rule."""
    for world in (world for world in worlds() if world.n_classes == 2):
        # The condition that comes closest to halving the samples.
        covered = world.index.condition_counts[:-1].sum(axis=1)
        condition = np.array([[np.abs(covered - len(world.y) / 2).argmin()]])
        is_covered = world.index.samples(world.index.cover(condition))[0]
        priors = np.array([[0.0, 1.0]])
        for name, context in contexts(world.on(world.X, is_covered.astype(np.int64))):
            rules = Rules.of(condition, priors, np.array([1]), context.index, None)
            yield f"{name}, a rule that is always correct", rules, context


def _answer(score: Any, world: World) -> Answer:
    return {f"scores ({name})": score.score(rules, context) for name, rules, context in _lists(world)}


def _cases() -> tuple[World, ...]:
    return (*worlds(), others()[0])


USAGE = Usage(_cases, _answer, _answer)
SEAM = Seam(
    kind="score",
    interface=Score,
    checks=(
        *shared_checks(USAGE),
        bind(check_inputs_are_not_written_to, USAGE),
        check_score_is_finite,
        check_class_without_samples,
        check_best,
        check_larger_is_better,
        check_wrong_rules_are_not_better,
        check_lists_are_scored_independently,
        check_order_of_samples,
    ),
)
