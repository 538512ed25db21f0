"""Grow a new list for few samples, from what the ensemble honestly predicts for real and virtual samples."""

from collections.abc import Sequence
from typing import ClassVar

import attrs
import numpy as np

from rulekit.core.checks import check_choice, check_number, check_whole_number
from rulekit.core.context import SearchContext
from rulekit.core.honest import HonestSamples, NoHonestProbabilities, honest_ensemble
from rulekit.core.interfaces import RefineStage
from rulekit.core.rules import Refined, Rules
from rulekit.search.pool import Pool
from rulekit.search.soft_list import Overlap, SoftList, SoftPool
from rulekit.search.soft_objective import SoftObjective, masses

# Rules that cover fewer training samples are no candidates.
LEAST_COVERED = 2
SOURCES = ("auto", "out-of-bag", "cross-fit", "none")


class Soft(RefineStage):
    """A new list for few training samples, grown from honest predictions of the ensemble besides the labels.

    A prediction is honest if the model that makes it did not see the label: the trees of a forest for which a sample is
    out of bag, or copies of the ensemble that are each fitted without one of `n_folds` folds. Each training sample gets
    `n_virtual` virtual samples, mixtures of it and of one of its nearest, with such predictions as their labels. The
    list starts empty. Rules of all trees that cover two training samples or more are inserted, at any position, while
    the likelihood of labels and predictions together grows. Where there are no honest predictions, the list of the loop
    is kept without the rules that answer no training sample, and `history_` says why.

    Parameters
    ----------
    n_virtual : int, default=4
        Virtual samples of each training sample.
    honest : {"auto", "out-of-bag", "cross-fit", "none"}, default="auto"
        Where honest predictions come from: "auto" means out of bag where that is known, which costs nothing, and
        otherwise cross-fitting; "none" keeps the list.
    n_folds : int, default=5
        Folds of cross-fitting: the ensemble is fitted once more for each.
    honest_weight : float, default=2.0
        Weight of the honest predictions against the labels in the search.
    prior_strength : float, default=2.0
        Number of samples that the class fractions count as in the probabilities of a rule.
    smoothing : float, default=0.5
        Number of samples of each class that are added besides.
    max_pool : int or None, default=2000
        Most candidates, the first ones that the loop produced.
    max_rules : int or None, default=30
        Most rules, and no more than the loop has found; the extractor's `max_rules` takes the place of both.
    """

    supports_weights: ClassVar[bool] = True

    def __init__(
        self,
        n_virtual: int = 4,
        honest: str = "auto",
        n_folds: int = 5,
        honest_weight: float = 2.0,
        prior_strength: float = 2.0,
        smoothing: float = 0.5,
        max_pool: int | None = 2000,
        max_rules: int | None = 30,
    ) -> None:
        self.n_virtual = n_virtual
        self.honest = honest
        self.n_folds = n_folds
        self.honest_weight = honest_weight
        self.prior_strength = prior_strength
        self.smoothing = smoothing
        self.max_pool = max_pool
        self.max_rules = max_rules

    def begin(self, context: SearchContext) -> None:
        """Check the parameters."""
        check_choice(self, "honest", SOURCES)
        check_number(self, "honest_weight", 0)
        check_number(self, "prior_strength", 0)
        check_number(self, "smoothing", 0, above=True)
        check_whole_number(self, "n_virtual", 0, or_none=False)
        check_whole_number(self, "n_folds", 2, or_none=False)
        check_whole_number(self, "max_pool", 1)
        check_whole_number(self, "max_rules", 1)

    def refine(self, rules: Rules, pool: Sequence[Rules], context: SearchContext) -> Refined:
        """The list that was grown, or that of the loop where nothing is known honestly."""
        if self.honest == "none":
            return without_dead(rules, context, "honest='none'")
        data, budget = context.data, context.budget
        try:
            ensemble = honest_ensemble(data, self.honest, self.n_folds, budget.check_time)
        except NoHonestProbabilities as reason:
            return without_dead(rules, context, str(reason))
        honest = HonestSamples.of(data, ensemble, self.n_virtual)
        candidates = self._candidates(pool, rules, context)
        most = self._most_rules(rules, context)
        path = grown(SoftList(self._soft_pool(candidates, honest, most, context)), most)
        found = path[-1]
        report = {
            "stage": "soft",
            "n_pool": len(candidates),
            "n_trees": len(set(candidates.trees[list(found.rows)].tolist())),
            "honest": honest.source,
            "temperature": honest.temperature,
            "n_virtual": honest.n_virtual,
            "gain": found.value - path[0].value,
        }
        lists = {len(each): rules_of(each, candidates.rules) for each in path[1:] if len(each) <= len(found)}
        return Refined(rules_of(found, candidates.rules), tuple(lists.values()), honest, report)

    def _most_rules(self, rules: Rules, context: SearchContext) -> int:
        if context.budget.max_rules is not None:
            return context.budget.max_rules
        return len(rules) if self.max_rules is None else min(self.max_rules, len(rules))

    def _candidates(self, pool: Sequence[Rules], rules: Rules, context: SearchContext) -> Pool:
        """The rules of all trees that cover two samples or more, each set of samples once."""
        everything, _ = Pool.of(pool, rules, context)
        return everything.take(np.flatnonzero(everything.rules.covered >= LEAST_COVERED)[: self.max_pool])

    def _soft_pool(self, candidates: Pool, honest: HonestSamples, most: int, context: SearchContext) -> SoftPool:
        """The candidates with the samples that show what a list of them is worth."""
        data = context.data
        # The overlap of all candidates with a list of the most rules exists twice while it grows.
        n_numbers = 2 * data.n_classes * (honest.data.n_samples + 2 * len(candidates) * (most + 1))
        context.budget.check_memory(8 * n_numbers)
        priors = self.prior_strength * data.class_counts / data.total + self.smoothing
        return SoftPool(
            honest.data,
            candidates.rules.conditions,
            masses(data, honest, self.n_virtual),
            SoftObjective(priors, self.honest_weight, data.index.class_factors, data.index.engine.blocks.unit),
            context.budget,
        )


def grown(start: SoftList, most: int) -> list[SoftList]:
    """The lists from the first to the last that greedy insertion passes through, each better than the one before."""
    path, overlap = [start], Overlap.of(start)
    while len(path[-1]) < most:
        edit = overlap.best_insertion()
        longer = path[-1] if edit is None or edit.gain <= 0 else path[-1].inserted(edit)
        # Without a rule that answers nothing any more, a list may be worth less.
        if longer.value <= path[-1].value:
            break
        path.append(longer)
        overlap = overlap.after(longer)
    return path


def rules_of(found: SoftList, candidates: Rules) -> Rules:
    """The list as rules that predict the most frequent class of the samples that they answer."""
    rules = candidates.take(np.array(found.rows, dtype=np.int64))
    classes = found.labels[:-1].argmax(axis=1)
    return attrs.evolve(rules, classes=classes, groups=np.zeros(len(rules), dtype=np.int64))


def without_dead(rules: Rules, context: SearchContext, reason: str) -> Refined:
    """The list of the loop without the rules that answer no training sample, and the reason for no more."""
    alive = rules.answering(context.index)
    return Refined(alive, report={"stage": "kept", "n_dead": len(rules) - len(alive), "reason": reason})
