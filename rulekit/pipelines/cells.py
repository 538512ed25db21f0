"""The values of a raw column in groups, when something looks them up instead of comparing them."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import attrs
import numpy as np
from sklearn.impute import SimpleImputer

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.validation import as_doubles, is_categorical, is_missing, no_labels
from rulekit.pipelines.sources import Cast, Source


@attrs.frozen(eq=False)
class Cells:
    """Groups of values that all columns made of a raw column treat alike, but for monotone functions.

    Attributes
    ----------
    labels : tuple or None
        Categories, each a group of its own; None for numbers.
    cuts : ndarray of shape (n_groups - 1,)
        The numbers up to each of these, and above the one before, are a group; empty for categories.
    representatives : list
        One value of each group.
    """

    labels: tuple[Any, ...] | None
    cuts: FloatArray
    representatives: list[Any]

    @classmethod
    def of_categories(cls, labels: tuple[Any, ...]) -> Self:
        """One group for each category."""
        return cls(labels, np.empty(0), list(labels))

    @classmethod
    def of_numbers(cls, cuts: FloatArray, values: FloatArray) -> Self:
        """The intervals between cuts, each represented by one of the values if it contains any."""
        present = np.unique(values[~np.isnan(values)])
        low, high = np.append(-np.inf, cuts), np.append(cuts, np.inf)
        found = []
        for at, below, above in zip(np.searchsorted(present, low, side="right").tolist(), low, high, strict=True):
            has_value = at < len(present) and present[at] <= above
            found.append(float(present[at] if has_value else _between(float(below), float(above))))
        return cls(None, cuts, found)

    def positions(self, column: Any) -> IntArray:
        """The group of each value of a column, of shape (n_samples,); -1 for unknown categories and missing values."""
        if self.labels is None:
            values = as_doubles(np.asarray(column))
            return np.where(np.isnan(values), -1, np.searchsorted(self.cuts, values, side="left"))
        position = {label: at for at, label in enumerate(self.labels)}
        values = np.asarray(column).tolist()
        return np.array([-1 if is_missing(value) else position.get(value, -1) for value in values], dtype=np.int64)


def _between(low: float, high: float) -> float:
    """A number above `low` and up to `high`; one next to an end, where steps that are not defined everywhere are."""
    if np.isinf(high):
        return 0.0 if np.isinf(low) else float(np.nextafter(low, np.inf))
    return high


def holds_numbers(column: Any) -> bool:
    """Whether the values of a column are numbers, of whatever type, or missing."""
    if is_categorical(column):
        return False
    array = np.asarray(column)
    if array.dtype.kind != "O":
        return array.dtype.kind in "biuf"
    kinds = {type(value) for value in array.tolist() if not is_missing(value)}
    return bool(kinds) and all(issubclass(kind, int | float | np.number | np.bool_) for kind in kinds)


def holds_categories(sources: Sequence[Source], column: Any) -> bool:
    """Whether the values of a raw column are looked up, and never compared, in all columns that are made of it."""
    encodings = [encoding for source in sources for encoding in source.encodings]
    if any(source.binnings for source in sources) or not all(_only_imputes(each.path) for each in encodings):
        return False
    if holds_numbers(column):
        return all(source.is_discrete for source in sources) and any(each.categories for each in encodings)
    return all(source.is_discrete or _only_imputes(source.path) for source in sources)


def _only_imputes(path: Iterable[Any]) -> bool:
    return all(type(step) in (SimpleImputer, Cast) for step in path)


def labels_of(sources: Sequence[Source], column: Any, of_model: Iterable[Any]) -> tuple[Any, ...] | None:
    """The categories of a raw column, as the table has them; None if some cannot be labels.

    Those of encoders come first, in their order, then those of the model and of imputers, then all others.
    """
    try:
        own = dict.fromkeys(value for value in distinct(column) if not is_missing(value))
    except TypeError:  # a list, for instance
        return None
    as_in_table = {value: value for value in own}
    listed = [each for source in sources for encoding in source.encodings for each in encoding.categories]
    points = [point for source in sources for point in source.points]
    known = dict.fromkeys(
        as_in_table.get(value, value) for value in (*listed, *of_model, *points) if not is_missing(value)
    )
    others = sorted(own.keys() - known.keys(), key=lambda value: (type(value).__name__, value))
    labels = (*known, *others)
    return None if no_labels(labels) else labels


def distinct(column: Any) -> list[Any]:
    """The values of a column; for one of pandas' categories, these."""
    values = np.asarray(column.cat.categories if is_categorical(column) else column)
    return (np.unique(values) if values.dtype.kind in "biufUT" else values).tolist()


def unseen_category(labels: Sequence[Any]) -> Any:
    """A value that is none of these categories, of their type; None if there is no other."""
    if all(isinstance(label, bool) for label in labels):
        others = [value for value in (False, True) if value not in labels]
        return others[0] if others else None
    if all(isinstance(label, int | float) for label in labels):
        return max(labels) + 1
    return "unseen" + max((label for label in labels if isinstance(label, str)), key=len)
