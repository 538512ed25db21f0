"""Telling sets of conditions apart by one number each, and remembering the ones that failed."""

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BoolArray, IntArray

HashArray = npt.NDArray[np.uint64]


class AntecedentHashes:
    """Sums of random 64-bit words, one word per condition: equal sets have equal sums, in any order.

    With a million different antecedents in a search, the chance that any two share a sum is below one in 30 million.
    """

    def __init__(self, n_conditions: int) -> None:
        # Always the same words: a search must not depend on a seed.
        self._words = np.random.default_rng(0).integers(0, 2**64, n_conditions + 1, dtype=np.uint64)
        self._words[n_conditions] = 0

    def of(self, conditions: IntArray) -> HashArray:
        """Hashes of antecedents without repeated conditions: from (n_rules, width) to (n_rules,)."""
        return self._words[conditions].sum(axis=1, dtype=np.uint64)


class RejectedAntecedents:
    """Antecedents that are not to be tried again, whatever pair of rules they come from."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def contain(self, hashes: HashArray) -> BoolArray:
        """Whether antecedents failed before, of shape (n_rules,)."""
        return np.fromiter((value in self._hashes for value in hashes.tolist()), bool, len(hashes))

    def add(self, hashes: HashArray) -> None:
        """Remember that these failed."""
        self._hashes.update(hashes.tolist())


def not_after_failure(hashes: HashArray, passes: BoolArray) -> BoolArray:
    """Which candidates passed, and come before any failed one with the same antecedent; shape (n_candidates,)."""
    distinct, which = np.unique(hashes, return_inverse=True)
    first_failure = np.full(len(distinct), len(hashes))
    failed = np.flatnonzero(~passes)
    np.minimum.at(first_failure, which[failed], failed)
    return np.asarray(passes & (np.arange(len(hashes)) < first_failure[which]))


def first_of_each(hashes: HashArray, classes: IntArray) -> IntArray:
    """Rows that are the first with their antecedent and class, ascending."""
    spread = np.uint64(0x9E3779B97F4A7C15)
    _, first = np.unique(hashes + classes.astype(np.uint64) * spread, return_index=True)
    return np.sort(first)
