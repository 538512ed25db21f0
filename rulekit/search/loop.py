"""The loop over the trees: combine, cover, simplify, keep if better."""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Protocol

import attrs
import numpy as np

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
class Search:
    """The stages of one search; a stage that is None is left out.

    Without combine, the rules of the next tree join the rules so far as they are.
    """

    combine: CombineStage | None
    cover: CoverStage | None
    simplify: SimplifyStage | None
    context: SearchContext
    observer: SearchObserver

    def run(self, trees: Iterable[Rules]) -> tuple[Rules, list[SearchStep]]:
        """The best rules, in order, and what happened to each tree."""
        for stage in (self.combine, self.cover, self.simplify):
            if stage is not None:
                stage.begin(self.context)
        best: Rules | None = None
        best_score = -1.0
        history: list[SearchStep] = []
        for tree, tree_rules in enumerate(trees):
            rules, step = self._pass(tree, best, tree_rules)
            # The first ruleset is kept even if nothing is left of it: the default rule then stands alone.
            accepted = best is None or (len(rules) > 0 and step.score > best_score)
            if accepted:
                best, best_score = rules, step.score
            history.append(attrs.evolve(step, accepted=accepted))
            self.observer.after_tree(history[-1])
            if best_score == 1.0:
                break
        assert best is not None, "a forest has at least one tree"
        # A rule without conditions, the leaf of a tree that never splits, says no more than the default rule.
        return best.take(np.flatnonzero((best.conditions != self.context.index.pad).any(axis=1))), history

    def _pass(self, tree: int, best: Rules | None, tree_rules: Rules) -> tuple[Rules, SearchStep]:
        """Send one tree through the stages; the first has nothing to be combined with."""
        seconds: dict[str, float] = {}

        def timed(stage: str, work: Callable[..., Rules], *inputs: Rules) -> Rules:
            start = perf_counter()
            rules = work(*inputs, self.context)
            seconds[stage] = perf_counter() - start
            self.observer.after_stage(stage, tree, rules, seconds[stage])
            return rules

        candidates = chosen = tree_rules
        if best is not None:
            candidates = chosen = self._combined(best, tree_rules, timed)
            if self.cover is not None:
                chosen = timed("cover", self.cover.cover, candidates)
        rules = chosen if self.simplify is None else timed("simplify", self.simplify.simplify, chosen)
        score = macro_f1(rules, self.context.index)
        return rules, SearchStep(tree, len(candidates), len(chosen), len(rules), score, False, seconds)

    def _combined(self, best: Rules, tree_rules: Rules, timed: Callable[..., Rules]) -> Rules:
        if self.combine is not None:
            return timed("combine", self.combine.combine, best, tree_rules)
        together = concatenate([best, tree_rules], self.context.index.pad)
        return attrs.evolve(together, groups=np.zeros(len(together), dtype=np.int64))
