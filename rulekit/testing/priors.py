"""What prior combiners promise."""

from typing import Any, NamedTuple

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import PriorCombiner
from rulekit.testing.comparison import Answer, expect_array, expect_close, expect_distributions
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import Seam, bind, shared_checks
from rulekit.testing.world import World, locked, world_of


class Pairs(NamedTuple):
    """Two sets of rules whose distributions are to be combined.

    Attributes
    ----------
    name : str
    world : World
        What a combiner is fitted on.
    left, right : ndarrays of shapes (n_left, n_classes) and (n_right, n_classes)
        Some of them have a probability of one for a single class.
    left_support, right_support : ndarrays of shapes (n_left,) and (n_right,)
        Some rules cover no sample.
    """

    name: str
    world: World
    left: FloatArray
    right: FloatArray
    left_support: IntArray
    right_support: IntArray

    def combined_by(self, combiner: PriorCombiner) -> FloatArray:
        """Distributions of all pairs, of shape (n_left, n_right, n_classes), from a combiner that is fitted first."""
        return self.recalled_by(combiner.fit(self.world.data))

    def recalled_by(self, combiner: PriorCombiner) -> FloatArray:
        """The same from a combiner that has been fitted."""
        return combiner.combine(self.left, self.right, self.left_support, self.right_support)

    def take(self, left: IntArray | slice, right: IntArray | slice) -> "Pairs":
        """Only these rules, in this order."""
        sides = self.left[left], self.right[right], self.left_support[left], self.right_support[right]
        return Pairs(self.name, self.world, *sides)

    def exchanged(self) -> "Pairs":
        """Left and right exchanged."""
        return Pairs(self.name, self.world, self.right, self.left, self.right_support, self.left_support)

    def read_only(self) -> "Pairs":
        """The same pairs in arrays that are read-only."""
        sides = locked(self.left), locked(self.right), locked(self.left_support), locked(self.right_support)
        return Pairs(self.name, self.world.read_only(), *sides)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of their combinations."""
        return len(self.left), len(self.right), self.left.shape[1]


def cases() -> tuple[Pairs, ...]:
    """Pairs of rules with two, three and seven classes, and samples to learn from."""
    return tuple(_pairs(n_classes) for n_classes in (2, 3, 7))


def _pairs(n_classes: int) -> Pairs:
    rng = np.random.default_rng(n_classes)
    certain = np.eye(n_classes)
    left = np.vstack([certain, rng.dirichlet(np.ones(n_classes), 4)])
    right = np.vstack([certain[::-1], rng.dirichlet(np.full(n_classes, 0.3), 5)])
    supports = [rng.integers(1, 50, len(side)) * (np.arange(len(side)) % 4 > 0) for side in (left, right)]
    return Pairs(f"{n_classes} classes", world_of(n_classes), left, right, supports[0], supports[1])


@promise
def check_fit_returns_self(combiner: Any) -> None:
    """`fit(data)` returns the combiner itself."""
    own = fresh(combiner)
    got = own.fit(world_of(2).data)
    expect(got is own, f"{got!r}.")


@promise
def check_shape(combiner: Any) -> None:
    """`combine` returns a float64 array of shape (n_left, n_right, n_classes)."""
    for pairs in cases():
        expect_array(pairs.combined_by(fresh(combiner)), pairs.shape, pairs.name)


@promise
def check_rows_sum_to_one(combiner: Any) -> None:
    """Every pair gets a class distribution, even rules without samples and rules that exclude each other's classes."""
    for pairs in cases():
        expect_distributions(pairs.combined_by(fresh(combiner)), pairs.shape, pairs.name)


@promise
def check_no_rules(combiner: Any) -> None:
    """If there are no rules on one side or on both, the result is empty and has the right shape."""
    everything, nothing = slice(None), slice(0)
    for pairs in cases():
        for left, right in ((nothing, everything), (everything, nothing), (nothing, nothing)):
            some = pairs.take(left, right)
            expect_array(some.combined_by(fresh(combiner)), some.shape, pairs.name)


@promise
def check_pairs_are_combined_independently(combiner: Any) -> None:
    """The result for a pair does not depend on the other rules, nor on their order."""
    for pairs in cases():
        own, expected = fresh(combiner).fit(pairs.world.data), pairs.combined_by(fresh(combiner))
        backwards = pairs.take(slice(None, None, -1), slice(None, None, -1))
        expect_close(backwards.recalled_by(own), expected[::-1, ::-1], f"{pairs.name}, in another order")
        for i, j in np.ndindex(pairs.shape[:2]):
            alone = pairs.take(slice(i, i + 1), slice(j, j + 1)).recalled_by(own)
            expect_close(alone[0], expected[i, j][None], f"{pairs.name}, left {i} and right {j} alone")


@promise
def check_symmetry(combiner: Any) -> None:
    """Left and right can be exchanged, unless the class has `is_symmetric = False`."""
    for pairs in cases() if combiner.is_symmetric else ():
        other = pairs.exchanged().combined_by(fresh(combiner))
        expect_close(other.transpose(1, 0, 2), pairs.combined_by(fresh(combiner)), f"{pairs.name}, exchanged")


@promise
def check_order_of_classes(combiner: Any) -> None:
    """If the classes are reordered, the columns are reordered in the same way, and nothing else changes."""
    for pairs in cases():
        moved = pairs._replace(
            world=pairs.world.relabelled(np.roll(np.arange(pairs.world.n_classes), -1)),
            left=np.roll(pairs.left, 1, axis=1),
            right=np.roll(pairs.right, 1, axis=1),
        )
        expected = np.roll(pairs.combined_by(fresh(combiner)), 1, axis=2)
        expect_close(moved.combined_by(fresh(combiner)), expected, f"{pairs.name}, classes renamed")


def _answer(combiner: Any, pairs: Pairs) -> Answer:
    return {"distributions": pairs.combined_by(combiner)}


def _recall(combiner: Any, pairs: Pairs) -> Answer:
    return {"distributions": pairs.recalled_by(combiner)}


USAGE = Usage(cases, _answer, _recall)
SEAM = Seam(
    kind="prior combiner",
    interface=PriorCombiner,
    checks=(
        *shared_checks(USAGE),
        bind(check_inputs_are_not_written_to, USAGE),
        check_fit_returns_self,
        check_shape,
        check_rows_sum_to_one,
        check_no_rules,
        check_pairs_are_combined_independently,
        check_symmetry,
        check_order_of_classes,
    ),
)
