"""What all stages of one search use: its context, its budget, and the history of its trees."""

from collections.abc import Mapping
from functools import cached_property
from time import perf_counter
from typing import Any, Self

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, CountArray, FloatArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import PriorCombiner, ProbabilityEstimator
from rulekit.core.statistics import Limits, RuleOrder, deviations, pessimistic_error
from rulekit.core.training_data import TrainingData

# Pairs of rules evaluated at once, and words of bits counted at once: a fraction of a second of work.
PAIRS_AT_ONCE = 2**17
WORDS_AT_ONCE = 2**26
# Fraction of the memory for rules that are kept; the rest is for work in blocks.
FOR_RULES = 0.75


class BudgetSpent(Exception):
    """A budget was used up in the middle of a tree: the search returns the best rules so far.

    Attributes
    ----------
    budget : str
        The parameter's name: "max_seconds" or "max_memory".
    """

    def __init__(self, budget: str) -> None:
        super().__init__(budget)
        self.budget = budget


@attrs.define(eq=False)
class Budget:
    """The limits of one search. They apply from the second tree on, to ensure that there are always rules.

    Long-running stages call `check_time` between blocks of their work, and `check_memory` before large allocations.
    Both raise `BudgetSpent`, which stages must not catch.

    Attributes
    ----------
    max_seconds : float or None
        Measured from the creation of this object, and `other_seconds` beside it.
    max_candidates : int or None
        Most pairs of rules to try for one tree.
    max_rules : int or None
        Most rules besides the default rule. Unlike the other limits, it applies to the first tree too.
    max_bytes : int or None
        Memory for rules, candidates and work on them, without the index of the samples.
    other_seconds : float
        Time outside of the search that counts: for reading and indexing before it, and for finishing the model after
        it.
    held_bytes : int
        Memory that the rules so far and those of the current tree already take.
    n_left_out : int
        Candidates of the current tree that `max_candidates` has left out.
    truncated_by : list of str
        Budgets that have truncated the current tree, by their parameters' names.
    """

    max_seconds: float | None = None
    max_candidates: int | None = None
    max_rules: int | None = None
    max_bytes: int | None = None
    other_seconds: float = 0.0
    held_bytes: int = attrs.field(default=0, init=False)
    n_left_out: int = attrs.field(default=0, init=False)
    truncated_by: list[str] = attrs.field(factory=list, init=False)
    _started: float = attrs.field(factory=lambda: perf_counter(), init=False)
    _applies: bool = attrs.field(default=False, init=False)

    def begin_tree(self, tree: int) -> None:
        """Start counting anew for a tree; from the second tree on, the limits apply."""
        self._applies = tree > 0
        self.n_left_out = 0
        self.truncated_by = []
        self.check_time()

    def check_time(self) -> None:
        """Raise `BudgetSpent` if the time is up."""
        if not self._applies or self.max_seconds is None:
            return
        if perf_counter() - self._started + self.other_seconds >= self.max_seconds:
            raise BudgetSpent("max_seconds")

    def check_memory(self, n_bytes: float) -> None:
        """Raise `BudgetSpent` if `n_bytes` more do not fit beside the memory that is already taken."""
        if self._applies and self.max_bytes is not None and self.held_bytes + n_bytes > FOR_RULES * self.max_bytes:
            raise BudgetSpent("max_memory")

    def largest_block(self, default: int, bytes_each: int) -> int:
        """How many items of `bytes_each` to work on at once: `default`, or as many as an eighth of the memory holds."""
        if self.max_bytes is None:
            return default
        return max(1, min(default, self.max_bytes // (8 * max(1, bytes_each))))

    def most_general(self, covered: IntArray) -> IntArray:
        """Rows of the candidates to keep, ascending: those that cover the most samples, the first ones if they tie.

        Parameters
        ----------
        covered : ndarray of shape (n_candidates,)
            Number of samples that each candidate covers.
        """
        rows = np.arange(len(covered))
        if self.max_candidates is None or not self._applies or len(covered) <= self.max_candidates:
            return rows
        self.n_left_out += len(covered) - self.max_candidates
        self.note("max_candidates")
        return np.sort(np.argsort(-covered, kind="stable")[: self.max_candidates])

    def first_rules(self, n_rules: int) -> IntArray:
        """Rows of the rules to keep: the first `max_rules`, of the first tree too."""
        if self.max_rules is None or n_rules <= self.max_rules:
            return np.arange(n_rules)
        self.note("max_rules")
        return np.arange(self.max_rules)

    def note(self, budget: str) -> None:
        """Remember that a budget has truncated the current tree."""
        if budget not in self.truncated_by:
            self.truncated_by.append(budget)


@attrs.frozen(eq=False, slots=False)
class SearchContext:
    """The training samples, components and thresholds that all stages of a search use.

    Attributes
    ----------
    data : TrainingData
        The samples that the search sees.
    priors : PriorCombiner
        Fitted.
    search_estimator : ProbabilityEstimator
        The fitted estimator that guides the search.
    min_precision, min_coverage : float
        Strict lower limits of a rule's precision and of its coverage, a fraction of the training samples, by weight.
    confidence : float
        Level of the pessimistic error estimate that decides which conditions can go.
    rule_order : {"support", "coverage", "precision"}
    budget : Budget
        What the search may spend.
    max_conditions : int or None
        Most conditions of a rule, counted as in a ruleset: `16.5 < age <= 50` is two.
    min_class_coverage : float or None
        Strict lower limit of the fraction of the training samples of its class that a rule covers, by weight.
    """

    data: TrainingData
    priors: PriorCombiner
    search_estimator: ProbabilityEstimator
    min_precision: float = 0.5
    min_coverage: float = 0.0
    confidence: float = 0.25
    rule_order: RuleOrder = "support"
    budget: Budget = attrs.field(factory=Budget)
    max_conditions: int | None = None
    min_class_coverage: float | None = None

    @property
    def index(self) -> TrainingIndex:
        """The samples as bits."""
        return self.data.index

    @cached_property
    def limits(self) -> Limits:
        """What a rule must exceed."""
        limits = Limits(self.index.total, self.min_coverage, self.min_precision)
        if self.min_class_coverage is None:
            return limits
        return limits._replace(min_class_coverage=self.min_class_coverage, class_counts=self.index.class_counts)

    @cached_property
    def deviations(self) -> float:
        """How many standard deviations the pessimistic error lies above the observed one."""
        return deviations(self.confidence)

    @cached_property
    def errors_of_classes(self) -> FloatArray:
        """Pessimistic errors of rules without conditions, one for each class that they predict; shape (n_classes,)."""
        wrong = 1.0 - self.index.class_counts / self.index.total
        return pessimistic_error(self.index.total, wrong, self.deviations)

    def qualifies(self, counts: CountArray, classes: IntArray) -> BoolArray:
        """Whether rules with these exact counts are precise and general enough; shape (n_rules,)."""
        return self.limits.exceeded_by(counts, classes)


@attrs.frozen
class SearchStep:
    """What one tree contributed to the search, or what the refine stage did after the last tree.

    Attributes
    ----------
    tree : int
        Position of the tree (of the round, in multiclass boosting), from 0.
    n_candidates, n_after_cover, n_after_simplify : int
        Rules after each stage. The first tree only passes through simplify: its candidates are its leaves. For the
        refine stage: the rules of its pool, those that the loop found, and those that it returned.
    score : float
        Score, on the training samples, of the rules that this tree led to, with their default rule.
    accepted : bool
        Whether they replaced the rules so far.
    seconds : dict of str to float
        Time of each stage by its name.
    n_left_out : int
        Candidates that `max_candidates` left out.
    truncated_by : tuple of str
        Budgets that truncated this tree, by their parameters' names; "interrupt" for Ctrl-C. "max_seconds",
        "max_memory" and "interrupt" end the search in the middle of a tree: this is then the last step, without rules
        of its own and with the score of the best rules so far. Such a step also follows that of the last tree if a
        budget ended the refine stage.
    report : mapping of str to object
        What else the refine stage tells; empty for a tree.
    """

    tree: int
    n_candidates: int
    n_after_cover: int
    n_after_simplify: int
    score: float
    accepted: bool
    seconds: dict[str, float]
    n_left_out: int = 0
    truncated_by: tuple[str, ...] = ()
    report: Mapping[str, Any] = attrs.field(factory=dict)

    @property
    def is_refinement(self) -> bool:
        """Whether this is the step of the refine stage, not of a tree."""
        return "refine" in self.seconds

    @classmethod
    def ended_by(cls, tree: int, score: float, budget: str) -> Self:
        """The last step of a search that a budget ended in the middle of a tree."""
        return cls(tree, 0, 0, 0, score, False, {}, truncated_by=(budget,))
