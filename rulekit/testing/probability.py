"""What probability estimators promise."""

import copy
from collections.abc import Callable
from typing import Any, NoReturn

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.conditions import match
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.core.rules import RemovalBatch, RuleBatch, RuleList
from rulekit.testing.comparison import TOLERANCE_OF_FITS, Answer, expect_array, expect_close, expect_distributions
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import Seam, bind, shared_checks
from rulekit.testing.world import EMPTY, IMPOSSIBLE, World, others, worlds


def estimated(estimator: ProbabilityEstimator, world: World) -> FloatArray:
    """Probabilities from a fresh estimator for all rules of a world, of shape (n_rules, n_classes)."""
    return fresh(estimator).fit(world.data).estimate(world.batch())


def estimated_list(estimator: ProbabilityEstimator, world: World, rows: IntArray | slice | None = None) -> FloatArray:
    """Probabilities from a fresh estimator for a finished list, of shape (n_rules + 1, n_classes)."""
    return fresh(estimator).fit(world.data).estimate_list(world.copied().rule_list(rows))


@promise
def check_fit_returns_self(estimator: Any) -> None:
    """`fit(data)` returns the estimator itself."""
    own = fresh(estimator)
    got = own.fit(worlds()[0].data)
    expect(got is own, f"{got!r}.")


@promise
def check_shape(estimator: Any) -> None:
    """`estimate` returns a float64 array of shape (n_rules, n_classes)."""
    for world in worlds():
        expect_array(estimated(estimator, world), (len(world.antecedents), world.n_classes), world.name)


@promise
def check_rows_sum_to_one(estimator: Any) -> None:
    """Every rule's probabilities are finite, none is negative, and they sum to one."""
    for world in worlds():
        expect_distributions(estimated(estimator, world), (len(world.antecedents), world.n_classes), world.name)


@promise
def check_empty_antecedent(estimator: Any) -> None:
    """A rule without conditions, which covers every sample, gets a class distribution."""
    _check_one_rule(estimator, EMPTY)


@promise
def check_rule_without_samples(estimator: Any) -> None:
    """A rule that covers no sample gets a class distribution."""
    _check_one_rule(estimator, IMPOSSIBLE)


def _check_one_rule(estimator: Any, row: int) -> None:
    for world in worlds():
        one = fresh(estimator).fit(world.data).estimate(world.batch(slice(row, row + 1)))
        expect_distributions(one, (1, world.n_classes), world.name)


@promise
def check_no_rules(estimator: Any) -> None:
    """A batch without rules gets an array of shape (0, n_classes)."""
    for world in worlds():
        for conditions in (world.antecedents[:0], world.antecedents[:0, :0]):
            nothing = RuleBatch(world.index, conditions, world.priors[:0])
            expect_array(fresh(estimator).fit(world.data).estimate(nothing), (0, world.n_classes), world.name)


@promise
def check_rules_are_estimated_independently(estimator: Any) -> None:
    """The probabilities of a rule do not depend on the other rules of the batch, nor on their order."""
    for world in worlds():
        fitted, expected = fresh(estimator).fit(world.data), estimated(estimator, world)
        for row in range(len(expected)):
            alone = fitted.estimate(world.batch(slice(row, row + 1)))
            expect_close(alone, expected[row : row + 1], f"{world.name}, rule {row} alone")
        order = np.random.default_rng(0).permutation(len(expected))
        expect_close(fitted.estimate(world.batch(order)), expected[order], f"{world.name}, in another order")


@promise
def check_pads_do_not_matter(estimator: Any) -> None:
    """The positions of pads in a row of condition ids, and their number, do not matter."""
    for world in worlds():
        pads = np.full((len(world.antecedents), 1), world.index.pad)
        moved = RuleBatch(world.index, np.hstack([pads, world.antecedents[:, ::-1]]), world.priors)
        got = fresh(estimator).fit(world.data).estimate(moved)
        expect_close(got, estimated(estimator, world), f"{world.name}, with pads in front")


@promise
def check_removals(estimator: Any) -> None:
    """A rule made by removing a condition from a longer one gets the same estimates as in a plain batch."""
    for world in worlds():
        removals = RemovalBatch(world.index, world.antecedents, world.priors)
        plain = RuleBatch(world.index, removals.conditions, removals.priors)
        fitted = fresh(estimator).fit(world.data)
        expect_close(fitted.estimate(removals), fitted.estimate(plain), f"{world.name}, probabilities of removals")
        expect_close(fitted.support(removals), fitted.support(plain), f"{world.name}, supports of removals")


