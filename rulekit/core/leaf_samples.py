"""The training samples in the leaves of trees, found from the roots down, and the rules of large leaves alone.

A forest without a depth limit has thousands of leaves per tree, most of which hold a handful of samples. No conjunction
with such a leaf can cover more, so where rules must cover more, their antecedents and bits are never made: the way down
ends at the first node that covers too few samples.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.nodes import LeafPaths
from rulekit.core.rules import Rules
from rulekit.core.statistics import Limits
from rulekit.core.tree_rules import LeafRules

#: Words of bits of the leaves that are made at once, 8 MB.
WORDS_AT_ONCE = 2**20


def large_leaves(
    paths: LeafPaths, roots: IntArray, index: TrainingIndex, limits: Limits
) -> tuple[IntArray, BitArray, IntArray]:
    """The leaves of some trees that cover more samples than the limit of coverage.

    Parameters
    ----------
    paths : LeafPaths
    roots : ndarray of shape (n_trees,)
    index : TrainingIndex
    limits : Limits

    Returns
    -------
    leaves : ndarray of shape (n_large,)
        Positions in `paths.leaves`, ascending.
    bits : ndarray of shape (n_large, n_words)
        Their samples.
    counts : ndarray of shape (n_large, n_classes)
    """
    nodes, here = paths.nodes, roots
    bits, counts = np.tile(index.all_samples, (len(roots), 1)), np.tile(index.class_counts, (len(roots), 1))
    found = []
    while len(here):
        is_leaf = nodes.features[here] < 0
        found.append((paths.positions[here[is_leaf]], bits[is_leaf], counts[is_leaf]))
        inner, inside, of_inner = here[~is_leaf], bits[~is_leaf], counts[~is_leaf]
        left, right = nodes.left[inner], nodes.right[inner]
        goes_left = index.narrowed(inside, paths.conditions[left])
        of_left = index.count(goes_left)
        of_right = of_inner - of_left
        large_left, large_right = limits.is_general(of_left), limits.is_general(of_right)
        # What does not go left goes right.
        inside[large_right] ^= goes_left[large_right]
        here = np.concatenate([left[large_left], right[large_right]])
        bits = np.concatenate([goes_left[large_left], inside[large_right]])
        counts = np.concatenate([of_left[large_left], of_right[large_right]])
    leaves, of_leaves, counts = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(leaves)
    return leaves[order], of_leaves[order], counts[order]


@attrs.frozen(eq=False, slots=False)
class Block:
    """Several rounds of trees whose large leaves are found together.

    Attributes
    ----------
    rounds : sequence of LeafRules
    index : TrainingIndex
    limits : Limits
    """

    rounds: Sequence[LeafRules]
    index: TrainingIndex
    limits: Limits

    @cached_property
    def large(self) -> list[Rules]:
        """The rules of large leaves, round by round."""
        paths = self.rounds[0].paths
        roots = np.concatenate([of_round.roots for of_round in self.rounds])
        leaves, bits, counts = large_leaves(paths, roots, self.index, self.limits)
        rules = []
        for of_round in self.rounds:
            own = slice(*np.searchsorted(leaves, [of_round.first, of_round.first + len(of_round)]))
            rows = leaves[own] - of_round.first
            priors = of_round.priors[rows]
            rules.append(
                Rules(
                    of_round.antecedents_of(rows),
                    priors,
                    priors.argmax(axis=1),
                    bits[own],
                    counts[own],
                    of_round.groups[rows],
                )
            )
        return rules


@attrs.frozen(eq=False)
class RoundRules:
    """The rules of one round of trees, made when they are asked for.

    Attributes
    ----------
    leaves : LeafRules
    block : Block
        That the round belongs to.
    position : int
        In the block.
    """

    leaves: LeafRules
    block: Block
    position: int

    def all(self) -> Rules:
        """One rule for each leaf."""
        return self.leaves.on(self.block.index)

    def large(self) -> Rules:
        """One rule for each leaf that covers more samples than the limit of coverage."""
        return self.block.large[self.position]


def round_rules(
    rounds: Sequence[LeafRules], index: TrainingIndex, limits: Limits, n_words: int = WORDS_AT_ONCE
) -> Iterator[RoundRules]:
    """The rules of each round of trees, one round after the other; those of at most `n_words` are made at once."""
    # Leaves of one tree share no sample, so that few of them can be large.
    most = [min(len(of_round), len(of_round.roots) * limits.most_disjoint) for of_round in rounds]
    ends = np.cumsum(most) * index.n_words // max(n_words, 1)
    for number in np.unique(ends):
        start, stop = np.searchsorted(ends, [number, number + 1])
        block = Block(rounds[start:stop], index, limits)
        yield from (RoundRules(of_round, block, position) for position, of_round in enumerate(block.rounds))
