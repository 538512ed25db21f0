"""An ensemble and its records, from what the user passes to what the search sees."""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _get_feature_names, check_array

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.categories import Categories, categorical_columns, check_categories, is_missing, labels_of_frame
from rulekit.core.errors import EnsembleMismatchError
from rulekit.core.forest import Forest
from rulekit.core.forms import check_no_dates, check_whole, column_names, reading_numbers
from rulekit.core.interfaces import Adapter
from rulekit.source import (
    check_belongs,
    class_positions,
    fitted_clone,
    is_fitted,
    known_names,
    read_forest,
    without_steps,
)


@attrs.frozen(eq=False)
class Reading:
    """What the search starts from.

    Attributes
    ----------
    ensemble : fitted model
        The one given, or a fitted clone of it.
    transformer : fitted transformer or None
        The steps of a pipeline before its ensemble.
    forest : Forest
    X : ndarray of shape (n_records, n_features)
        The records as the forest's trees compare them.
    positions : ndarray of shape (n_records,)
        Their classes, as positions among the forest's.
    feature_names : list of str
    missing_features : frozenset of int
        Features that have, or may come to have, missing values.
    """

    ensemble: Any
    transformer: Any
    forest: Forest
    X: FloatArray
    positions: IntArray
    feature_names: list[str]
    missing_features: frozenset[int]


def read(
    ensemble: Any,
    adapter: Adapter,
    table: Any,
    y: LabelArray,
    names: list[str] | None,
    hold_back: Callable[[IntArray], BoolArray | None] = lambda y: None,
) -> Reading:
    """Fit the ensemble if need be, read it, and bring the records into the form that its trees compare.

    Parameters
    ----------
    ensemble : model or pipeline
    adapter : Adapter
        Of the model, or of the pipeline's last step.
    table : array or data frame of shape (n_records, n_features)
    y : ndarray of shape (n_records,)
        Labels.
    names : list of str or None
        Names of the table's columns.
    hold_back : callable
        From the records' classes, as positions, which of them an ensemble that is fitted here must not see.
    """
    was_fitted = is_fitted(ensemble)
    if not was_fitted:
        ensemble = fitted_clone(ensemble, adapter, *_seen(table, y, hold_back))
    transformer, model = without_steps(ensemble)
    table = transformed(transformer, table)
    names = names_after(transformer, names, table)
    forest = read_forest(model, adapter, table, y, was_fitted)
    # Any other model takes the labels of a category for numbers, or refuses them.
    forest = with_labels_of(forest, table) if adapter.reads_categories else forest
    check_belongs(forest, model, table.shape[1], names)
    positions = class_positions(forest, model, y)
    X = as_numbers(forest, table, model)
    missing_features = features_with_missing(X, forest, model)
    feature_names = names or known_names(model) or [f"x{column}" for column in range(X.shape[1])]
    return Reading(ensemble, transformer, forest, X, positions, feature_names, missing_features)


def _seen(table: Any, y: LabelArray, hold_back: Callable[[IntArray], BoolArray | None]) -> tuple[Any, LabelArray]:
    """The records that an ensemble is fitted on."""
    held = hold_back(np.unique(y, return_inverse=True)[1])
    if held is None:
        return table, y
    rows = np.flatnonzero(~held)
    return _safe_indexing(table, rows), y[rows]


def transformed(transformer: Any, table: Any) -> Any:
    """A table after the steps of a pipeline before its ensemble; the table itself if there are none."""
    if transformer is None:
        return table
    check_whole(table)
    with reading_numbers():
        result = transformer.transform(table)
    return result.toarray() if hasattr(result, "toarray") else result


def names_after(transformer: Any, names: list[str] | None, table: Any) -> list[str] | None:
    """Names of the columns that reach the ensemble, those of a table after the steps, as far as anybody knows them."""
    if transformer is None:
        return names
    try:
        found = transformer.get_feature_names_out(names)
    except (AttributeError, ValueError):  # a step that does not name its columns
        found = _get_feature_names(table)
    # Steps that do nothing hand on what they get, even if these are no names.
    return [f"x{column}" for column in range(table.shape[1])] if found is None else [str(name) for name in found]


def with_labels_of(forest: Forest, table: Any) -> Forest:
    """The forest, knowing the categories of a table's columns where the model itself does not name them."""
    return attrs.evolve(forest, categories={**labels_of_frame(table), **forest.categories})


def as_numbers(forest: Forest, table: Any, model: Any) -> FloatArray:
    """The records as the forest's trees compare them, of shape (n_records, n_features)."""
    names = column_names(table)
    unread = [repr(names[place]) for place in categorical_columns(table) if place not in forest.categories]
    if unread:
        raise EnsembleMismatchError(
            f"The columns {', '.join(unread)} are not numbers, and the {type(model).__name__} does not say "
            "how it reads them. Encode them as numbers, or use an ensemble that takes categories."
        )
    unclear = [feature for feature, labels in forest.categories.items() if any(map(is_missing, labels))]
    if unclear:
        column = names[unclear[0]] if names else unclear[0] + 1
        raise EnsembleMismatchError(
            f"The {type(model).__name__} takes None in the column {column!r} for a category, and rules take it for a "
            "missing value. Put a text of your own in its place, or NaN, which both take for a missing value."
        )
    check_categories(forest.categories, names)
    check_no_dates(table)
    encoded = Categories(forest.categories, forest.unknown_as_missing).encode(table)
    return np.asarray(check_array(encoded, dtype=np.float64, ensure_all_finite="allow-nan"))


def features_with_missing(X: FloatArray, forest: Forest, model: Any) -> frozenset[int]:
    """Features that have, or may come to have, missing values; raise if the trees do not say where these go."""
    missing = np.flatnonzero(np.isnan(X).any(axis=0)).tolist()
    if missing and not forest.handles_missing:
        raise ValueError(
            f"X has missing values, but the {type(model).__name__} says nothing about them. Fill them in, or use an "
            "ensemble that takes missing values."
        )
    # A library that takes unseen categories for missing values says where these go even if none was missing so far.
    unseen = forest.categories if forest.unknown_as_missing else ()
    return frozenset([*missing, *unseen])
