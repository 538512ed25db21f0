"""The loop over the trees: combine, cover, simplify, keep if better."""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Protocol

import attrs
import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.budget import BudgetSpent
from rulekit.core.context import SearchContext
from rulekit.core.history import SearchStep
from rulekit.core.interfaces import CombineStage, CoverStage, SimplifyStage
from rulekit.core.rules import Rules, concatenate
from rulekit.search.sequence import macro_f1


class SearchObserver(Protocol):
    """Who is told how the search goes."""

    def after_stage(self, stage: str, tree: int, rules: Rules, seconds: float) -> None:
        """Tell that a stage has finished with a tree."""

    def after_tree(self, step: SearchStep) -> None:
        """Tell that a tree has passed all stages."""


@attrs.frozen(eq=False)
class Found:
    """What a search has come to: replaced as a whole after each tree, so that an interrupt never meets half of it."""

    best: Rules | None = None
    score: float = -1.0
    history: tuple[SearchStep, ...] = ()

    def after(self, rules: Rules, step: SearchStep) -> "Found":
        """With one more tree: its rules are accepted if they are better."""
        # The first ruleset is kept even if nothing is left of it: the default rule then stands alone.
        accepted = self.best is None or (len(rules) > 0 and step.score > self.score)
        history = (*self.history, attrs.evolve(step, accepted=accepted))
        return Found(rules, step.score, history) if accepted else attrs.evolve(self, history=history)

    def cut_off(self, budget: str) -> "Found":
        """With a step that says which budget ended the search."""
        return attrs.evolve(self, history=(*self.history, SearchStep.cut_off(len(self.history), self.score, budget)))


@attrs.frozen(eq=False)
class Search:
    """The stages of one search; a stage that is None is left out.

    Without combine, the rules of the next tree join the rules so far as they are. An interrupt passes through, unless
    `keeps_best_if_interrupted` and there are rules already: it then ends the search as a budget does.
    """

    combine: CombineStage | None
    cover: CoverStage | None
    simplify: SimplifyStage | None
    context: SearchContext
    observer: SearchObserver
    keeps_best_if_interrupted: bool = False

    def run(self, trees: Iterable[Rules]) -> tuple[Rules, list[SearchStep]]:
        """The best rules, in order, and what happened to each tree."""
        for stage in (self.combine, self.cover, self.simplify):
            if stage is not None:
                stage.begin(self.context)
        found = Found()
        try:
            for tree, tree_rules in enumerate(trees):
                self.context.budget.begin_tree(tree)
                found = found.after(*self._pass(tree, found.best, tree_rules))
                self.observer.after_tree(found.history[-1])
                if found.score == 1.0:
                    break
        except BudgetSpent as spent:
            found = self._ended(found, spent.budget)
        except KeyboardInterrupt:
            if not self.keeps_best_if_interrupted or found.best is None:
                raise
            found = self._ended(found, "interrupt")
        assert found.best is not None, "a forest has at least one tree, and no budget binds before it has passed"
        # A rule without conditions, the leaf of a tree that never splits, says no more than the default rule.
        has_conditions = (found.best.conditions != self.context.index.pad).any(axis=1)
        return found.best.take(np.flatnonzero(has_conditions)), list(found.history)

    def _ended(self, found: Found, budget: str) -> Found:
        found = found.cut_off(budget)
        self.observer.after_tree(found.history[-1])
        return found

    def _pass(self, tree: int, best: Rules | None, tree_rules: Rules) -> tuple[Rules, SearchStep]:
        """Send one tree through the stages; the first has nothing to be combined with."""
        seconds: dict[str, float] = {}
        budget = self.context.budget

        def timed(stage: str, work: Callable[..., Rules], *inputs: Rules) -> Rules:
            budget.check_time()
            start = perf_counter()
            rules = work(*inputs, self.context)
            seconds[stage] = perf_counter() - start
            self.observer.after_stage(stage, tree, rules, seconds[stage])
            return rules

        candidates = chosen = tree_rules
        if best is not None:
            budget.held_bytes = (len(best) + len(tree_rules)) * self.context.index.n_words * 8
            candidates = self._combined(best, tree_rules, timed)
            candidates = chosen = only(candidates, budget.most_general(candidates.covered))
            budget.check_memory(self.context.index.engine.bytes_to_choose(candidates.groups))
            if self.cover is not None:
                chosen = timed("cover", self.cover.cover, candidates)
        rules = chosen if self.simplify is None else timed("simplify", self.simplify.simplify, chosen)
        rules = only(rules, budget.first_rules(len(rules)))
        sizes = (len(candidates), len(chosen), len(rules))
        score = macro_f1(rules, self.context.index)
        return rules, SearchStep(tree, *sizes, score, False, seconds, budget.n_left_out, tuple(budget.cuts))

    def _combined(self, best: Rules, tree_rules: Rules, timed: Callable[..., Rules]) -> Rules:
        if self.combine is not None:
            return timed("combine", self.combine.combine, best, tree_rules)
        together = concatenate([best, tree_rules], self.context.index.pad)
        return attrs.evolve(together, groups=np.zeros(len(together), dtype=np.int64))


def only(rules: Rules, rows: IntArray) -> Rules:
    """These rows, which ascend; without a copy if they are all."""
    return rules if len(rows) == len(rules) else rules.take(rows)
