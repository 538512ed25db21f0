"""The small worlds that checks run on: random samples, a random forest on them, and rules of every sort."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import Conditions, match
from rulekit.core.context import SearchContext
from rulekit.core.engine import engine_name, using_engine
from rulekit.core.forest import Forest
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import InferenceMode, PriorCombiner, ProbabilityEstimator
from rulekit.core.rules import RuleBatch, RuleList
from rulekit.core.training_data import TrainingData
from rulekit.core.weights import Weights
from rulekit.ruleset import RuleSet
from rulekit.testing.random_trees import random_forest

AnyArray = TypeVar("AnyArray", bound=npt.NDArray[Any])
NAMES = ("age", "dose", "weight", "colour")
COLOURS = ("blue", "green", "red")
#: Rows of a world's rules: one without conditions, one that no sample satisfies, and where the random ones begin.
EMPTY, IMPOSSIBLE, RANDOM = 0, 1, 2


@attrs.frozen(eq=False)
class World:
    """Training data of a random forest, and a batch of rules to check components on.

    Attributes
    ----------
    name : str
        Its name in messages.
    data : TrainingData
    antecedents : ndarray of shape (n_rules, width)
        One rule without conditions (row `EMPTY`), one that covers no sample (row `IMPOSSIBLE`), and random
        conjunctions.
    priors : ndarray of shape (n_rules, n_classes)
        Their local class distributions.
    unseen : ndarray of shape (n_trees, n_samples) or None
        Samples that each tree did not see in training; None if that is not known.
    """

    name: str
    data: TrainingData
    antecedents: IntArray
    priors: FloatArray
    unseen: BoolArray | None = None

    @property
    def X(self) -> FloatArray:
        """The samples, of shape (n_samples, n_features)."""
        return self.data.X

    @property
    def y(self) -> IntArray:
        """Class indices of the samples, of shape (n_samples,)."""
        return self.data.y

    @property
    def forest(self) -> Forest:
        """The forest that the conditions come from."""
        return self.data.forest

    @property
    def index(self) -> TrainingIndex:
        """The samples as bits."""
        return self.data.index

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.forest.classes)

    def batch(self, rows: IntArray | slice = slice(None)) -> RuleBatch:
        """The rules, or some of them, as an estimator sees them."""
        batch = RuleBatch(self.index, self.antecedents[rows], self.priors[rows])
        if not self.priors.flags.writeable:
            batch.counts.setflags(write=False)
            batch.support.setflags(write=False)
        return batch

    def rule_list(self, rows: IntArray | slice | None = None) -> RuleList:
        """A finished list as the final estimator sees it.

        Parameters
        ----------
        rows : ndarray or slice, optional
            Which rules, in this order; by default the impossible one and long ones, which leave samples to the default
            rule.
        """
        if rows is None:
            n_conditions = (self.antecedents != self.index.pad).sum(axis=1)
            rows = np.append(IMPOSSIBLE, RANDOM + np.flatnonzero(n_conditions[RANDOM:] > 1))
        ordered = RuleList(self.data, self.antecedents[rows], self.priors[rows])
        if not self.priors.flags.writeable:
            for array in (ordered.bits, ordered.counts, ordered.support, ordered.answered_counts, ordered.answering):
                array.setflags(write=False)
        return ordered

    def context(self, priors: PriorCombiner, estimator: ProbabilityEstimator) -> SearchContext:
        """The context of a search with these components; most rules qualify under its limits."""
        return SearchContext(
            self.data, priors.fit(self.data), estimator.fit(self.data), min_precision=0.2, min_coverage=0.01
        )

    def ruleset(self, inference: InferenceMode, n_rules: int = 8) -> RuleSet:
        """A ruleset of random rules, long enough for some samples to satisfy none."""
        is_long = (self.antecedents != self.index.pad).sum(axis=1) > 1
        rows = self.antecedents[RANDOM:][is_long[RANDOM:]][:n_rules]
        probabilities = np.random.default_rng(0).dirichlet(np.ones(self.n_classes), len(rows) + 1)
        counts = self.index.count(self.index.cover(rows))
        return RuleSet(
            conditions=self.data.conditions,
            antecedents=(*(tuple(row[row != self.index.pad].tolist()) for row in rows), ()),
            probabilities=probabilities,
            counts=np.vstack([counts, self.index.class_counts]),
            classes=self.forest.classes.copy(),
            n_samples=len(self.y),
            inference=inference,
        )

    def on(
        self, X: FloatArray, y: IntArray, unseen: BoolArray | None = None, weights: Weights | None = None
    ) -> "World":
        """The same rules, with other samples, or other weights of them."""
        return attrs.evolve(self, data=_with_unseen(self.data.with_samples(X, y, weights), unseen), unseen=unseen)

    def weighted(self, weights: FloatArray) -> "World":
        """The same world with weights of its samples."""
        return self.on(self.X, self.y, self.unseen, Weights.of(weights, None, self.y, self.forest.classes))

    def repeated(self, times: IntArray) -> "World":
        """The same world with each sample as many times."""
        unseen = None if self.unseen is None else np.repeat(self.unseen, times, axis=1)
        return self.on(np.repeat(self.X, times, axis=0), np.repeat(self.y, times), unseen)

    def copied(self) -> "World":
        """The same world in arrays of its own, for a component that might write to them."""
        unseen = None if self.unseen is None else self.unseen.copy()
        world = self.on(self.X.copy(), self.y.copy(), unseen, self.data.weights)
        return attrs.evolve(world, antecedents=self.antecedents.copy(), priors=self.priors.copy())

    def shuffled(self) -> "World":
        """The same world with its samples in another order."""
        order = np.random.default_rng(1).permutation(len(self.y))
        return self.on(self.X[order], self.y[order], None if self.unseen is None else self.unseen[:, order])

    def relabelled(self, new_name: IntArray) -> "World":
        """The same world with class k called `new_name[k]`."""
        order = np.argsort(new_name)
        world = self.on(self.X, new_name[self.y], self.unseen)
        rounds = tuple(
            tuple(attrs.evolve(tree, values=tree.values[:, order], priors=tree.priors[:, order]) for tree in trees)
            for trees in self.forest.rounds
        )
        data = world.data.with_forest(attrs.evolve(self.forest, rounds=rounds))
        return attrs.evolve(world, data=data, priors=self.priors[:, order])

    def without_last_class(self) -> "World":
        """The same world with the samples of the last class moved to the first: the ensemble knows one class more."""
        return self.on(self.X, np.where(self.y == self.n_classes - 1, 0, self.y), self.unseen)

    def read_only(self) -> "World":
        """The same world, made of read-only arrays.

        Its index runs on NumPy: compiled kernels do not accept read-only arrays.
        """
        with using_engine("numpy"):
            world = self.copied()
        index, leaf_counts = world.index, world.data.leaf_counts
        given = (world.X, world.y, index.class_counts, index.condition_counts, leaf_counts, index.all_samples)
        for array in given if world.unseen is None else (*given, world.unseen):
            array.setflags(write=False)
        return attrs.evolve(world, antecedents=locked(self.antecedents), priors=locked(self.priors))


def locked(array: AnyArray) -> AnyArray:
    """A read-only copy."""
    copy = array.copy()
    copy.setflags(write=False)
    return copy


def _with_unseen(data: TrainingData, unseen: BoolArray | None) -> TrainingData:
    return data if unseen is None else attrs.evolve(data, unseen=partial(iter, unseen))


def worlds() -> tuple[World, ...]:
    """Two classes; three classes; and two classes with missing values and categories. Always the same.

    Of the second it is known which samples each tree did not see in training.
    """
    return tuple(world.copied() for world in _worlds(engine_name()))


def others() -> tuple[World, ...]:
    """Worlds of the same kinds with other samples, conditions and rules."""
    return tuple(world.copied() for world in _worlds(engine_name(), 100))


def world_of(n_classes: int) -> World:
    """A world with this number of classes."""
    return _world_of(n_classes, engine_name()).copied()


@cache
def _world_of(n_classes: int, engine: str) -> World:
    with using_engine(engine):
        return _world(f"{n_classes} classes", 0, n_classes)


@cache
def _worlds(engine: str, seed: int = 0) -> tuple[World, ...]:
    with using_engine(engine):
        return (
            _world("two classes", seed, 2),
            _world("three classes", seed + 1, 3, knows_unseen=True),
            _world("gaps and categories", seed + 2, 2, {3: COLOURS}, gaps=0.15),
        )


def _world(
    name: str,
    seed: int,
    n_classes: int,
    categories: Mapping[int, tuple[str, ...]] | None = None,
    gaps: float = 0.0,
    *,
    knows_unseen: bool = False,
) -> World:
    rng = np.random.default_rng(seed)
    X, y = random_samples(rng, n_classes, categories or {}, gaps)
    forest = random_forest(X, y, n_classes, categories or {}, rng)
    missing = frozenset(np.flatnonzero(np.isnan(X).any(axis=0)).tolist())
    data = TrainingData.of(forest, X, y, NAMES, missing)
    antecedents = _antecedents(rng, data.conditions, X)
    priors = rng.dirichlet(np.ones(n_classes), len(antecedents))
    unseen = rng.random((len(forest.rounds), len(y))) < 0.4 if knows_unseen else None
    return World(name, _with_unseen(data, unseen), antecedents, priors, unseen)


def random_samples(
    rng: np.random.Generator,
    n_classes: int,
    categories: Mapping[int, tuple[str, ...]],
    gaps: float,
    n_samples: int = 90,
) -> tuple[FloatArray, IntArray]:
    """Samples whose classes roughly depend on their values and are not equally frequent."""
    X = np.round(rng.normal(size=(n_samples, len(NAMES))), 2)
    for feature, labels in categories.items():
        X[:, feature] = rng.integers(len(labels), size=n_samples)
    score = X[:, 0] + 0.7 * X[:, 1] + 2.0 * (X[:, 3] == 1) + 0.4 * rng.normal(size=n_samples)
    limits = np.quantile(score, np.arange(1, n_classes) / n_classes + 0.1)
    y = np.digitize(score, limits).astype(np.int64)
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y


def _antecedents(rng: np.random.Generator, conditions: Conditions, X: FloatArray, n_random: int = 14) -> IntArray:
    """One rule without conditions, one that covers no sample, and conjunctions of one to three conditions."""
    pad, width = len(conditions), 3
    satisfied = match(conditions, [[condition] for condition in range(pad)], X)
    disjoint = np.argwhere(~(satisfied[:, None] & satisfied).any(axis=2))
    rows = [[], disjoint[0].tolist()]
    rows += [sorted(rng.choice(pad, size=1 + position % width, replace=False).tolist()) for position in range(n_random)]
    return np.array([row + [pad] * (width - len(row)) for row in rows], dtype=np.int64)
