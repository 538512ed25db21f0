"""What a search may spend, and what it had to leave out."""

from time import perf_counter

import attrs
import numpy as np

from rulekit.core.arrays import IntArray

# Pairs of rules that are judged at once, and words of bits that are counted at once: a fraction of a second of work.
PAIRS_AT_ONCE = 2**17
WORDS_AT_ONCE = 2**26
# Share of the memory for what is held; the rest is for work in blocks.
FOR_RULES = 0.75


class BudgetSpent(Exception):
    """A budget has ended in the midst of a tree: the search returns the best rules so far.

    Attributes
    ----------
    budget : str
        Its name: "max_seconds" or "max_memory".
    """

    def __init__(self, budget: str) -> None:
        super().__init__(budget)
        self.budget = budget


@attrs.define(eq=False)
class Budget:
    """The limits of one search. None of them binds before the first tree has passed, so that there are always rules.

    Stages that take long call `check_time` between blocks of their work, and `check_memory` before they make something
    large; both raise `BudgetSpent`, which is not theirs to catch.

    Attributes
    ----------
    max_seconds : float or None
        From the moment that this object is made.
    max_candidates : int or None
        Pairs of rules that are tried for one tree.
    max_rules : int or None
        Rules besides the default.
    max_bytes : int or None
        Memory for rules, candidates and work on them; what the index of the records takes is not part of it.
    held_bytes : int
        What the rules so far and those of the present tree take of it already.
    n_left_out : int
        Candidates that `max_candidates` has left out of the present tree.
    cuts : list of str
        Budgets that have cut something from the present tree.
    """

    max_seconds: float | None = None
    max_candidates: int | None = None
    max_rules: int | None = None
    max_bytes: int | None = None
    held_bytes: int = attrs.field(default=0, init=False)
    n_left_out: int = attrs.field(default=0, init=False)
    cuts: list[str] = attrs.field(factory=list, init=False)
    _started: float = attrs.field(factory=lambda: perf_counter(), init=False)
    _binds: bool = attrs.field(default=False, init=False)

    def begin_tree(self, tree: int) -> None:
        """Forget what was cut from the tree before; from the second tree on, the limits bind."""
        self._binds = tree > 0
        self.n_left_out = 0
        self.cuts = []
        self.check_time()

    def check_time(self) -> None:
        """Raise `BudgetSpent` if the time is over."""
        if self._binds and self.max_seconds is not None and perf_counter() - self._started >= self.max_seconds:
            raise BudgetSpent("max_seconds")

    def check_memory(self, n_bytes: float) -> None:
        """Raise `BudgetSpent` if work that takes so many bytes does not fit beside what is held already."""
        if self._binds and self.max_bytes is not None and self.held_bytes + n_bytes > FOR_RULES * self.max_bytes:
            raise BudgetSpent("max_memory")

    def largest_block(self, default: int, bytes_each: int) -> int:
        """How many things of so many bytes to work on at once: `default`, or what an eighth of the memory holds."""
        if self.max_bytes is None:
            return default
        return max(1, min(default, self.max_bytes // (8 * max(1, bytes_each))))

    def most_general(self, covered: IntArray) -> IntArray:
        """Rows of the candidates to go on with, ascending: those that cover the most records, of equals the first.

        Parameters
        ----------
        covered : ndarray of shape (n_candidates,)
        """
        rows = np.arange(len(covered))
        if self.max_candidates is None or not self._binds or len(covered) <= self.max_candidates:
            return rows
        self.n_left_out += len(covered) - self.max_candidates
        self.note("max_candidates")
        return np.sort(np.argsort(-covered, kind="stable")[: self.max_candidates])

    def first_rules(self, n_rules: int) -> IntArray:
        """Rows of the rules to keep, from the first on; unlike other limits, it binds for the first tree too."""
        if self.max_rules is None or n_rules <= self.max_rules:
            return np.arange(n_rules)
        self.note("max_rules")
        return np.arange(self.max_rules)

    def note(self, budget: str) -> None:
        """Remember that a budget has cut something from the present tree."""
        if budget not in self.cuts:
            self.cuts.append(budget)
