"""Random rulesets of every sort, and samples that find their weak points."""

import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.errors import UnexpectedMissingWarning
from rulekit.core.validation import Categories
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet
from rulekit.ruleset.matching import CHOICES

#: Names with every character that some language gives a meaning to.
HOSTILE = (
    "it's",
    'say "no"',
    "a\nb",
    "tab\there\r",
    "*/ int x; /*",
    "??/ trigraph",
    "back\\slash\\",
    "'); DROP TABLE samples; --",
    "<script>&amp;]]>",
    "{x!r} %s $1",
    "ünïcode ☃ 𝔘",
    "=1+1",
    "@SUM(A1)",
    "-2",
    "+3",
    " spaces ",
    "rule",
    "class",
    "import os",
    '"""',
    "#",
    "t",
    "source",
    "p_1",
    "kept_1",
    "fires_1",
    "sum_1",
    "/*",
    "X",
    "label",
)
PLAIN = tuple(f"x{position}" for position in range(len(HOSTILE)))
N_RULESETS = 200


def rulesets(
    names: tuple[str, ...] = PLAIN,
    modes: tuple[type, ...] = (DecisionList, Aggregate),
    accept: Callable[[RuleSet], bool] = lambda ruleset: True,
) -> Iterator[RuleSet]:
    """Two hundred accepted rulesets, of each mode in turn."""
    endless = (random_ruleset(seed, names, modes[seed % len(modes)]()) for seed in itertools.count())
    return itertools.islice(filter(accept, endless), N_RULESETS)


def random_ruleset(seed: int, names: tuple[str, ...] = PLAIN, inference: Any = None) -> RuleSet:
    """A ruleset of numbers and categories, of float32 and float64, with and without missing values."""
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(1, 6))
    chosen = tuple(str(name) for name in rng.permutation(np.array(names, dtype=object))[:n_features])
    by_feature = {position: _labels(rng, names) for position in range(n_features) if rng.random() < 0.3}
    missing = frozenset(position for position in range(n_features) if rng.random() < 0.5)
    keys = [_key(rng, int(rng.integers(n_features)), by_feature) for _ in range(int(rng.integers(1, 12)))]
    conditions = Conditions.of_keys(
        keys,
        feature_names=chosen,
        input_dtype=[np.float32, np.float64][int(rng.integers(2))],
        categories=Categories(by_feature, unknown_as_missing=bool(rng.random() < 0.5)),
        missing_features=missing,
    )
    classes = _classes(rng, names)
    n_rules = int(rng.integers(0, 7))
    antecedents = [
        tuple(rng.choice(len(keys), size=min(len(keys), int(rng.integers(1, 4))), replace=False).tolist())
        for _ in range(n_rules)
    ]
    counts = rng.integers(0, 50, (n_rules + 1, len(classes)))
    # As if no two rules shared a sample, in every other ruleset; unknown in the others.
    knows_answered = seed % 2 == 0 and bool(counts.any())
    return RuleSet(
        conditions=conditions,
        antecedents=(*antecedents, ()),
        probabilities=_probabilities(rng, n_rules + 1, len(classes)),
        counts=counts,
        classes=classes,
        n_samples=int(counts.sum()) + (0 if knows_answered else 1),
        inference=DecisionList() if inference is None else inference,
        answered_counts=counts.copy() if knows_answered else None,
        unexpected_missing=CHOICES[max(0, seed % 5 - 2)],
    )


def samples(ruleset: RuleSet, seed: int = 0, n_random: int = 25) -> list[list[Any]]:
    """Accepted samples: random, at each limit, one step beside it, missing, and of unknown categories."""
    rng = np.random.default_rng(seed)
    values = [_values(ruleset, position, rng) for position in range(len(ruleset.feature_names))]
    picked = [[column[int(rng.integers(len(column)))] for column in values] for _ in range(n_random)]
    # Every value of every column comes up at least once.
    each = [list(row) for row in itertools.zip_longest(*values)]
    for row in each:
        for position, column in enumerate(values):
            row[position] = column[int(rng.integers(len(column)))] if row[position] is None else row[position]
    return picked + each


def as_array(ruleset: RuleSet, rows: list[list[Any]]) -> np.ndarray:
    """The samples as `RuleSet.predict` expects them."""
    table = np.empty((len(rows), len(ruleset.feature_names)), dtype=object)
    table[:] = rows
    return table if ruleset.conditions.categories.by_feature else table.astype(np.float64)


def codes(ruleset: RuleSet, rows: list[list[Any]]) -> np.ndarray:
    """The samples as numbers, categories as codes."""
    return ruleset.conditions.categories.encode(as_array(ruleset, rows))


