"""Random conditions, samples and rules, and slow answers about them to compare with."""

from collections.abc import Iterable, Sequence
from functools import cached_property

import attrs
import numpy as np
from core.splits import conditions_of_splits

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.index import TrainingIndex
from rulekit.core.rules import Rules
from rulekit.core.training_data import TrainingData

Samples = frozenset[int]


@attrs.define(eq=False, slots=False)
class TrainingSet:
    """Samples with classes, and conditions on them, questioned one sample at a time."""

    X: FloatArray
    y: IntArray
    conditions: Conditions
    n_classes: int

    def index(self, max_cache_bytes: int = 2**28) -> TrainingIndex:
        return TrainingIndex(self.X, self.y, self.conditions, self.n_classes, max_cache_bytes=max_cache_bytes)

    def data(self) -> TrainingData:
        """The samples with their index, and without the forest that no stage looks at."""
        return TrainingData(None, self.X, self.y, (), self.index())

    @cached_property
    def everything(self) -> Samples:
        return frozenset(range(len(self.y)))

    @cached_property
    def holding(self) -> list[Samples]:
        """Samples for which each condition holds, as scikit-learn's trees would decide: in float32."""
        rows = self.X.astype(np.float32).astype(float).tolist()
        found = []
        for feature, is_upper, threshold in self.triples:
            found.append(frozenset(i for i, row in enumerate(rows) if (row[feature] <= threshold) == is_upper))
        return found

    @property
    def triples(self) -> list[tuple[int, bool, float]]:
        conditions = self.conditions
        return list(
            zip(conditions.features.tolist(), conditions.is_upper.tolist(), conditions.thresholds.tolist(), strict=True)
        )

    def covered(self, antecedent: Iterable[int]) -> Samples:
        """Samples that satisfy every condition; pads stand for no condition."""
        real = [condition for condition in antecedent if condition < len(self.conditions)]
        return self.everything.intersection(*(self.holding[condition] for condition in real))

    def count(self, samples: Iterable[int]) -> list[int]:
        counts = [0] * self.n_classes
        for sample in samples:
            counts[self.y[sample]] += 1
        return counts

    def counts_of(self, antecedents: Iterable[Iterable[int]]) -> list[list[int]]:
        return [self.count(self.covered(antecedent)) for antecedent in antecedents]


def random_training_set(
    seed: int, n_samples: int = 80, n_classes: int = 3, n_features: int = 4, n_splits: int = 15
) -> TrainingSet:
    """Samples with repeated values and rows, a constant feature, thresholds on and between the values."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n_samples, n_features)) * rng.choice([1.0, 3.0, 100.0], n_features), 1)
    X[:, 0] += rng.choice([0.0, 1e-9, 0.1], n_samples)
    X[:, -1] = 0.5
    X[rng.integers(n_samples, size=n_samples // 4)] = X[rng.integers(n_samples, size=n_samples // 4)]
    y = rng.integers(n_classes, size=n_samples)
    features = rng.integers(n_features, size=n_splits)
    thresholds = X[rng.integers(n_samples, size=n_splits), features]
    between = rng.random(n_splits) < 0.5
    thresholds[between] = (thresholds[between] + X[rng.integers(n_samples, size=between.sum()), features[between]]) / 2
    return TrainingSet(
        X, y, conditions_of(zip(features.tolist(), thresholds.tolist(), strict=True), n_features), n_classes
    )


def conditions_of(splits: Iterable[tuple[int, float]], n_features: int) -> Conditions:
    """Both conditions of each distinct split."""
    distinct = sorted(set(splits))
    features = np.array([feature for feature, _ in distinct], dtype=np.int64)
    thresholds = np.array([threshold for _, threshold in distinct], dtype=np.float64)
    names = [f"x{feature}" for feature in range(n_features)]
    return conditions_of_splits(features, thresholds, names)[0]


def antecedents_from(rows: Sequence[Iterable[int]], pad: int) -> IntArray:
    """Condition ids as the search keeps them: ascending, without repeats, padded at the end."""
    sets = [sorted(set(row)) for row in rows]
    width = max((len(row) for row in sets), default=0)
    return np.array([row + [pad] * (width - len(row)) for row in sets], dtype=np.int64).reshape(len(sets), width)


def random_antecedents(
    drawn: TrainingSet, seed: int, n_rules: int = 30, longest: int = 4, shortest: int = 0
) -> IntArray:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(shortest, longest + 1, n_rules).tolist()
    n_conditions = len(drawn.conditions)
    rows = [rng.choice(n_conditions, min(k, n_conditions), replace=False).tolist() for k in lengths]
    return antecedents_from(rows, n_conditions)


def random_priors(seed: int, n_rules: int, n_classes: int) -> FloatArray:
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), n_rules)


def random_rules(
    drawn: TrainingSet,
    index: TrainingIndex,
    seed: int,
    n_rules: int = 30,
    longest: int = 4,
    shortest: int = 0,
    groups: IntArray | None = None,
) -> Rules:
    """Rules with random antecedents and priors; a rule's class is its prior's."""
    antecedents = random_antecedents(drawn, seed, n_rules, longest, shortest)
    priors = random_priors(seed, n_rules, drawn.n_classes)
    return Rules.of(antecedents, priors, priors.argmax(axis=1), index, groups)


def sets_of(rules: Rules, pad: int) -> list[frozenset[int]]:
    """Antecedents as sets."""
    return [frozenset(row) - {pad} for row in rules.conditions.tolist()]


def spec_order(
    own: int, covered: int, antecedent: Iterable[int], first: str
) -> tuple[tuple[float, ...], int, list[int]]:
    """What rules are sorted by, smallest first: three statistics, number of conditions, ranks of strings."""
    statistics = {"support": own, "coverage": covered, "precision": own / covered if covered else 0.0}
    sequence = [first, *(name for name in statistics if name != first)]
    ranks = sorted(antecedent)
    return tuple(-statistics[name] for name in sequence), -len(ranks), ranks
