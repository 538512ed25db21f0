"""Rules in raw columns: a pipeline that has been read, as a model on the columns of the table."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.errors import EnsembleMismatchError, TransformedColumnsWarning
from rulekit.core.forest import Forest
from rulekit.core.messages import warn_caller
from rulekit.core.validation import as_array, check_no_dates, column_of, is_frame
from rulekit.model import ReadModel, as_numbers, features_with_missing, transformed
from rulekit.pipelines.cells import holds_numbers
from rulekit.pipelines.columns_of_rules import ColumnsOfRules
from rulekit.pipelines.raw_columns import RawColumns
from rulekit.pipelines.restating import Restatement

#: Samples whose probabilities are compared with those of the pipeline; of more, some are drawn.
MOST_COMPARED = 50_000


def in_raw_columns(read: ReadModel, table: Any, names: Sequence[str] | None) -> ReadModel:
    """The same model with a forest on the columns of the table, as far as these determine what its trees compare.

    Parameters
    ----------
    read : ReadModel
        A pipeline, as `read_model` returns it.
    table : array or frame of shape (n_samples, n_columns)
        What the pipeline is given.
    names : sequence of str or None
        Names of its columns.
    """
    table = table if is_frame(table) or isinstance(table, np.ndarray) else as_array(table)
    raw = raw_columns_of(read.transformer, table, read.table, read.forest, read.ensemble)
    used = used_features(read.forest)
    unchanged = {feature: step for feature, step in raw.changed.items() if feature in used}
    if unchanged:
        _warn(unchanged, read.feature_names)
        labelled = read.forest.set_features | read.forest.categories.keys()
        if not raw.columns or labelled & unchanged.keys() or read.forest.missing_value is not None:
            return read
    whole = not unchanged and can_stay_whole(raw, table)
    columns = list(range(raw.n_columns)) if whole else sorted(raw.columns)
    kept = sorted(raw.changed) if unchanged else []
    restate = restatement(raw, columns, kept, table, read.ensemble)
    forest = restate(read.forest)
    of_table = [f"x{column}" for column in range(raw.n_columns)] if names is None else [str(name) for name in names]
    feature_names = [*(of_table[column] for column in columns), *(read.feature_names[feature] for feature in kept)]
    chosen = None if whole else ColumnsOfRules(read.transformer, columns, kept, feature_names)
    X = as_numbers(forest, transformed(chosen, table), read.ensemble, None, checks_labels=False)
    check_equal(read.forest, read.X, forest, X)
    unused = set(range(len(feature_names))) - used_features(forest)
    return attrs.evolve(
        read,
        transformer=chosen,
        forest=forest,
        X=X,
        feature_names=feature_names,
        missing_features=features_with_missing(X, forest, read.ensemble) | unused,
        restate=restate,
    )


def raw_columns_of(steps: Any, table: Any, seen: Any, forest: Forest, model: Any) -> RawColumns:
    """What the columns are made of that fitted steps return.

    Parameters
    ----------
    steps : fitted transformer
    table : ndarray or frame of shape (n_samples, n_columns)
    seen : table of shape (n_samples, n_features)
        The same after the steps.
    forest : Forest
        Of the ensemble after the steps.
    model : fitted model
        Named in errors.
    """
    return RawColumns.of(
        steps,
        lambda some: transformed(steps, some),
        table,
        seen,
        lambda some: as_numbers(forest, some, model, None, checks_labels=False),
        forest.categories,
    )


def restatement(raw: RawColumns, columns: Sequence[int], kept: Sequence[int], table: Any, model: Any) -> Restatement:
    """What restates forests on transformed columns as forests on some columns of the table, and some transformed ones.

    Parameters
    ----------
    raw : RawColumns
    columns : sequence of int
        Columns of the table.
    kept : sequence of int
        Transformed columns that stay as they are.
    table : ndarray or frame of shape (n_samples, n_columns)
    model : fitted model
    """
    features = {column: feature for feature, column in enumerate(columns)}
    unused = [column for column in columns if column not in raw.columns]
    return Restatement(
        raw,
        features,
        {feature: len(columns) + at for at, feature in enumerate(kept)},
        len(columns) + len(kept),
        frozenset(features[column] for column in unused if not _is_plain_number(table, column)),
        lambda forest, some: as_numbers(forest, some, model, None, checks_labels=False),
    )


def can_stay_whole(raw: RawColumns, table: Any) -> bool:
    """Whether rules can be given the table as it is: it has no dates, and no numbers that its type does not show."""
    try:
        check_no_dates(table)
    except ValueError:
        return False
    of_numbers = [column for column, own in raw.columns.items() if own.cells.labels is None]
    return not is_frame(table) or all(_is_plain_number(table, column) for column in of_numbers)


def _is_plain_number(table: Any, column: int) -> bool:
    values = column_of(table, column)
    is_typed = np.asarray(values).dtype.kind in "biuf" or not is_frame(table)
    return is_typed and holds_numbers(values)


def used_features(forest: Forest) -> set[int]:
    """Features that some tree splits on."""
    trees = (tree for trees in forest.rounds for tree in trees)
    return {feature for tree in trees for feature in np.unique(tree.features).tolist() if feature >= 0}


def check_equal(given: Forest, seen: FloatArray, forest: Forest, X: FloatArray) -> None:
    """Raise unless a forest on the columns of the table predicts what the pipeline's own does, to the last bit."""
    rows = np.arange(len(X))
    if len(X) > MOST_COMPARED:
        rows = np.sort(np.random.default_rng(0).choice(len(X), MOST_COMPARED, replace=False))
    differs = (given.predict_proba(seen[rows]) != forest.predict_proba(X[rows])).any(axis=1)
    if differs.any():
        raise EnsembleMismatchError(
            f"Rules in the columns of the table would not predict what the pipeline predicts for {differs.sum()} of "
            f"{len(rows)} samples, the first of which is row {rows[differs][0] + 1}: a step changes values in a way "
            "that they do not show. Pass columns='transformed' for rules in the columns that reach the ensemble."
        )


def _warn(unchanged: Mapping[int, str], names: Sequence[str]) -> None:
    by_step: dict[str, list[str]] = {}
    for feature, step in unchanged.items():
        by_step.setdefault(step, []).append(names[feature])
    listed = "; ".join(f"{', '.join(own[:5])}{', …' if len(own) > 5 else ''} ({step})" for step, own in by_step.items())
    warn_caller(
        f"Rules cannot express these columns by those of the table, and use them as the pipeline makes them: {listed}. "
        "Pass columns='transformed' if all rules should be about the transformed columns.",
        TransformedColumnsWarning,
    )
