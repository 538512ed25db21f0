"""Running stages: what each was given in a search, and what it returned."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import attrs
import numpy as np

from rulekit.core.context import SearchContext
from rulekit.core.engine.interface import Pairs
from rulekit.core.interfaces import (
    CombineStage,
    CoverStage,
    PriorCombiner,
    ProbabilityEstimator,
    RefineStage,
    SimplifyStage,
)
from rulekit.core.rules import Refined, Rules, concatenate
from rulekit.inference.decision_list import DecisionList
from rulekit.priors.product import Product
from rulekit.priors.weighted_mean import WeightedMean
from rulekit.probability.empirical import Empirical
from rulekit.probability.naive_bayes import NaiveBayes
from rulekit.ruleset import RuleSet
from rulekit.search.combine import Combine
from rulekit.testing.world import World, locked

#: Components of the searches: one with a search estimator that reads no samples, one with an estimator that does.
PARTS: tuple[Callable[[], tuple[PriorCombiner, ProbabilityEstimator]], ...] = (
    lambda: (Product(), NaiveBayes()),
    lambda: (WeightedMean(), Empirical()),
)


@attrs.frozen(eq=False)
class Run:
    """One call of a stage.

    Attributes
    ----------
    name : str
        Its name in messages.
    method : str
        "combine", "cover", "simplify" or "refine".
    given : tuple of Rules
        A refine stage gets the list, then a sequence of rulesets: its pool.
    context : SearchContext
    returned : Rules or Refined
        What the stage returned; only a refine stage may return a `Refined`.
    """

    name: str
    method: str
    given: tuple[Any, ...]
    context: SearchContext
    returned: Rules | Refined

    @property
    def refined(self) -> Refined:
        """What a refine stage returned; with nothing but rules, if it returned these alone."""
        return Refined.of(self.returned)

    @property
    def result(self) -> Rules:
        """The rules that the stage returned."""
        return self.refined.rules

    def again_with(self, stage: Any, *given: Any) -> "Run":
        """The same call with other rules, of a stage that begins its search with it."""
        stage.begin(self.context)
        return attrs.evolve(self, given=given, returned=getattr(stage, self.method)(*given, self.context))

    def without_rules(self, stage: Any) -> Iterator[Rules]:
        """The stage's results for no rules: if it takes two sets of rules, for none in one of them and in both."""
        nothing = np.array([], dtype=np.int64)
        for lacks in product((True, False), repeat=len(self.given)):
            given = (rules.take(nothing) if empty else rules for rules, empty in zip(self.given, lacks, strict=True))
            if any(lacks):
                yield self.again_with(stage, *given).result

    def describe(self, antecedent: frozenset[int]) -> str:
        """An antecedent as a readable string."""
        index = self.context.index
        zeros = np.zeros((2, index.n_classes), dtype=np.int64)
        ruleset = RuleSet(
            conditions=index.conditions,
            antecedents=(tuple(sorted(antecedent)), ()),
            probabilities=zeros.astype(np.float64),
            counts=zeros,
            classes=np.arange(index.n_classes),
            n_samples=index.n_samples,
            inference=DecisionList(),
        )
        return f"'{ruleset[0].antecedent or 'no condition'}'"

    def change(self, rows: Sequence[int]) -> str:
        """How the one rule that was given changed, in the first of these rows of the result."""
        if not rows:
            return ""
        (before,), after = antecedent_sets(self.given[0], self.context), antecedent_sets(self.result, self.context)
        return f"{self.describe(before)} became {self.describe(after[rows[0]])}"


def antecedent_sets(rules: Rules, context: SearchContext) -> list[frozenset[int]]:
    """Antecedents as sets of condition ids."""
    return [frozenset(row) - {context.index.pad} for row in rules.conditions.tolist()]


def combine_runs(stage: CombineStage, world: World) -> Iterator[Run]:
    """In one search: the first tree's rules with those of the second, then overlapping rules with the third's."""
    first, second, third, fourth = _trees(world)
    for name, context in contexts(world):
        stage.begin(context)
        for position, (rules, leaves) in enumerate(
            ((first, second), (_joined(world, [first, fourth]), third)), start=1
        ):
            result = stage.combine(rules, leaves, context)
            yield Run(f"{name}, tree {position}", "combine", (rules, leaves), context, result)


