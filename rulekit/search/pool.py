"""The pool of a refine stage: every rule that the loop produced, each set of training samples once."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import zip_longest

import attrs
import numpy as np

from rulekit.core.arrays import BitArray, IntArray
from rulekit.core.context import SearchContext
from rulekit.core.rules import Rules, concatenate


@attrs.frozen(eq=False)
class Pool:
    """Rules that cover different sets of training samples, in the order in which the loop produced them.

    Attributes
    ----------
    rules : Rules
        Each covers at least one sample, and has at least one condition.
    bits : ndarray of shape (n_rules, n_words)
        The samples that they cover.
    trees : ndarray of shape (n_rules,)
        The tree after which each rule first appeared.
    """

    rules: Rules
    bits: BitArray
    trees: IntArray

    def __len__(self) -> int:
        return len(self.trees)

    def take(self, rows: IntArray) -> "Pool":
        """Only these rules, in this order."""
        return type(self)(self.rules.take(rows), self.bits[rows], self.trees[rows])

    @classmethod
    def of(cls, rulesets: Sequence[Rules], found: Rules, context: SearchContext) -> tuple["Pool", list[int]]:
        """The pool of all rulesets and of the list that the loop found, and that list as rows of the pool.

        Rules of the list that cover no sample, or the same samples as an earlier one, are left out of it.
        """
        row_of: dict[bytes, int] = {}
        parts, trees = [], []
        most = most_rules(context)
        for tree, rules in enumerate((*rulesets, found)):
            context.budget.check_time()
            bits, new = rules.bits, []
            has_conditions = (rules.conditions != context.index.pad).any(axis=1)
            is_found = tree == len(rulesets)
            for row in np.flatnonzero(has_conditions & (rules.covered > 0)).tolist():
                samples = _digest(bits[row])
                if samples not in row_of and (is_found or len(row_of) < most):
                    row_of[samples] = len(row_of)
                    new.append(row)
            parts.append(rules.take(np.array(new, dtype=np.int64)))
            trees += [tree] * len(new)
        together = concatenate(parts, context.index.pad)
        rows = (row_of.get(_digest(samples)) for samples in found.bits)
        listed = list(dict.fromkeys(row for row in rows if row is not None))
        return cls(together, together.bits, np.array(trees, dtype=np.int64)), listed


def most_rules(context: SearchContext) -> int:
    """How many rules of a pool `max_memory` leaves space for, with their samples; those of the first trees stay."""
    return context.budget.largest_block(2**62, 8 * context.index.n_words)


def _digest(bits: BitArray) -> bytes:
    """What identifies a set of samples; a fraction of the memory that the set itself takes."""
    return blake2b(bits.tobytes(), digest_size=16).digest()


def with_nodes(rulesets: Sequence[Rules], max_depth: int, context: SearchContext) -> list[Rules]:
    """Rulesets of a pool, each with the rules of the nodes of its tree, down to a depth, that exceed the limits.

    A node's rule predicts the most frequent class of its samples. Its local class distribution is that of its samples
    and one sample more, divided like the classes.
    """
    if max_depth == 0:
        return list(rulesets)
    of_trees, most = [], most_rules(context)
    for antecedents in context.data.shallow_antecedents(max_depth):
        context.budget.check_time()
        rules = _rules_of_nodes(antecedents[:most], context)
        most -= len(rules)
        of_trees.append([rules])
    pairs: Iterable[tuple[list[Rules], list[Rules]]]
    pairs = zip_longest(([rules] for rules in rulesets), of_trees, fillvalue=[])
    return [concatenate([*made, *nodes], context.index.pad) for made, nodes in pairs]


def _rules_of_nodes(antecedents: IntArray, context: SearchContext) -> Rules:
    index = context.index
    if context.max_conditions is not None:
        antecedents = antecedents[(antecedents != index.pad).sum(axis=1) <= context.max_conditions]
    counts = index.count(index.cover(antecedents))
    classes = counts.argmax(axis=1)
    good = context.qualifies(counts, classes)
    fractions = index.class_counts / index.total
    priors = (counts[good] + fractions) / (counts[good].sum(axis=1, keepdims=True) + 1)
    return Rules.of(antecedents[good], priors, classes[good], index, groups=None)
