"""What the stages of one search share: its context, its budget, and the history of its trees."""

from functools import cached_property
from time import perf_counter
from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import PriorCombiner, ProbabilityEstimator
from rulekit.core.statistics import Limits, RuleOrder, deviations, pessimistic_error
from rulekit.core.training_data import TrainingData

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
        Memory for rules, candidates and work on them; what the index of the samples takes is not part of it.
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
        """Rows of the candidates to go on with, ascending: those that cover the most samples, of equals the first.

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


@attrs.frozen(eq=False, slots=False)
class SearchContext:
    """The training samples, the parts and the thresholds that stages share.

    Attributes
    ----------
    data : TrainingData
        The samples that the search sees.
    priors : PriorCombiner
        Fitted.
    search_estimator : ProbabilityEstimator
        The fitted estimator that guides the search.
    min_precision, min_coverage : float
        Strict lower limits of a rule's precision and of its share of the training samples.
    confidence : float
        Level of the pessimistic error estimate that decides which conditions can go.
    rule_order : {"support", "coverage", "precision"}
    budget : Budget
        What the search may spend.
    """

    data: TrainingData
    priors: PriorCombiner
    search_estimator: ProbabilityEstimator
    min_precision: float = 0.5
    min_coverage: float = 0.0
    confidence: float = 0.25
    rule_order: RuleOrder = "support"
    budget: Budget = attrs.field(factory=Budget)

    @property
    def index(self) -> TrainingIndex:
        """The samples as bits."""
        return self.data.index

    @cached_property
    def limits(self) -> Limits:
        """What a rule must exceed."""
        return Limits(self.index.n_samples, self.min_coverage, self.min_precision)

    @cached_property
    def deviations(self) -> float:
        """How many standard deviations the pessimistic error lies above the one that was seen."""
        return deviations(self.confidence)

    @cached_property
    def errors_of_classes(self) -> FloatArray:
        """Pessimistic errors of rules without conditions, one for each class that they predict; shape (n_classes,)."""
        wrong = 1.0 - self.index.class_counts / self.index.n_samples
        return pessimistic_error(self.index.n_samples, wrong, self.deviations)

    def qualifies(self, counts: IntArray, classes: IntArray) -> BoolArray:
        """Whether rules with these exact counts are precise and general enough; shape (n_rules,)."""
        return self.limits.exceeded_by(counts, classes)


@attrs.frozen
class SearchStep:
    """One tree's passage through the stages.

    Attributes
    ----------
    tree : int
        Position of the tree (of the round, in multiclass boosting), from 0.
    n_candidates, n_after_cover, n_after_simplify : int
        Rules after each stage. The first tree only passes through simplify: its candidates are its leaves.
    score : float
        Score, on the training samples, of the rules that this tree led to, with their default rule.
    accepted : bool
        Whether they took the place of the rules so far.
    seconds : dict of str to float
        Time of each stage by its name.
    n_left_out : int
        Candidates that `max_candidates` left out.
    cut : tuple of str
        Budgets that ended in this tree, by their parameters' names; "interrupt" for Ctrl-C. After "max_seconds",
        "max_memory" and "interrupt" the tree was not finished and no further one begun: this is the last step, without
        rules of its own and with the score of the best ones so far. There is such a step too, behind that of the last
        tree, if a budget ended the refine stage or "max_rules" shortened its list.
    """

    tree: int
    n_candidates: int
    n_after_cover: int
    n_after_simplify: int
    score: float
    accepted: bool
    seconds: dict[str, float]
    n_left_out: int = 0
    cut: tuple[str, ...] = ()

    @classmethod
    def cut_off(cls, tree: int, score: float, budget: str) -> Self:
        """The last step of a search that ended in the midst of a tree."""
        return cls(tree, 0, 0, 0, score, False, {}, cut=(budget,))
