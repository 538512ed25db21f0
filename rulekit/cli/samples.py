"""From a table to features and classes that an ensemble can be trained on."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import attrs
import numpy as np
import pandas as pd

from rulekit.cli.errors import CommandError
from rulekit.cli.tabular import quoted
from rulekit.core.arrays import LabelArray
from rulekit.core.validation import no_labels

#: Numbers that may be classes; more of them are taken for a quantity.
MOST_NUMBERS = 20


@attrs.frozen
class Takes:
    """What an ensemble supports besides numbers.

    Attributes
    ----------
    missing : bool
    categories : bool
        Columns of strings, as pandas' categories.
    strings : bool
        Columns as they are in the table: the steps of a pipeline before its ensemble encode them.
    """

    missing: bool = False
    categories: bool = False
    strings: bool = False


@attrs.frozen(eq=False)
class Samples:
    """Features and classes of the same samples.

    Attributes
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Numbers; missing values, categories and strings only where the ensemble supports them.
    y : ndarray of shape (n_samples,)
        Class labels.
    """

    X: pd.DataFrame
    y: LabelArray

    def __len__(self) -> int:
        return len(self.y)


def samples(table: pd.DataFrame, target: str, drop: Sequence[str], name: str, takes: Takes) -> Samples:
    """The samples of a table; raise for columns of a type that is not supported.

    Parameters
    ----------
    table : DataFrame
    target : str
        The column with the classes.
    drop : sequence of str
        Columns to leave out.
    name : str
        Name of the table in error messages.
    takes : Takes
    """
    for column in (target, *drop):
        _check_there(column, list(table.columns), name)
    if target in drop:
        raise CommandError(f"The target {target!r} cannot be dropped: remove it from --drop, or choose another target.")
    features = table.drop(columns=[target, *drop])
    if features.empty:
        raise CommandError(f"{name} has no columns besides the target{' and the dropped ones' if drop else ''}.")
    _check_types(features, name)
    non_numeric = text_columns(features)
    if non_numeric and not (takes.categories or takes.strings):
        raise CommandError(
            f"{name} has columns that are not numeric: {quoted(non_numeric)}. The model reads numbers: pass the "
            "pipeline that encodes them, leave them out with --drop, or train an ensemble here (--ensemble)."
        )
    numbers = [column for column in features.columns if column not in non_numeric]
    _check_numbers(features[numbers] if takes.missing else features, name, takes)
    if non_numeric and takes.strings:
        return Samples(features, _labels(table[target], name))
    types = dict.fromkeys(non_numeric, "category") | dict.fromkeys(numbers, "float64")
    return Samples(features.astype(types), _labels(table[target], name))


def text_columns(features: pd.DataFrame) -> list[str]:
    """Names of the columns that are not numeric."""
    return [column for column in features.columns if not pd.api.types.is_numeric_dtype(features[column])]


def check_few_numbers(found: Samples, target: str, name: str) -> None:
    """Raise if the labels are so many different numbers that they are probably no classes."""
    labels = np.unique(found.y)
    if labels.dtype.kind in "iuf" and len(labels) > MOST_NUMBERS:
        raise CommandError(
            f"The target {target!r} of {name} has {len(labels)} different numbers, from {labels[0]} to {labels[-1]}: "
            "did you mean regression? Rules predict classes. Group the values into classes first (in pandas: cut), or, "
            "if each number is a class, say so with --string-labels."
        )


def check_classes(found: Samples, target: str, name: str) -> None:
    """Raise unless the samples are of at least two classes."""
    labels = np.unique(found.y)
    if len(labels) < 2:
        raise CommandError(
            f"The target {target!r} of {name} has only one class, {str(labels[0])!r}; rules need at least two. "
            "Choose another target or add samples of other classes."
        )


def matching(test: Samples, train: Samples, name: str) -> Samples:
    """Held-out samples with their columns in the order of the training samples; raise if their columns differ."""
    missing = [column for column in train.X.columns if column not in test.X.columns]
    extra = [column for column in test.X.columns if column not in train.X.columns]
    if missing:
        raise CommandError(f"{name} lacks columns that the training samples have: {quoted(missing)}.")
    if extra:
        raise CommandError(
            f"{name} has columns that the training samples lack: {quoted(extra)}. Leave them out with --drop."
        )
    return attrs.evolve(test, X=test.X[train.X.columns])


def split(whole: Samples, fraction: float, seed: int) -> tuple[Samples, Samples]:
    """Training and held-out samples, stratified by class."""
    from sklearn.model_selection import train_test_split

    labels, counts = np.unique(whole.y, return_counts=True)
    single = [str(label) for label in labels[counts < 2]]
    if single:
        raise CommandError(
            f"Each class needs at least one training sample and one held-out sample, but there is only one sample of "
            f"class {quoted(single)}. Remove it, pass a file to --test, or hold nothing out with --test 0."
        )
    X, held_out_X, y, held_out_y = train_test_split(
        whole.X, whole.y, test_size=fraction, stratify=whole.y, random_state=seed
    )
    return Samples(X, y), Samples(held_out_X, held_out_y)


def _check_there(column: str, columns: list[str], name: str) -> None:
    if column in columns:
        return
    by_folded = {known.casefold(): known for known in columns}
    nearest = get_close_matches(column.casefold(), by_folded, n=1)
    hint = f" Did you mean {by_folded[nearest[0]]!r}?" if nearest else ""
    if len(columns) == 1 and any(sign in columns[0] for sign in ";\t|"):
        hint = " The values seem to be separated by another character: see --separator."
    elif any(_is_number(known) for known in columns):
        hint = " Its first row seems to hold values: name the columns with --columns."
    raise CommandError(f"{name} has no column {column!r}.{hint} Its columns: {quoted(columns, most=20)}.")


def _is_number(string: str) -> bool:
    try:
        float(string)
    except ValueError:
        return False
    return True


def _check_types(features: pd.DataFrame, name: str) -> None:
    """Raise early for columns whose values cannot be labels of categories, such as dates."""
    found = {column: no_labels(_distinct_or_all(features[column])) for column in features.columns}
    odd = [f"{column!r} ({', '.join(types)})" for column, types in found.items() if types]
    if odd:
        raise CommandError(
            f"{name} has columns that are neither numeric, nor strings or booleans: {', '.join(odd)}. Convert them "
            "first, or leave them out with --drop."
        )


def _distinct_or_all(column: pd.Series) -> list[Any]:
    """Values of a column whose type is not numeric, string or boolean; the categories of a categorical one."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.cat.categories)
    is_plain = pd.api.types.is_numeric_dtype(column) or isinstance(column.dtype, pd.StringDtype)
    return [] if is_plain else list(column.dropna())


