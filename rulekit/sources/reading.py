"""How data frames of a source become samples, and these a part of the index."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Self

import attrs
import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.columns import ColumnFacts
from rulekit.core.conditions import Conditions
from rulekit.core.errors import EnsembleMismatchError, SourceError
from rulekit.core.forest import Forest
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import Adapter
from rulekit.core.labels import plain_labels
from rulekit.core.tree_rules import LeafRules, leaf_rules
from rulekit.core.validation import (
    UNKNOWN,
    categorical_columns,
    check_categories,
    check_codes,
    check_no_dates,
    column_names,
    labels_of_frame,
    reading_numbers,
)
from rulekit.model import (
    allows_missing,
    as_numbers,
    check_encoded,
    class_indices,
    features_with_missing,
    read_forest,
    recognised_features,
)
from rulekit.sources.frames import check_names


@attrs.frozen(eq=False)
class Samples:
    """Some samples as the forest's trees compare them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class indices.
    recognised : frozenset of int
        Categorical features with a value that is a category of the model.
    unrecognised : frozenset of int
        Categorical features with values, none of which is one.
    """

    X: FloatArray
    y: IntArray
    recognised: frozenset[int] = frozenset()
    unrecognised: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.y)

    def rows(self, rows: slice) -> Self:
        """Some of them."""
        return attrs.evolve(self, X=self.X[rows], y=self.y[rows])

    @classmethod
    def joined(cls, pieces: "Sequence[Samples]") -> "Samples":
        """All samples of several pieces, of which there is at least one."""
        if len(pieces) == 1:
            return pieces[0]
        X, y = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("X", "y"))
        sets = (frozenset().union(*(getattr(p, name) for p in pieces)) for name in ("recognised", "unrecognised"))
        return cls(X, y, *sets)


@attrs.frozen(eq=False)
class Part:
    """One part of the samples.

    Attributes
    ----------
    index : TrainingIndex
        It answers the functions of `rulekit.core.parts.counting`.
    facts : ColumnFacts
    """

    index: TrainingIndex
    facts: ColumnFacts

    def __sizeof__(self) -> int:
        """Bytes, for a scheduler that weighs whether to move a part."""
        return self.index.n_bytes

    @classmethod
    def of(
        cls, samples: Samples, conditions: Conditions, n_classes: int, allocate: Callable[..., Any] = np.zeros
    ) -> Self:
        """The part of these samples.

        Parameters
        ----------
        samples : Samples
        conditions : Conditions
        n_classes : int
        allocate : callable
            See `TrainingIndex`.
        """
        index = TrainingIndex(samples.X, samples.y, conditions, n_classes, max_cache_bytes=0, allocate=allocate)
        facts = ColumnFacts.of(samples.X, conditions.cutoffs_by_feature)
        return cls(index, attrs.evolve(facts, recognised=samples.recognised, unrecognised=samples.unrecognised))

    def on(self, conditions: Conditions, allocate: Callable[..., Any] = np.zeros) -> Self:
        """The same samples with other conditions, which split them at the same values."""
        index = self.index
        X, y = index.representatives(slice(None)), index.classes()
        changed = TrainingIndex(X, y, conditions, index.n_classes, max_cache_bytes=0, allocate=allocate)
        return attrs.evolve(self, index=changed)


@attrs.frozen
class Columns:
    """What the columns of the first frame are called, and hold.

    Attributes
    ----------
    names : list
    kinds : list of str
        "numbers", of any size, or "no numbers".
    """

    names: list[Any]
    kinds: list[str]

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Self:
        """The columns of a frame."""
        return cls(list(frame.columns), [_kind(dtype) for dtype in frame.dtypes])

    def checked(self, frame: pd.DataFrame, what: str) -> pd.DataFrame:
        """A frame with its columns in this order; raise if it has other ones, or they hold something else.

        Parameters
        ----------
        frame : DataFrame
        what : str
            How the frame is called in errors.
        """
        own = Columns.of(frame)
        if own == self:
            return frame
        check_names(own.names, self.names, what, "its first part")
        ordered = frame[self.names]
        for name, kind, expected in zip(self.names, Columns.of(ordered).kinds, self.kinds, strict=True):
            if kind != expected and not frame[name].isna().all():
                raise SourceError(
                    f"The column {name!r} holds {kind} in {what[0].lower() + what[1:]}, but {expected} in its first "
                    "part. Convert it to one type."
                )
        return ordered


def _kind(dtype: Any) -> str:
    return "numbers" if pd.api.types.is_numeric_dtype(dtype) else "no numbers"


@attrs.frozen(eq=False)
class Reading:
    """How the frames of one source become samples; it is sent to the workers of a cluster.

    Attributes
    ----------
    model : fitted model
    adapter : Adapter
    forest : Forest
    target : str
        The column with the labels.
    feature_names : tuple of str
    columns : Columns
        Of the first frame, its labels included.
    labels : dict of int to tuple
        Labels of categorical columns in the first frame.
    """

    model: Any
    adapter: Adapter
    forest: Forest
    target: Any
    feature_names: tuple[str, ...]
    columns: Columns
    labels: dict[int, tuple[Any, ...]]

    def samples(self, frame: pd.DataFrame, what: str = "A part of the source") -> Samples:
        """The samples of a frame; raise if it has other columns than the first one, or labels unknown to the model.

        Parameters
        ----------
        frame : DataFrame
        what : str
            How the frame is called in errors.
        """
        table, labels = split_target(self.columns.checked(frame, what), self.target)
        if not len(table):
            return Samples(np.empty(table.shape), np.empty(0, dtype=np.int64))
        n_missing = int(labels.isna().sum())
        if n_missing:
            raise SourceError(
                f"The column {self.target!r} has {n_missing} missing labels. Leave these samples out, or give them a "
                "label of their own."
            )
        y = class_indices(self.forest, self.model, np.asarray(plain_labels(labels)))
        X = self._numbers(table)
        return Samples(X, y, *recognised_features(self.forest, table, X))

    def part(self, frame: pd.DataFrame, conditions: Conditions) -> Part:
        """The part of a frame, in memory."""
        return Part.of(self.samples(frame), conditions, len(self.forest.classes))

    def conditions(self, missing_features: frozenset[int]) -> tuple[Conditions, list[LeafRules]]:
        """Every distinct condition of the forest, and the rules of its leaves."""
        conditions, leaves = leaf_rules(self.forest, self.feature_names, missing_features)
        return conditions, list(leaves)

    def _numbers(self, table: pd.DataFrame) -> FloatArray:
        """The features as `fit` makes them of a whole table, of shape (n_samples, n_features)."""
        check_no_dates(table)
        check_categories(labels_of_frame(table), column_names(table))
        takes_categories, numbers = self.adapter.takes_categories(self.model), None
        if not takes_categories:
            check_encoded(self.model, table, encoded=())
        if not (takes_categories and categorical_columns(table)):
            finite = "allow-nan" if allows_missing(self.model) else True
            with reading_numbers():
                numbers = np.asarray(check_array(table, dtype=np.float64, ensure_all_finite=finite, input_name="X"))
        X = as_numbers(self.forest, table, self.model, numbers, checks_labels=False)
        self._check_labels(table, X)
        check_codes(X, self.forest.code_features, self.feature_names)
        features_with_missing(X, self.forest, self.model)  # raises if the model does not support any
        return X

    def _check_labels(self, table: pd.DataFrame, X: FloatArray) -> None:
        """Raise if the labels of the model's categories come from the table, and a frame has others than the first."""
        categories = self.forest.categories
        if labels_of_frame(table) == self.labels and not (X[:, list(categories)] == UNKNOWN).any():
            return
        with suppress(EnsembleMismatchError):
            read = read_forest(self.model, self.adapter, table, self.forest.classes, was_fitted=True).categories
            if all(read.get(feature) == labels for feature, labels in categories.items()):
                return
        names = ", ".join(repr(self.feature_names[feature]) for feature in categories)
        raise EnsembleMismatchError(
            f"The {type(self.model).__name__} does not store the labels of its categories ({names}), and a part of the "
            "source has others than the first one. Pass a first part that has all of them, or give the columns the "
            "same categories in all parts (in pandas: astype(pd.CategoricalDtype([...])))."
        )


def split_target(frame: pd.DataFrame, target: Any) -> tuple[pd.DataFrame, Any]:
    """Features and labels of a frame."""
    if target not in frame.columns:
        known = ", ".join(map(repr, list(frame.columns)[:20]))
        raise SourceError(f"The source has no column {target!r} with labels. Its columns: {known}.")
    return frame.drop(columns=[target]), frame[target]


def rechunked(pieces: Iterable[Samples], size: int) -> Iterator[Samples]:
    """The same samples, at most `size` at a time: large pieces are divided, small ones joined."""
    held: list[Samples] = []
    for piece in pieces:
        for start in range(0, len(piece), size):
            some = piece.rows(slice(start, start + size))
            if sum(map(len, held)) + len(some) > size:
                yield Samples.joined(held)
                held = []
            held.append(some)
    if held:
        yield Samples.joined(held)
