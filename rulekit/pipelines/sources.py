"""What each column that a pipeline's steps return is made of: one column of the table, and what happened to it."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import attrs
import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from rulekit.core.validation import is_missing
from rulekit.pipelines.sparse import AbsentAsMissing

DOUBLE: Final = np.dtype(np.float64)


@attrs.frozen(eq=False)
class Encoding:
    """An encoder's categories of a column that is a number so far.

    Attributes
    ----------
    path : tuple of fitted transformers
        What happened to the column before, see `Source`.
    categories : list
    """

    path: tuple[Any, ...]
    categories: list[Any]


@attrs.frozen(eq=False)
class Source:
    """What a transformed column is made of.

    Attributes
    ----------
    column : int
        Column of the table.
    dtype : numpy dtype
        The type that its values have now.
    path : tuple of fitted transformers of one column
        What happened to it, one after the other, as long as each is a monotone function of numbers. They return the
        values that the pipeline's own steps return.
    encodings : tuple of Encoding
        Encoders on the way: between their categories, the values of a number play no role.
    binnings : tuple of paths
        Paths that end in a `KBinsDiscretizer`: between its limits, the values of a number play no role.
    points : tuple
        Values that an imputer replaces, other than missing ones.
    zero_is_missing : bool
        Whether 0 becomes a missing value at the end.
    changed_by : str
        Name of the step that makes the column something that one column of the table does not determine by a monotone
        function or a table; empty if there is none.
    """

    column: int
    dtype: np.dtype[Any] = DOUBLE
    path: tuple[Any, ...] = ()
    encodings: tuple[Encoding, ...] = ()
    binnings: tuple[tuple[Any, ...], ...] = ()
    points: tuple[Any, ...] = ()
    zero_is_missing: bool = False
    changed_by: str = ""

    @property
    def is_discrete(self) -> bool:
        """Whether the values have been through an encoder or have been binned."""
        return bool(self.encodings or self.binnings)

    def on(self, step: Any) -> "Source":
        """The column after a monotone step of one column; nothing is added to a path that has ended."""
        return self if self.is_discrete or self.changed_by else attrs.evolve(self, path=(*self.path, step))

    def encoded(self, categories: Iterable[Any]) -> "Source":
        """The column after an encoder."""
        if self.is_discrete or self.changed_by:
            return self
        return attrs.evolve(self, encodings=(Encoding(self.path, list(categories)),), dtype=DOUBLE)


class Cast(TransformerMixin, BaseEstimator):
    """Rounds numbers to a type.

    Parameters
    ----------
    dtype : numpy dtype
    """

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def transform(self, X: Any) -> Any:
        """The same numbers in the type."""
        return X.astype(self.dtype)


class Sparse(TransformerMixin, BaseEstimator):
    """Makes a sparse matrix, with which scalers multiply where they divide arrays."""

    def transform(self, X: Any) -> Any:
        """The same numbers."""
        return sparse.csr_matrix(X.astype(DOUBLE) if X.dtype.kind == "O" else X)


def of_table(column: int, dtype: Any) -> Source:
    """A column of the table; numbers of a type other than float are exact in float64."""
    plain = DOUBLE if not isinstance(dtype, np.dtype) or dtype.kind not in "biuf" else dtype
    source = Source(column, plain)
    return source if plain.kind != "f" or plain.itemsize >= 8 else source.on(Cast(plain))


def in_common_type(given: Sequence[Source], *, computes: bool = True) -> list[Source]:
    """Columns that become one array, and one of floats if something is computed with them."""
    common = np.result_type(*(source.dtype for source in given)) if given else DOUBLE
    if computes and common.kind != "f":
        common = DOUBLE
    if common.kind != "f":
        return list(given)
    return [
        source if source.dtype == common else attrs.evolve(source.on(Cast(common)), dtype=common) for source in given
    ]


def opaque(step: Any, n_columns: int) -> list[Source]:
    """Columns that a step makes in a way that is not known here."""
    return [Source(-1, changed_by=type(step).__name__)] * n_columns


class Unknown(NamedTuple):
    """Columns of which not even the number is known, and the step that makes them."""

    step: Any


def sources_after(step: Any, given: Sequence[Source], n_columns: int | None = None) -> list[Source] | Unknown:
    """What the columns are made of that a fitted step returns.

    Parameters
    ----------
    step : fitted transformer, "passthrough", "drop" or None
    given : sequence of Source
        The columns that it gets.
    n_columns : int, optional
        Number of columns that it returns, if it is known.
    """
    if step is None or isinstance(step, str):
        return [] if step == "drop" else list(given)
    if type(step) in COMPUTING:
        given = in_common_type(given)
    # A class that derives from one of these may do anything.
    after = STEPS.get(type(step))
    if after is None and isinstance(step, SelectorMixin):
        after = _selected
    if after is None and isinstance(step, Pipeline):
        after = _after_pipeline
    found = Unknown(step) if after is None else after(step, given)
    if n_columns is None or (isinstance(found, list) and len(found) == n_columns):
        return found
    return opaque(found.step if isinstance(found, Unknown) else step, n_columns)


def _after_pipeline(step: Any, given: Sequence[Source]) -> list[Source] | Unknown:
    found: list[Source] | Unknown = list(given)
    for _, each in step.steps:
        if isinstance(found, Unknown):
            return found
        if not hasattr(each, "fit_resample"):  # samplers act in training only
            found = sources_after(each, found)
    return found


def _after_columns(step: Any, given: Sequence[Source]) -> list[Source]:
    slices = step.output_indices_
    found: list[Source] = opaque(step, max((each.stop for each in slices.values()), default=0))
    for name, transformer, _ in step.transformers_:
        n_columns = slices[name].stop - slices[name].start
        if n_columns:
            own = [given[position] for position in step._transformer_to_input_indices[name]]
            after = sources_after(transformer, own, n_columns)
            found[slices[name]] = opaque(after.step, n_columns) if isinstance(after, Unknown) else after
    if _returns_frames(step):
        return found
    found = in_common_type(found, computes=False)
    return [source.on(Sparse()) for source in found] if step.sparse_output_ else found


def _returns_frames(step: Any) -> bool:
    own = getattr(step, "_sklearn_output_config", {}).get("transform")
    return (own or get_config()["transform_output"]) != "default"


def _after_union(step: Any, given: Sequence[Source]) -> list[Source] | Unknown:
    found: list[Source] = []
    for _, each in step.transformer_list:
        part = sources_after(each, given)
        if isinstance(part, Unknown):
            return part
        found += part
    return found


def _selected(step: Any, given: Sequence[Source]) -> list[Source]:
    return [given[position] for position in np.flatnonzero(step.get_support()).tolist()]


def _one_to_one(step: Any, given: Sequence[Source]) -> list[Source]:
    return [source.on(of_column(step, position)) for position, source in enumerate(given)]


def _after_function(step: Any, given: Sequence[Source]) -> list[Source]:
    if step.func is None:
        return list(given)
    if step.inverse_func is None:
        return opaque(step, len(given))
    own = copy.copy(step)
    vars(own).pop("feature_names_in_", None)
    own.n_features_in_ = 1
    # It may combine columns; the values of the table show whether it does.
    return [source.on(own) for source in given]


def _after_imputer(step: Any, given: Sequence[Source]) -> list[Source]:
    plain = copy.copy(step)
    plain.add_indicator = False
    marks_missing = is_missing(step.missing_values)
    kept = []
    for position, source in enumerate(given):
        statistic = step.statistics_[position]
        if step.strategy != "constant" and not step.keep_empty_features and is_missing(statistic):
            continue  # nothing but missing values: the imputer drops the column
        if not marks_missing and not source.is_discrete:
            # The value that is replaced is one of the table's only if nothing has changed the table's values before.
            is_raw = all(type(each) is Cast for each in source.path)
            changed = "" if is_raw else type(step).__name__
            source = attrs.evolve(source, points=(*source.points, step.missing_values), changed_by=changed)
        kept.append(source.on(of_column(plain, position)))
    return kept + (_after_indicator(step.indicator_, given) if step.add_indicator else [])


def _after_indicator(step: Any, given: Sequence[Source]) -> list[Source]:
    replaced = [] if is_missing(step.missing_values) else [step.missing_values]
    marks = [given[position].encoded(replaced) for position in step.features_]
    return [attrs.evolve(mark, dtype=np.dtype(np.bool_)) for mark in marks]


def _after_bins(step: Any, given: Sequence[Source]) -> list[Source]:
    ordinal = copy.copy(step)
    ordinal.encode = "ordinal"
    found = []
    for position, source in enumerate(given):
        if not source.is_discrete and not source.changed_by:
            source = attrs.evolve(source, binnings=((*source.path, of_column(ordinal, position)),))
        n_columns = 1 if step.encode == "ordinal" else int(step.n_bins_[position])
        found += [source] * n_columns
    return found


def _after_ordinal(step: Any, given: Sequence[Source]) -> list[Source]:
    return [source.encoded(own.tolist()) for source, own in zip(given, step.categories_, strict=True)]


def _after_one_hot(step: Any, given: Sequence[Source]) -> list[Source]:
    infrequent = getattr(step, "infrequent_categories_", [None] * len(given))
    found = []
    for position, (source, categories) in enumerate(zip(given, step.categories_, strict=True)):
        n_columns = len(categories)
        if infrequent[position] is not None:
            n_columns -= len(infrequent[position]) - 1
        if step.drop_idx_ is not None and step.drop_idx_[position] is not None:
            n_columns -= 1
        found += [source.encoded(categories.tolist())] * n_columns
    return found


def of_column(step: Any, position: int) -> Any:
    """A fitted transformer of several columns, as one of a single column."""
    own = copy.copy(step)
    n_features = step.n_features_in_
    for name, value in vars(step).items():
        if name.endswith("_") and isinstance(value, np.ndarray) and value.ndim and len(value) == n_features:
            setattr(own, name, value[position : position + 1])
    own.n_features_in_ = 1
    for name in ("feature_names_in_", "_sklearn_output_config"):
        vars(own).pop(name, None)
    return own


_SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
#: Steps that compute with their columns as one array.
COMPUTING: Final = frozenset({*_SCALERS, KBinsDiscretizer, SimpleImputer})
#: Steps that are understood, by their class, and what the columns are made of after them.
STEPS: Final[Mapping[type, Callable[[Any, Sequence[Source]], list[Source] | Unknown]]] = {
    ColumnTransformer: _after_columns,
    FeatureUnion: _after_union,
    AbsentAsMissing: lambda step, given: [attrs.evolve(source, zero_is_missing=True) for source in given],
    FunctionTransformer: _after_function,
    SimpleImputer: _after_imputer,
    MissingIndicator: _after_indicator,
    KBinsDiscretizer: _after_bins,
    OneHotEncoder: _after_one_hot,
    OrdinalEncoder: _after_ordinal,
    **dict.fromkeys(_SCALERS, _one_to_one),
}
