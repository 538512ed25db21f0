"""Labels of categories, which CatBoost models store only as hashes."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import attrs
import numpy as np

from rulekit.adapters.catboost_document import CatBoostDocument, category_hash, export
from rulekit.core.errors import EnsembleMismatchError, InvalidParameterError, UnsupportedEnsembleError

Labels = dict[int, tuple[Any, ...]]


@attrs.frozen
class NamedCategories:
    """Labels of a model's categories, and the codes that belong to its hashes.

    Attributes
    ----------
    labels : dict of int to tuple
        By column and code; a column that no tree splits on may have none.
    codes : dict of (int, int) to frozenset of int
        By column and hash. Labels with the same hash are one category to CatBoost.
    """

    labels: Labels
    codes: dict[tuple[int, int], frozenset[int]]


def labels_in(table: Any, position: int) -> list[Any]:
    """Distinct labels in a column of a table, sorted by type, then value."""
    column = table.iloc[:, position] if hasattr(table, "iloc") else table[:, position]
    labels = dict.fromkeys(np.asarray(column).tolist())
    # CatBoost itself rejects missing categories; here they are just not labels.
    present = [label for label in labels if label is not None and label == label]
    return sorted(present, key=lambda label: (type(label).__name__, label))


def named_categories(
    document: CatBoostDocument, model: Any, given: Mapping[str | int, Sequence[Any]] | None
) -> NamedCategories:
    """The labels given for each categorical column; raise if a category that the trees use has none."""
    columns = document.categorical_columns
    used = {
        (columns[split["cat_feature_index"]].position, category_hash(split))
        for split in document.splits
        if split["split_type"] == "OneHotFeature"
    }
    labels = _labels_by_position(document, given or {})
    _check_given(document, {position for position, _ in used}, labels)
    if not used:
        return NamedCategories(labels, {})
    strings = {position: [_as_string(label, position) for label in own] for position, own in labels.items()}
    hashes = hash_strings(document, model, {string for own in strings.values() for string in own})
    codes = {
        (position, value): frozenset(code for code, string in enumerate(strings[position]) if hashes[string] == value)
        for position, value in used
    }
    _check_found(document, codes)
    return NamedCategories(labels, codes)


def hash_strings(document: CatBoostDocument, model: Any, strings: Iterable[str]) -> dict[str, int]:
    """CatBoost's own hashes of categories, which it lists when it saves a model together with a pool."""
    hashes: dict[str, int] = {}
    remaining = sorted(set(strings))
    while remaining:
        listed = export(model, pool=_pool(document, remaining))["features_info"]["cat_features_hash"]
        hashes.update((entry["value"], entry["hash"]) for entry in listed)
        # CatBoost lists only one of several strings with the same hash; the next pass asks for the others.
        remaining = [string for string in remaining if string not in hashes]
    return hashes


def _pool(document: CatBoostDocument, strings: Sequence[str]) -> Any:
    """Samples, with columns like the model's, that contain the strings in every categorical column."""
    from catboost import Pool  # type: ignore[import-not-found, import-untyped, unused-ignore]

    names = [f"unused {position}" for position in range(document.n_features)]
    samples = np.zeros((len(strings), document.n_features), dtype=object)
    for column in [*document.numeric_columns.values(), *document.categorical_columns.values()]:
        names[column.position] = column.name
    for position in document.categorical_names:
        samples[:, position] = strings
    return Pool(samples, cat_features=sorted(document.categorical_names), feature_names=names)


def _labels_by_position(document: CatBoostDocument, given: Mapping[str | int, Sequence[Any]]) -> Labels:
    """Every categorical column's labels, as Python objects."""
    names = document.categorical_names
    positions: dict[str | int, int] = {name: position for position, name in names.items()}
    positions.update((position, position) for position in names)
    labels: Labels = dict.fromkeys(names, ())
    for column, own in given.items():
        if column not in positions:
            raise InvalidParameterError(
                f"CatBoostAdapter: categories has labels for the column {column!r}, which is not among the categorical "
                f"columns of the {document.owner}: {_listed(names.values())}."
            )
        labels[positions[column]] = tuple(dict.fromkeys(own.tolist() if hasattr(own, "tolist") else own))
    return labels


def _as_string(label: Any, position: int) -> str:
    """The string that CatBoost hashes for a label."""
    if isinstance(label, str):
        return str(label)
    if isinstance(label, Integral | np.bool_):
        return str(int(label))
    raise InvalidParameterError(
        f"CatBoostAdapter: categories of column {position} must be strings or integers, as CatBoost itself requires, "
        f"got {label!r}. An array that can be read as numbers becomes floats: pass a data frame."
    )


def _check_given(document: CatBoostDocument, used: set[int], labels: Labels) -> None:
    names = document.categorical_names
    nameless = [names[position] for position in sorted(used) if not labels[position]]
    if nameless:
        raise UnsupportedEnsembleError(
            f"The {document.owner} splits on the categories of {_listed(nameless)}, but stores only their hashes. "
            f"Pass the labels: CatBoostAdapter(categories={{{nameless[0]!r}: [...]}}), or use "
            "with_categories_of(model, X)."
        )


def _check_found(document: CatBoostDocument, codes: Mapping[tuple[int, int], frozenset[int]]) -> None:
    names = document.categorical_names
    missing = sorted(names[position] for (position, _), found in codes.items() if not found)
    if missing:
        raise EnsembleMismatchError(
            f"The {document.owner} splits on {len(missing)} categories of {_listed(sorted(set(missing)))} that are not "
            "among the given labels. Pass all the categories that it was trained on."
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "there are none"
