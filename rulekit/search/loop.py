"""The loop over the trees: combine, cover, simplify, keep if the score is better; then refine."""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Protocol

import attrs
import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.context import BudgetSpent, SearchContext, SearchStep
from rulekit.core.honest import HonestSamples
from rulekit.core.interfaces import CombineStage, CoverStage, RefineStage, Score, SimplifyStage
from rulekit.core.rules import Refined, Rules, concatenate
from rulekit.core.tree_rules import RoundRules
from rulekit.search.simplify import bounded


class SearchObserver(Protocol):
    """Receives notifications about the progress of a search."""

    def after_stage(self, stage: str, tree: int, rules: Rules, seconds: float) -> None:
        """Called after a stage has finished with a tree."""

    def after_tree(self, step: SearchStep) -> None:
        """Called after a tree has passed through all stages."""


@attrs.frozen(eq=False)
class Found:
    """The state of a search: replaced as a whole after each tree, so an interrupt never leaves half of it.

    Attributes
    ----------
    best : Rules or None
        The rules so far, in order; None before the first tree.
    score : float
    history : tuple of SearchStep
        What happened to each tree.
    pool : tuple of Rules
        Every ruleset that left the stages, if there is a refine stage to use them.
    path : tuple of Rules
        Lists of other lengths that the refine stage found.
    honest : HonestSamples or None
        Honest probabilities that the refine stage made.
    """

    best: Rules | None = None
    score: float = -np.inf
    history: tuple[SearchStep, ...] = ()
    pool: tuple[Rules, ...] = ()
    path: tuple[Rules, ...] = ()
    honest: HonestSamples | None = None

    @property
    def rules(self) -> Rules:
        """The best rules; available after the first tree."""
        assert self.best is not None, "a forest has at least one tree, and no budget applies before the second"
        return self.best

    def after(self, rules: Rules, step: SearchStep, *, keeps_pool: bool) -> "Found":
        """The state after one more tree: its rules are accepted if they are better."""
        pool = (*self.pool, rules) if keeps_pool else ()
        # The first ruleset is kept even if it is empty: only the default rule is then left.
        accepted = self.best is None or (len(rules) > 0 and step.score > self.score)
        history = (*self.history, attrs.evolve(step, accepted=accepted))
        return Found(rules, step.score, history, pool) if accepted else attrs.evolve(self, history=history, pool=pool)

    def ended_by(self, budget: str) -> "Found":
        """The state with a last step that names the budget which ended the search."""
        return attrs.evolve(self, history=(*self.history, SearchStep.ended_by(len(self.history), self.score, budget)))


@attrs.frozen(eq=False)
class Loop:
    """What a loop over the trees found, for several refine stages to start from.

    Attributes
    ----------
    context : SearchContext
    found : Found
    keeps_pool : bool
        Whether the loop was for a refine stage: it then keeps the pool, and leaves `max_rules` to that stage.
    is_perfect : bool
        Whether it found rules that no others can beat.
    has_warned : bool
        Whether it warned of too many rules.
    """

    context: SearchContext
    found: Found
    keeps_pool: bool
    is_perfect: bool
    has_warned: bool

    def serves(self, refine: RefineStage | None) -> bool:
        """Whether a loop for this refine stage, or for none, would have found exactly the same.

        A loop for a refine stage sends every tree through the stages; one for none stops at perfect rules, and applies
        `max_rules` itself.
        """
        if self.keeps_pool == (refine is not None):
            return True
        return self.keeps_pool and self.context.budget.max_rules is None and not self.is_perfect


