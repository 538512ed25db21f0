"""Labels of categories, of which CatBoost models keep only hashes."""

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
    """Labels of a model's categories, and where its hashes are among them.

    Attributes
    ----------
    labels : dict of int to tuple
        By column and code; a column that no tree splits on may have none.
    codes : dict of (int, int) to frozenset of int
        By column and hash. Several labels can share a hash, and are one category to CatBoost.
    """

    labels: Labels
    codes: dict[tuple[int, int], frozenset[int]]


def labels_in(table: Any, position: int) -> list[Any]:
    """Distinct labels in a column of a table, sorted by type, then value."""
    column = table.iloc[:, position] if hasattr(table, "iloc") else table[:, position]
    labels = dict.fromkeys(np.asarray(column).tolist())
    # CatBoost refuses missing categories by itself; here they only are no labels.
    present = [label for label in labels if label is not None and label == label]
    return sorted(present, key=lambda label: (type(label).__name__, label))


def named_categories(
    document: CatBoostDocument, model: Any, given: Mapping[str | int, Sequence[Any]] | None
) -> NamedCategories:
    """The labels that were given for each categorical column; raise if a category that the trees use has none."""
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
    texts = {position: [_text(label, position) for label in own] for position, own in labels.items()}
    hashes = hash_texts(document, model, {text for own in texts.values() for text in own})
    codes = {
        (position, value): frozenset(code for code, text in enumerate(texts[position]) if hashes[text] == value)
        for position, value in used
    }
    _check_found(document, codes)
    return NamedCategories(labels, codes)


def hash_texts(document: CatBoostDocument, model: Any, texts: Iterable[str]) -> dict[str, int]:
    """CatBoost's own hashes of categories, which it lists when it saves a model beside a pool."""
    hashes: dict[str, int] = {}
    remaining = sorted(set(texts))
    while remaining:
        listed = export(model, pool=_pool(document, remaining))["features_info"]["cat_features_hash"]
        hashes.update((entry["value"], entry["hash"]) for entry in listed)
        # Of texts with the same hash one is listed; the others get their turn without it.
        remaining = [text for text in remaining if text not in hashes]
    return hashes


def _pool(document: CatBoostDocument, texts: Sequence[str]) -> Any:
    """Samples, with columns like the model's, that show the texts in every categorical column."""
    from catboost import Pool  # type: ignore[import-not-found, import-untyped, unused-ignore]

    names = [f"unused {position}" for position in range(document.n_features)]
    samples = np.zeros((len(texts), document.n_features), dtype=object)
    for column in [*document.numeric_columns.values(), *document.categorical_columns.values()]:
        names[column.position] = column.name
    for position in document.categorical_names:
        samples[:, position] = texts
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


def _text(label: Any, position: int) -> str:
    """The text that CatBoost makes of a label before it hashes it."""
    if isinstance(label, str):
        return str(label)
    if isinstance(label, Integral | np.bool_):
        return str(int(label))
    raise InvalidParameterError(
        f"CatBoostAdapter: categories of column {position} must be strings or integers, as CatBoost itself asks, "
        f"got {label!r}."
    )


def _check_given(document: CatBoostDocument, used: set[int], labels: Labels) -> None:
    names = document.categorical_names
    nameless = [names[position] for position in sorted(used) if not labels[position]]
    if nameless:
        raise UnsupportedEnsembleError(
            f"The {document.owner} splits on the categories of {_listed(nameless)}, of which it keeps only hashes. "
            f"Name them: CatBoostAdapter(categories={{{nameless[0]!r}: [...]}}), or with_categories_of(model, X)."
        )


def _check_found(document: CatBoostDocument, codes: Mapping[tuple[int, int], frozenset[int]]) -> None:
    names = document.categorical_names
    missing = sorted(names[position] for (position, _), found in codes.items() if not found)
    if missing:
        raise EnsembleMismatchError(
            f"The {document.owner} splits on {len(missing)} categories of {_listed(sorted(set(missing)))} that are not "
            "among the labels given for them. Name all the categories that it was trained on."
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "there are none"
