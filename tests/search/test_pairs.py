"""Pairs of rules and leaves: in blocks, within memory, and what their priors come from."""

import attrs
import numpy as np
import pytest
from core.training_sets import random_rules, random_training_set
from search.contexts import context_of

from rulekit.core.context import Budget, BudgetSpent
from rulekit.core.interfaces import PriorCombiner
from rulekit.search.combine import bytes_of_pair, pairs_worth_trying

N_RULES, N_LEAVES = 8, 6


class Listener(PriorCombiner):
    """Remembers what it is asked; the weight of the left distribution is its fraction of both supports."""

    def __init__(self):
        self.supports = []

    def combine(self, left, right, left_support, right_support):
        self.supports.append((left_support.tolist(), right_support.tolist()))
        weight = left_support[:, None, None] / (left_support[:, None, None] + right_support[None, :, None])
        return weight * left[:, None] + (1 - weight) * right[None]


@pytest.fixture
def world():
    """A context, rules and leaves, all with samples."""
    drawn = random_training_set(5, n_splits=6)
    context = context_of(drawn)
    found = random_rules(drawn, context.index, 5, n_rules=60, longest=2, shortest=1)
    found = found.take(np.flatnonzero(found.covered > 20))
    return (
        attrs.evolve(context, priors=Listener()),
        found.take(np.arange(N_RULES)),
        found.take(-1 - np.arange(N_LEAVES)),
    )


def known_of(pairs):
    return {name: getattr(pairs, name).tolist() for name in ("left", "right", "counts", "priors")}


def allowing(context, n_bytes):
    budget = Budget(max_bytes=n_bytes)
    budget.begin_tree(1)
    return attrs.evolve(context, budget=budget, priors=Listener())


def test_a_pair_takes_two_places_two_others_its_union_counts_and_priors_and_as_much_for_work(world):
    """Numbers of eight bytes: four, two conditions of each, counts and priors of three classes."""
    _, found, leaves = world
    assert (found.conditions.shape[1], leaves.conditions.shape[1], found.priors.shape[1]) == (2, 2, 3)
    assert bytes_of_pair(found, leaves) == 2 * 8 * (4 + 2 + 2 + 3 + 3)


@pytest.mark.parametrize(("n_pairs", "blocks"), [(1, [1] * 8), (6, [1] * 8), (12, [2] * 4), (18, [3, 3, 2]), (48, [8])])
def test_as_many_rules_as_the_memory_holds_pairs_are_worked_on_at_once(world, n_pairs, blocks):
    context, found, leaves = world
    limited = attrs.evolve(
        context, budget=Budget(max_bytes=8 * n_pairs * bytes_of_pair(found, leaves)), priors=Listener()
    )
    assert known_of(pairs_worth_trying(found, leaves, context)) == known_of(pairs_worth_trying(found, leaves, limited))
    assert blocks == [len(left) for left, _ in limited.priors.supports]


def test_many_samples_make_blocks_smaller_too(world, monkeypatch):
    """Room for 12 rows of the index's words: two rules with six leaves each."""
    context, found, leaves = world
    monkeypatch.setattr("rulekit.search.combine.WORDS_AT_ONCE", 12 * context.index.n_words)
    pairs_worth_trying(found, leaves, context)
    assert [len(left) for left, _ in context.priors.supports] == [2] * 4


def test_priors_are_combined_with_the_supports_of_both(world):
    context, found, leaves = world
    pairs = pairs_worth_trying(found, leaves, context)
    assert context.priors.supports == [(found.covered.tolist(), leaves.covered.tolist())]
    one, other = found.covered[pairs.left][:, None], leaves.covered[pairs.right][:, None]
    expected = (one * found.priors[pairs.left] + other * leaves.priors[pairs.right]) / (one + other)
    np.testing.assert_allclose(pairs.priors, expected, rtol=1e-12)


def test_pairs_of_all_blocks_together_must_fit_into_three_quarters_of_the_memory(world, monkeypatch):
    context, found, leaves = world
    monkeypatch.setattr("rulekit.search.combine.WORDS_AT_ONCE", N_LEAVES * context.index.n_words)
    n_bytes = len(pairs_worth_trying(found, leaves, context)) * bytes_of_pair(found, leaves)
    pairs_worth_trying(found, leaves, allowing(context, 4 * n_bytes // 3 + 4))
    with pytest.raises(BudgetSpent, match=r"^max_memory$"):
        pairs_worth_trying(found, leaves, allowing(context, 4 * n_bytes // 3 - 4))


def test_time_is_looked_at_before_each_block(world):
    context, found, leaves = world
    late = Budget(max_seconds=0.0)
    with pytest.raises(BudgetSpent, match=r"^max_seconds$"):
        late.begin_tree(1)
    with pytest.raises(BudgetSpent, match=r"^max_seconds$"):
        pairs_worth_trying(found, leaves, attrs.evolve(context, budget=late))
