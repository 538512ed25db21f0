"""Telling sets of conditions apart by one number each, and remembering the ones that failed.

An antecedent's hash is the sum of random 64-bit words, one per condition: equal sets have equal sums, in any order.
With a million different antecedents in a search, the chance that any two share a sum is below one in 30 million.
"""

import numpy as np

from rulekit.core.arrays import BoolArray, IntArray
from rulekit.core.engine.interface import HashArray


def random_words(n_conditions: int) -> HashArray:
    """A word for each condition and, at the end, 0 for the pad; always the same, so that no search needs a seed."""
    words = np.random.default_rng(0).integers(0, 2**64, n_conditions + 1, dtype=np.uint64)
    words[n_conditions] = 0
    return words


class RejectedAntecedents:
    """Antecedents that are not to be tried again, whatever pair of rules they come from."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def absent(self, hashes: HashArray) -> BoolArray:
        """Which antecedents have not failed before, of shape (n_rules,)."""
        listed = hashes.tolist()
        # Failures seldom come again: most calls end here.
        if self._hashes.isdisjoint(listed):
            return np.ones(len(hashes), dtype=bool)
        return ~np.fromiter(map(self._hashes.__contains__, listed), bool, len(hashes))

    def add(self, hashes: HashArray) -> None:
        """Remember that these failed."""
        self._hashes.update(hashes.tolist())


def first_that_pass(hashes: HashArray, classes: IntArray, passes: BoolArray) -> IntArray:
    """Rows that passed, are the first with their antecedent and class, and come before any failure of it; ascending."""
    passed = np.flatnonzero(passes)
    distinct, which = np.unique(hashes, return_inverse=True)
    if len(distinct) == len(hashes):
        return passed
    first_failure = np.full(len(distinct), len(hashes))
    failed = np.flatnonzero(~passes)
    np.minimum.at(first_failure, which[failed], failed)
    passed = passed[passed < first_failure[which[passed]]]
    n_classes = int(classes.max()) + 1
    _, first = np.unique(which[passed] * n_classes + classes[passed], return_index=True)
    return passed[np.sort(first)]