def answers(ruleset: RuleSet, rows: list[list[Any]]) -> tuple[list[Any], np.ndarray]:
    """What the ruleset itself predicts: labels and probabilities."""
    X = as_array(ruleset, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnexpectedMissingWarning)
        return ruleset.predict(X).tolist(), ruleset.predict_proba(X)


def assert_same(ruleset: RuleSet, rows: list[list[Any]], labels: list[Any], probabilities: Any) -> None:
    """The labels with their types, and every bit of the probabilities."""
    expected, expected_probabilities = answers(ruleset, rows)
    assert labels == expected
    assert {type(label) for label in labels} == {type(label) for label in expected}
    assert np.asarray(probabilities, dtype=np.float64).tobytes() == expected_probabilities.tobytes()


def _values(ruleset: RuleSet, position: int, rng: np.random.Generator) -> list[Any]:
    conditions = ruleset.conditions
    may_miss = position in conditions.missing_features or ruleset.unexpected_missing != "error"
    known = conditions.categories.by_feature.get(position)
    missing = [float("nan")] if may_miss else []
    if known is not None:
        unknown = {str: ["never seen"], bool: []}.get(type(known[0]), [987])
        return [*known, *missing, *(unknown if may_miss or not conditions.categories.unknown_as_missing else [])]
    values = [*rng.normal(size=3).tolist(), 0.0, -0.0, *missing]
    for row in np.flatnonzero(conditions.features == position):
        key, cutoff = conditions.key(row), conditions.cutoffs[row]
        if key.codes is not None:
            values += [float(code) for code in key.codes]
        elif np.isfinite(cutoff):
            near = [cutoff, math.nextafter(cutoff, -math.inf), math.nextafter(cutoff, math.inf), key.threshold]
            values += [float(value) for value in near if math.isfinite(value)]
    # Fractional codes of categories are rejected.
    return np.floor(values).tolist() if position in conditions.code_features else values


def _key(rng: np.random.Generator, feature: int, by_feature: dict[int, tuple[Any, ...]]) -> ConditionKey:
    is_upper, or_missing = bool(rng.random() < 0.5), bool(rng.random() < 0.4)
    n_labels = len(by_feature[feature]) if feature in by_feature else 4
    if rng.random() < (0.8 if feature in by_feature else 0.15):
        drawn = rng.choice(n_labels + 1, size=int(rng.integers(0, n_labels + 1)), replace=False)
        return ConditionKey(feature, is_upper, 0.0, frozenset(drawn.tolist()), or_missing)
    return ConditionKey(feature, is_upper, _threshold(rng), None, or_missing)


def _threshold(rng: np.random.Generator) -> float:
    ways = (
        rng.normal,
        lambda: round(float(rng.normal()), 1),
        lambda: float(rng.integers(-3, 4)),
        lambda: float(np.float32(rng.normal())),
        lambda: float(rng.normal() * 10.0 ** rng.integers(-30, 30)),
        lambda: float(rng.normal() * 10.0 ** rng.integers(-320, 300)),
        lambda: [5e-324, -1.7976931348623157e308, 0.1, 1 / 3, float("inf"), float("-inf")][int(rng.integers(6))],
    )
    return float(ways[int(rng.integers(len(ways)))]())


def _labels(rng: np.random.Generator, names: tuple[str, ...]) -> tuple[Any, ...]:
    kinds: tuple[list[Any], ...] = (
        [str(name) for name in rng.permutation(np.array(names, dtype=object))[:4]],
        [3, -1, 7, 10**9],
        [0.1, 2.5, -1e-7],
        [False, True],
    )
    return tuple(kinds[int(rng.choice(4, p=[0.55, 0.2, 0.15, 0.1]))])


def _classes(rng: np.random.Generator, names: tuple[str, ...]) -> np.ndarray:
    strings = sorted(str(name) for name in rng.permutation(np.array(names, dtype=object))[: rng.integers(2, 5)])
    kinds = (
        np.array(strings),
        np.array(strings, dtype=object),
        np.array([0, 1]),
        np.array([-(2**63), 5, 2**63 - 1]),
        np.array([1, 2, 3], dtype=np.uint8),
        np.array([-1.5, 0.1, 1e300]),
        np.array([False, True]),
        np.arange(11),  # NumPy adds more than eight numbers in another order than from left to right
    )
    return kinds[int(rng.integers(len(kinds)))]


def _probabilities(rng: np.random.Generator, n_rules: int, n_classes: int) -> np.ndarray:
    weights = rng.random((n_rules, n_classes)) ** 3
    weights[rng.random((n_rules, n_classes)) < 0.15] = 0.0
    weights[:, 0] += weights.sum(axis=1) == 0
    tied = rng.random(n_rules) < 0.1
    weights[tied] = 1.0
    return weights / weights.sum(axis=1, keepdims=True)