@promise
def check_weights(estimator: Any) -> None:
    """With `supports_weights`, whole weights equal repeated samples, and other weights lead to distributions too."""
    for world in worlds() if estimator.supports_weights else ():
        times = np.random.default_rng(2).integers(1, 4, len(world.y))
        whole, repeated, light = (
            world.weighted(times.astype(np.float64)),
            world.repeated(times),
            world.weighted(np.divide(times, 16.0)),
        )
        for of in (estimated, estimated_list):
            got, expected = of(estimator, whole), of(estimator, repeated)
            expect_close(got, expected, f"{world.name}, samples of whole weights and repeated", TOLERANCE_OF_FITS)
            of_light = of(estimator, light)
            expect_distributions(of_light, expected.shape, f"{world.name}, samples of weights below 1")


@promise
def check_order_of_samples(estimator: Any) -> None:
    """The order of the training samples does not matter."""
    for world in worlds():
        for of in (estimated, estimated_list):
            got, expected = of(estimator, world.shuffled()), of(estimator, world)
            expect_close(got, expected, f"{world.name}, samples shuffled", TOLERANCE_OF_FITS)


@promise
def check_order_of_classes(estimator: Any) -> None:
    """If the classes are reordered, the columns are reordered in the same way, and nothing else changes."""
    for world in worlds():
        new_name = np.roll(np.arange(world.n_classes), 1)
        for of in (estimated, estimated_list):
            moved, expected = of(estimator, world.relabelled(new_name)), of(estimator, world)
            expect_close(moved[:, new_name], expected, f"{world.name}, classes renamed", TOLERANCE_OF_FITS)


@promise
def check_support(estimator: Any) -> None:
    """`support` returns numbers of samples: a float64 array of shape (n_rules,), finite, none negative."""
    for world in worlds():
        support = fresh(estimator).fit(world.data).support(world.batch())
        expect_array(support, (len(world.antecedents),), world.name)
        expect(np.isfinite(support).all() and (support >= 0).all(), f"{world.name}: {support.tolist()}.")


@promise
def check_list(estimator: Any) -> None:
    """`estimate_list` returns a class distribution for each rule, in order, and one more for the default rule."""
    for world in worlds() if _has_own_list(estimator) else ():
        ordered = world.rule_list()
        expect_distributions(estimated_list(estimator, world), (len(ordered) + 1, world.n_classes), world.name)


@promise
def check_list_without_rules(estimator: Any) -> None:
    """A list without rules gets one class distribution, that of the default rule: shape (1, n_classes)."""
    for world in worlds() if _has_own_list(estimator) else ():
        expect_distributions(estimated_list(estimator, world, slice(0)), (1, world.n_classes), world.name)


@promise
def check_list_rules_that_answer_no_sample(estimator: Any) -> None:
    """In a list, rules and a default rule that answer no sample get class distributions."""
    for world in worlds() if _has_own_list(estimator) else ():
        # Its first rule has no conditions and leaves no sample to the others.
        got = estimated_list(estimator, world, slice(EMPTY, None))
        expect_distributions(got, (len(world.antecedents) + 1, world.n_classes), world.name)


@promise
def check_list_class_without_samples(estimator: Any) -> None:
    """A list gets class distributions even if the ensemble knows a class that no sample has."""
    for world in (world.without_last_class() for world in worlds()):
        ordered = world.rule_list()
        expect_distributions(estimated_list(estimator, world), (len(ordered) + 1, world.n_classes), world.name)


@promise
def check_list_by_default(estimator: Any) -> None:
    """Unless `estimate_list` is overridden, it returns `estimate` of the rules, then class fractions of the rest."""
    for world in worlds() if not _has_own_list(estimator) else ():
        own, ordered = fresh(estimator).fit(world.data), world.copied().rule_list()
        plain = own.estimate(RuleBatch(ordered.index, ordered.conditions, ordered.priors))
        expected = np.vstack([plain, _fractions_of_the_rest(ordered, world)])
        expect_close(own.estimate_list(ordered), expected, world.name)


