"""The pool of a refine stage: every rule that the loop produced, each set of training samples once."""

from collections.abc import Sequence

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
        for tree, rules in enumerate((*rulesets, found)):
            context.budget.check_time()
            bits, new = rules.bits, []
            has_conditions = (rules.conditions != context.index.pad).any(axis=1)
            for row in np.flatnonzero(has_conditions & (rules.covered > 0)).tolist():
                samples = bits[row].tobytes()
                if samples not in row_of:
                    row_of[samples] = len(row_of)
                    new.append(row)
            parts.append(rules.take(np.array(new, dtype=np.int64)))
            trees += [tree] * len(new)
        together = concatenate(parts, context.index.pad)
        rows = (row_of.get(samples.tobytes()) for samples in found.bits)
        listed = list(dict.fromkeys(row for row in rows if row is not None))
        return cls(together, together.bits, np.array(trees, dtype=np.int64)), listed