@attrs.frozen(eq=False)
class Search:
    """The stages of one search; a stage that is None is left out.

    Without combine, the rules of the next tree join the rules so far as they are. An interrupt is raised, unless
    `keeps_best_if_interrupted` is True and there are rules already: it then ends the search as a budget does.

    Attributes
    ----------
    combine, cover, simplify : stage or None
    refine : RefineStage or None
    score : Score
    context : SearchContext
    observer : SearchObserver
    keeps_best_if_interrupted : bool
    """

    combine: CombineStage | None
    cover: CoverStage | None
    simplify: SimplifyStage | None
    refine: RefineStage | None
    score: Score
    context: SearchContext
    observer: SearchObserver
    keeps_best_if_interrupted: bool = False

    def run(self, rounds: Iterable[RoundRules]) -> Found:
        """Send each round of trees through the stages, and keep the best rules."""
        for stage in (self.combine, self.cover, self.simplify, self.refine):
            if stage is not None:
                stage.begin(self.context)
        found = Found()
        try:
            for tree, of_round in enumerate(rounds):
                self.context.budget.begin_tree(tree)
                is_perfect = found.score >= self.score.best
                # Nothing can beat perfect rules: the trees after them only add their own rules to the pool.
                rules, step = self._pass(tree, None if is_perfect else found.best, of_round)
                found = found.after(rules, step, keeps_pool=self.refine is not None)
                self.observer.after_tree(found.history[-1])
                if self.refine is None and found.score >= self.score.best:
                    break
        except BudgetSpent as spent:
            found = self._ended(found, spent.budget)
        except KeyboardInterrupt:
            if not self.keeps_best_if_interrupted or found.best is None:
                raise
            found = self._ended(found, "interrupt")
        return attrs.evolve(found, best=self._with_conditions(found.rules))

    def resumed(self, found: Found) -> Found:
        """The rules of the same loop in another search after the refine stage of this one."""
        if self.refine is None:
            return attrs.evolve(found, pool=())
        self.refine.begin(self.context)
        return self.refined(found)

    def refined(self, found: Found) -> Found:
        """The rules of the loop after the refine stage.

        They are unchanged if there is none. If a budget ends it, those that answer some sample stay: a list that was to
        be refined has no dead rules.
        """
        if self.refine is None:
            return found
        start = perf_counter()
        try:
            refined = Refined.of(self.refine.refine(found.rules, found.pool, self.context))
        except BudgetSpent as spent:
            return self._ended(self._unrefined(found), spent.budget)
        except KeyboardInterrupt:
            if not self.keeps_best_if_interrupted:
                raise
            return self._ended(self._unrefined(found), "interrupt")
        seconds = perf_counter() - start
        rows = self.context.budget.first_rules(len(refined.rules))
        kept = self._with_conditions(bounded(only(refined.rules, rows), self.context))
        self.observer.after_stage("refine", len(found.history) - 1, kept, seconds)
        step = SearchStep(
            len(found.history),
            sum(len(rules) for rules in found.pool),
            len(found.rules),
            len(kept),
            self.score.score(kept, self.context),
            True,
            {"refine": seconds},
            truncated_by=("max_rules",) if len(rows) < len(refined.rules) else (),
            report=dict(refined.report),
        )
        self.observer.after_tree(step)
        path = tuple(bounded(rules, self.context) for rules in refined.path)
        return Found(kept, step.score, (*found.history, step), found.pool, path, refined.honest)

    def _unrefined(self, found: Found) -> Found:
        """The first `max_rules` rules of the loop that answer some sample; it left both to the refine stage."""
        alive = found.rules.answering(self.context.index)
        return attrs.evolve(found, best=only(alive, self.context.budget.first_rules(len(alive))))

    def _with_conditions(self, rules: Rules) -> Rules:
        """Drop rules without conditions, leaves of trees that never split: they add nothing to the default rule."""
        return rules.take(np.flatnonzero((rules.conditions != self.context.index.pad).any(axis=1)))

    def _ended(self, found: Found, budget: str) -> Found:
        found = found.ended_by(budget)
        self.observer.after_tree(found.history[-1])
        return found

    def _pass(self, tree: int, best: Rules | None, of_round: RoundRules) -> tuple[Rules, SearchStep]:
        """Send one tree through the stages; the first one has no rules to be combined with."""
        seconds: dict[str, float] = {}
        budget = self.context.budget

        def timed(stage: str, work: Callable[..., Rules], *inputs: Rules) -> Rules:
            budget.check_time()
            start = perf_counter()
            rules = work(*inputs, self.context)
            seconds[stage] = perf_counter() - start
            self.observer.after_stage(stage, tree, rules, seconds[stage])
            return rules

        # Without cover, simplify may make a general rule of a leaf with few samples.
        needs_all = best is None or self.cover is None or not self.cover.obeys_coverage
        tree_rules = of_round.all() if needs_all else of_round.large()
        candidates = chosen = tree_rules
        if best is not None:
            budget.held_bytes = (len(best) + len(tree_rules)) * self.context.index.n_words * 8
            candidates = self._combined(best, tree_rules, timed)
            candidates = chosen = only(candidates, budget.most_general(candidates.covered))
            budget.check_memory(self.context.index.engine.bytes_to_choose(candidates.groups))
            if self.cover is not None:
                chosen = timed("cover", self.cover.cover, candidates)
        rules = chosen if self.simplify is None else timed("simplify", self.simplify.simplify, chosen)
        rules = bounded(rules, self.context)
        if self.refine is None:
            rules = only(rules, budget.first_rules(len(rules)))
        sizes = (len(candidates), len(chosen), len(rules))
        budget.check_time()
        score = self.score.score(rules, self.context)
        return rules, SearchStep(tree, *sizes, score, False, seconds, budget.n_left_out, tuple(budget.truncated_by))

    def _combined(self, best: Rules, tree_rules: Rules, timed: Callable[..., Rules]) -> Rules:
        if self.combine is not None:
            return timed("combine", self.combine.combine, best, tree_rules)
        together = concatenate([best, tree_rules], self.context.index.pad)
        return attrs.evolve(together, groups=np.zeros(len(together), dtype=np.int64))


def only(rules: Rules, rows: IntArray) -> Rules:
    """The rules in these rows, which ascend; no copy is made if these are all rows."""
    return rules if len(rows) == len(rules) else rules.take(rows)