def _check_numbers(features: pd.DataFrame, name: str, takes: Takes) -> None:
    missing = features.isna().sum()
    if missing.any() and not takes.missing:
        counted = ", ".join(f"{column!r} ({count})" for column, count in missing[missing > 0].items())
        raise CommandError(
            f"{name} has missing values in the columns {counted}. Fill them in or remove these samples first, leave "
            "the columns out with --drop, or choose an ensemble that supports them (--ensemble hist-gbm)."
        )
    numbers = features.select_dtypes("number").astype(np.float64)
    infinite = [column for column in numbers.columns if np.isinf(numbers[column]).any()]
    if infinite:
        raise CommandError(f"{name} has infinite values in the columns {quoted(infinite)}. Replace them first.")


def _labels(column: pd.Series, name: str) -> LabelArray:
    """Class labels as an array of one type; raise for missing labels and for fractions."""
    n_missing = int(column.isna().sum())
    if n_missing:
        raise CommandError(
            f"{name} has {n_missing} samples without a class in {column.name!r} (strings such as NA and None count as "
            "missing). Remove these samples or name their class first."
        )
    fractions = _fractions(column)
    if len(fractions):
        raise CommandError(
            f"The target {column.name!r} of {name} contains fractions, such as {fractions.iloc[0]}: rules predict "
            "classes, not continuous values as in regression. Choose another target, or group the values into classes "
            "first (in pandas: cut)."
        )
    is_string = not (pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column))
    return np.array(column.astype(str).tolist()) if is_string else np.array(column.tolist())


def _fractions(column: pd.Series) -> pd.Series:
    """The labels that are fractions, if all labels are numbers; they may be written as strings, such as "12.30"."""
    numbers = pd.to_numeric(column.astype(object), errors="coerce")
    return column[numbers != numbers.round()] if numbers.notna().all() else column[:0]
