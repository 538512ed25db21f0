"""Drawing tables, labels and questions that are hard on exact comparisons."""

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import attrs
import numpy as np

from rulekit.testing.fuzz.table import Column, Table

#: Class labels by kind. As strings, "9" and "10" sort in another order than as numbers.
LABELS: dict[str, tuple[Any, ...]] = {
    "indices": (0, 1, 2, 3),
    "integers with gaps": (-7, 3, 10, 12),
    "strings": ("ant", "bee", "cow", "dog"),
    "numerals": ("9", "10", "100", "2"),
    "cases": ("b", "B", "a", "é"),
    "floats": (0.0, 1.0, 2.0, 3.0),
    "booleans": (False, True),
}
#: Expressions that make an array of labels; the last one is for strings only.
LABEL_ARRAYS = ("np.array({})", "np.array({})", "pd.Series({})", "np.array({}, dtype=object)")

_EPSILON = float(np.finfo(np.float64).eps)
#: How the numbers of a column are drawn.
NUMBERS: tuple[Callable[[Random], float], ...] = (
    lambda rng: round(rng.gauss(0, 1), 2),
    lambda rng: rng.gauss(0, 1),
    lambda rng: float(rng.randrange(-2, 4)),
    lambda rng: 1.0 + rng.randrange(12) * _EPSILON,
    lambda rng: 1.0 + rng.randrange(12) * 2.5e-7,
    lambda rng: rng.choice((-3e-35, -1e-36, 0.0, 1e-36, 3e-35, 1.0)),
    lambda rng: rng.choice((0.0, -0.0, 1.0)),
    lambda rng: rng.gauss(0, 1) * 1e30,
    lambda rng: rng.gauss(0, 1) * 1e300,
    lambda rng: rng.choice((-math.inf, -1.0, 2.0, math.inf)),
    lambda rng: 4.0,
)
#: The first ones much more often: libraries reject huge and infinite numbers, and one value cannot be split.
WEIGHTS = (8, 8, 8, 2, 2, 2, 2, 2, 1, 1, 1)
#: Labels of categories, the unseen one last.
CATEGORIES: tuple[tuple[Any, ...], ...] = (
    ("red", "green", "blue", "violet"),
    ("low", "mid", "high", "top", "peak", "none"),
    ("10", "9", "100", "1"),
    ("b", "B", "", " "),
    ("only", "other"),
    (3, 1, 40, 7),
    (0, 1, 2, 3, 4),
    (2.5, 0.0, -1.0, 7.5),
    (False, True),
    ("é", "e", "日本", "x"),
)
NAMES = ("a", "b", "c", "d")


def drawn_table(
    rng: Random, kinds: Sequence[str], container: str, missing: float | None, has_missing_categories: bool
) -> Table:
    """Training samples: up to four columns, some of them with missing values, which may be a number."""
    n_samples = rng.randrange(12, 36)
    columns = []
    for name in NAMES[: rng.randrange(1, len(NAMES) + 1)]:
        gaps = rng.choice((0.0, 0.0, 0.15, 0.4))
        column = _drawn_column(rng, name, rng.choice(kinds), n_samples)
        if column.is_numeric or has_missing_categories:
            column = _with_gaps(rng, column, gaps)
        if missing is not None and column.kind == "float64":
            column = attrs.evolve(column, values=tuple(_or(rng, 0.15, missing, value) for value in column.values))
        columns.append(column)
    return Table(tuple(columns), container)


def _drawn_column(rng: Random, name: str, kind: str, n_samples: int) -> Column:
    if kind == "codes":
        return Column(name, kind, _at_least_once(rng, range(rng.randrange(2, 8)), n_samples))
    if kind in ("category", "ordered", "object", "str"):
        known = [label for label in rng.choice(CATEGORIES)[:-1] if kind != "str" or isinstance(label, str)]
        labels = tuple(known) if len(known) > 1 or kind != "str" else ("x", "y")
        values = tuple(rng.choice(labels) for _ in range(n_samples))
        in_order = tuple(rng.sample(labels, len(labels))) if kind in ("category", "ordered") else ()
        return Column(name, kind, values, in_order)
    if kind in ("int64", "Int64"):
        return Column(name, kind, tuple(rng.randrange(-2, 5) for _ in range(n_samples)))
    if kind in ("bool", "boolean"):
        return Column(name, kind, tuple(rng.random() < 0.5 for _ in range(n_samples)))
    (draw,) = rng.choices(NUMBERS, WEIGHTS)
    return Column(name, kind, tuple(draw(rng) for _ in range(n_samples)))