@promise
def check_needs_order(estimator: Any) -> None:
    """An estimator with `needs_order = False` gives a rule the same probabilities wherever it stands in a list."""
    expect(isinstance(estimator.needs_order, bool), f"`needs_order` is {estimator.needs_order!r}.")
    for world in worlds() if not estimator.needs_order else ():
        order = np.random.default_rng(0).permutation(len(world.antecedents))
        moved, expected = (estimated_list(estimator, world, rows)[:-1] for rows in (order, np.arange(len(order))))
        expect_close(moved, expected[order], f"{world.name}, rules of a list in another order")


def _has_own_list(estimator: Any) -> bool:
    """Whether `estimate_list` is not the one that follows from `estimate`, which is checked already."""
    return type(estimator).estimate_list is not ProbabilityEstimator.estimate_list


def _fractions_of_the_rest(ordered: RuleList, world: World) -> FloatArray:
    """Class fractions of the samples that no rule covers, from the samples themselves."""
    covered = match(
        world.data.conditions, [row[row != world.index.pad].tolist() for row in ordered.conditions], world.X
    )
    return np.bincount(world.y[~covered.any(axis=0)], minlength=world.n_classes) / (~covered.any(axis=0)).sum()


class _Unread(RuleBatch):
    """A batch whose samples must not be read."""

    @property
    def counts(self) -> IntArray:
        raise AssertionError("it read `rules.counts`")

    @property
    def support(self) -> IntArray:
        raise AssertionError("it read `rules.support`")


def _lock_samples(index: TrainingIndex) -> None:
    """Make every method of an index raise that reads samples."""

    def forbidden(name: str) -> Callable[..., NoReturn]:
        def fail(*_: Any) -> NoReturn:
            raise AssertionError(f"it called `{name}` of the index")

        return fail

    for name in ("bits", "cover", "count", "removal_counts", "samples"):
        setattr(index, name, forbidden(name))


@promise
def check_reads_no_samples(estimator: Any) -> None:
    """A fitted estimator with `uses_counts = False` reads no samples: no `counts`, no `support`, no bits."""
    for world in worlds() if not estimator.uses_counts else ():
        index = copy.copy(world.index)
        fitted = fresh(estimator).fit(attrs.evolve(world.data, index=index))
        _lock_samples(index)
        for method in (fitted.estimate, fitted.support):
            try:
                method(_Unread(index, world.antecedents, world.priors))
            except AssertionError as error:
                expect(False, f"`{method.__name__}`: {error}.")


@promise
def check_hold_back(estimator: Any) -> None:
    """`hold_back` returns None, or the samples to hold back: always the same, some but not all of each class."""
    for world in worlds():
        held, again = (fresh(estimator).hold_back(world.y) for _ in range(2))
        if held is None:
            expect(again is None, f"{world.name}: None, then {again!r}.")
            continue
        expect_array(held, world.y.shape, world.name, bool)
        expect(np.array_equal(held, again), f"{world.name}: other samples the second time.")
        for side, samples in (("held back", held), ("left", ~held)):
            lacking = sorted(set(world.y.tolist()) - set(world.y[samples].tolist()))
            expect(not lacking, f"{world.name}: no sample of class {lacking} is {side}.")


def _answer(estimator: Any, world: World) -> Answer:
    return _recall(estimator.fit(world.data), world)


def _recall(estimator: Any, world: World) -> Answer:
    return {
        "probabilities": estimator.estimate(world.batch()),
        "supports": estimator.support(world.batch()),
        "probabilities of a list": estimator.estimate_list(world.rule_list()),
    }


def _cases() -> tuple[World, ...]:
    return (*worlds(), others()[0])


USAGE = Usage(_cases, _answer, _recall)
SEAM = Seam(
    kind="probability estimator",
    interface=ProbabilityEstimator,
    checks=(
        *shared_checks(USAGE),
        bind(check_inputs_are_not_written_to, USAGE),
        check_fit_returns_self,
        check_shape,
        check_rows_sum_to_one,
        check_empty_antecedent,
        check_rule_without_samples,
        check_no_rules,
        check_rules_are_estimated_independently,
        check_pads_do_not_matter,
        check_removals,
        check_weights,
        check_order_of_samples,
        check_order_of_classes,
        check_support,
        check_reads_no_samples,
        check_hold_back,
        check_list,
        check_list_without_rules,
        check_list_rules_that_answer_no_sample,
        check_list_class_without_samples,
        check_list_by_default,
        check_needs_order,
    ),
)