def cover_runs(stage: CoverStage, world: World) -> Iterator[Run]:
    """A choice among candidates of two trees, and among the leaves of all."""
    for name, context in contexts(world):
        stage.begin(context)
        for which, candidates in (
            ("candidates", _candidates(world, context)),
            ("leaves", _joined(world, _trees(world))),
        ):
            yield Run(f"{name}, {which}", "cover", (candidates,), context, stage.cover(candidates, context))


def simplify_runs(stage: SimplifyStage, world: World) -> Iterator[Run]:
    """Simpler candidates of two trees, and simpler leaves of the first."""
    for name, context in contexts(world):
        stage.begin(context)
        for which, rules in (("candidates", _candidates(world, context)), ("leaves", _trees(world)[0])):
            yield Run(f"{name}, {which}", "simplify", (rules,), context, stage.simplify(rules, context))


def refine_runs(stage: RefineStage, world: World) -> Iterator[Run]:
    """A better list of candidates, with those of other trees in the pool, and of the first tree's leaves."""
    first, second, *_ = _trees(world)
    for name, context in contexts(world):
        candidates = _candidates(world, context)
        stage.begin(context)
        for which, rules, pool in (
            ("candidates", candidates, (first, candidates, second)),
            ("leaves", first, (first,)),
        ):
            yield Run(f"{name}, {which}", "refine", (rules, pool), context, stage.refine(rules, pool, context))


def runs_of_few_rules(stage: RefineStage, world: World) -> Iterator[Run]:
    """A better list of one rule and of none, without a pool and with a pool of the same rules."""
    first, *_ = _trees(world)
    for name, context in contexts(world):
        for which, rows in (("one rule", [0]), ("no rules", [])):
            rules = _as(world, first.take(np.array(rows, dtype=np.int64)))
            for of_pool, pool in (("no pool", ()), ("a pool of the same rules", (rules,))):
                stage.begin(context)
                returned = stage.refine(rules, pool, context)
                yield Run(f"{name}, {which} and {of_pool}", "refine", (rules, pool), context, returned)


def rule_lists(world: World, context: SearchContext) -> Iterator[tuple[str, Rules]]:
    """Lists of rules of every sort, with their names in messages."""
    first, *_ = trees = _trees(world)
    yield "leaves of the first tree", first
    yield "leaves of all trees", _joined(world, trees)
    yield "candidates", _candidates(world, context)
    yield "one rule", _as(world, first.take(np.array([0])))
    yield "no rules", _as(world, first.take(np.array([], dtype=np.int64)))


def contexts(world: World) -> Iterator[tuple[str, SearchContext]]:
    """Searches to run stages in, with their names in messages."""
    for parts in PARTS:
        priors, estimator = parts()
        yield f"{world.name}, {type(estimator).__name__}", world.context(priors, estimator)


def _trees(world: World) -> list[Rules]:
    """Every tree's leaves that any sample reaches, as rules."""
    trees = []
    for leaves in world.data.leaves:
        rules = leaves.on(world.index)
        trees.append(_as(world, rules.take(np.flatnonzero(rules.covered))))
    return trees


def _joined(world: World, trees: Sequence[Rules]) -> Rules:
    """Leaves of several trees: samples satisfy one of each."""
    rules = concatenate(trees, world.index.pad)
    return _as(world, attrs.evolve(rules, groups=np.zeros(len(rules), dtype=np.int64)))


def _candidates(world: World, context: SearchContext) -> Rules:
    combine = Combine()
    combine.begin(context)
    first, second, *_ = _trees(world)
    return _as(world, combine.combine(first, second, context))


def _as(world: World, rules: Rules) -> Rules:
    """The rules as they are, or in read-only arrays if the world has read-only arrays."""
    if world.X.flags.writeable:
        return rules
    arrays = {name: locked(getattr(rules, name)) for name in ("conditions", "priors", "classes", "counts", "groups")}
    if isinstance(rules.samples, np.ndarray):
        return attrs.evolve(rules, **arrays, samples=locked(rules.samples))
    left, left_rows, right, right_rows = rules.samples
    pairs = Pairs(locked(left), locked(left_rows), locked(right), locked(right_rows))
    return attrs.evolve(rules, **arrays, samples=pairs)