def _at_least_once(rng: Random, codes: Sequence[int], n_samples: int) -> tuple[int, ...]:
    """Random codes, each of them at least once: XGBoost asks that the largest one be seen."""
    drawn = [*codes, *(rng.choice(codes) for _ in range(n_samples - len(codes)))]
    rng.shuffle(drawn)
    return tuple(drawn)


def _with_gaps(rng: Random, column: Column, fraction: float) -> Column:
    if column.kind in ("int64", "bool"):
        return column
    return attrs.evolve(column, values=tuple(_or(rng, fraction, None, value) for value in column.values))


def _or(rng: Random, fraction: float, other: Any, value: Any) -> Any:
    return other if rng.random() < fraction else value


def drawn_target(rng: Random, X: Table, labels: Sequence[Any]) -> tuple[Any, ...]:
    """Labels that follow the columns' values, also missing ones, with noise; each class at least twice."""
    evidence = [[rng.gauss(0, 0.5) for _ in labels] for _ in range(len(X))]
    for column in X.columns:
        weights: dict[Any, list[float]] = {}
        for row, value in enumerate(column.values):
            bucket = round(value) if isinstance(value, float) and math.isfinite(value) else value
            for position, weight in enumerate(weights.setdefault(bucket, [rng.gauss(0, 1) for _ in labels])):
                evidence[row][position] += weight
    chosen = [labels[max(range(len(labels)), key=own.__getitem__)] for own in evidence]
    chosen[: 2 * len(labels)] = 2 * list(labels)
    return tuple(chosen)


def questions(rng: Random, X: Table) -> tuple[tuple[str, Table], ...]:
    """Tables to predict, by name: each goes further from training, as a library may reject what it has not seen."""
    some = X.take([rng.randrange(len(X)) for _ in range(10)])
    found = [("other samples", some.with_columns(lambda column: _shuffled(rng, column)))]
    if X.positions("category", "ordered"):
        found.append(("other order of categories", some.with_columns(lambda column: _reordered(rng, column))))
    had = {column.name for column in X.columns if column.has_missing}
    if had:
        gaps = some.with_columns(lambda column: _with_gaps(rng, column, 0.4) if column.name in had else column)
        found.append(("missing values", gaps))
    found.append(("missing values everywhere", some.with_columns(lambda column: _with_gaps(rng, column, 0.3))))
    if any(not column.is_numeric for column in X.columns):
        unseen = some.with_columns(lambda column: _unseen(rng, column, had))
        found.append(("unseen categories", unseen))
    if X.positions("codes"):
        found.append(("fractional codes", some.with_columns(lambda column: _between_codes(rng, column))))
    return tuple(found)


def other_orders(rng: Random, X: Table) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The categories of the columns that have some, in another order."""
    return tuple(
        (column.name, tuple(rng.sample(column.categories, len(column.categories))))
        for column in X.columns
        if column.categories
    )


def _shuffled(rng: Random, column: Column) -> Column:
    return column.take(rng.sample(range(len(column.values)), len(column.values)))


def _reordered(rng: Random, column: Column) -> Column:
    """The same labels in another order, or without those that do not appear."""
    if not column.categories:
        return column
    present = [label for label in column.categories if label in column.values]
    labels = present if present and rng.random() < 0.3 else list(column.categories)
    kind = rng.choice(("category", "ordered"))
    return attrs.evolve(column, kind=kind, categories=tuple(rng.sample(labels, len(labels))))


def _unseen(rng: Random, column: Column, had_missing: set[str]) -> Column:
    """Categories that training did not have, beside missing values where training had some."""
    if column.is_numeric:
        return column
    if column.kind == "codes":
        new = rng.choice((column_max(column) + 1, 40, -1))
    else:
        known = {*column.categories, *column.values}
        kinds = {type(label) for label in known if label is not None}
        new = rng.choice([own[-1] for own in CATEGORIES if own[-1] not in known and type(own[-1]) in kinds] or ["new"])
    values = tuple(_or(rng, 0.4, new, value) for value in column.values)
    gaps = 0.3 if column.name in had_missing else 0.0
    labels = (*column.categories, new) if column.categories else ()
    changed = attrs.evolve(column, values=values, categories=tuple(rng.sample(labels, len(labels))))
    return _with_gaps(rng, changed, gaps)


def _between_codes(rng: Random, column: Column) -> Column:
    """Numbers between the codes of categories, which libraries truncate before they look them up."""
    if column.kind != "codes":
        return column
    values = (
        value if value is None else _or(rng, 0.4, value + rng.choice((0.5, 0.999)), value) for value in column.values
    )
    return attrs.evolve(column, values=tuple(values))


def column_max(column: Column) -> int:
    """The largest code of a column."""
    return max((int(value) for value in column.values if value is not None), default=0)
