"""Validation of class labels."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

from rulekit.core.arrays import IntArray, LabelArray
from rulekit.core.errors import UnsupportedDataError

#: Integers between these limits, in either pair, fit into an array.
SIGNED, UNSIGNED = (-(2**63), 2**63 - 1), (0, 2**64 - 1)
#: Integers up to this are exact in float64.
EXACT = 2**53


def plain_labels(y: Any) -> Any:
    """Labels as an array in which different labels stay different; an array of plain types is returned as it is.

    NumPy would make one string of 1 and "1" in a list, and drop null characters at the end of strings. `np.str_`
    becomes `str`, and objects that are all numbers or booleans become an array of them. Raise for masked and missing
    labels, and for types that cannot be labels.
    """
    if y is None:
        return y
    array = _as_array(y)
    missing = "masked" if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y) else _missing_label(array)
    if missing:
        raise ValueError(f"y has missing labels ({missing}). Drop these samples, or give them a label of their own.")
    if array.ndim != 1 or not array.size:
        return y  # rejected later
    kept = label_array(y)
    return _plain_objects(kept.tolist(), array.dtype.kind) if kept.dtype.kind in "OT" else y


def label_array(y: Any) -> LabelArray:
    """Labels as an array, of objects where NumPy would change them: in lists, and in a polars series of strings."""
    if isinstance(y, list | tuple):
        return np.asarray(y, dtype=object)
    array = np.asarray(y)
    if array.dtype.kind == "U" and hasattr(y, "to_list"):
        return np.asarray(y.to_list(), dtype=object)
    return array


def indices_among(y: LabelArray, classes: LabelArray) -> tuple[IntArray, list[Any]]:
    """Index of each label among the classes, -1 for an unknown one, and the unknown labels in order of appearance.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)

    Returns
    -------
    indices : ndarray of shape (n_samples,)
    unknown : list
    """
    # A dictionary, because labels of several types, or missing ones, cannot be sorted.
    index_of = {label: index for index, label in enumerate(classes.tolist())}
    labels = y.tolist()
    indices = np.array([index_of.get(label, -1) for label in labels], dtype=np.int64)
    return indices, list(dict.fromkeys(labels[row] for row in np.flatnonzero(indices < 0)))


def check_labels(y: LabelArray, which: str = "") -> None:
    """Raise unless these are labels of two or more classes; `which` says of which samples, if not of all."""
    if y.dtype.kind == "S":
        _reject_types(["bytes"])
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    labels = np.unique(y).tolist()
    if len(labels) < 2:
        raise ValueError(f"y has only one class{which}, {labels[0]!r}; rules need samples of at least two classes.")


def _as_array(y: Any) -> LabelArray:
    try:
        return np.asarray(y)
    except (ValueError, TypeError):  # rows of several lengths
        raise
    except Exception as error:  # polars has classes of errors of its own, as for integers of 128 bits
        raise UnsupportedDataError(
            f"y cannot be converted to a NumPy array: {error}. Convert the labels to strings or smaller integers."
        ) from error


def _missing_label(y: LabelArray) -> str | None:
    """Name of a missing value among labels; None if there is none, or only NaN, which scikit-learn rejects."""
    if y.dtype.kind in "mM":
        return "NaT" if np.isnat(y).any() else None
    types = {type(label) for label in y.ravel().tolist()} if y.dtype == object else set()
    names = {"NoneType": "None", "NAType": "NA", "NaTType": "NaT"}
    return next((names[kind.__name__] for kind in types if kind.__name__ in names), None)


def _plain_objects(labels: list[Any], converted: str) -> LabelArray:
    """Objects of one type as an array; strings stay objects if NumPy would not convert them to its kind "U"."""
    types = {_plain_type(type(label)) for label in labels}
    if types == {str}:
        kept = [str.__str__(label) for label in labels]
        is_cut_off = any(label.endswith("\0") for label in kept)
        return np.array(kept, dtype=None if converted == "U" and not is_cut_off else object)
    if types == {int, float} and all(abs(label) <= EXACT for label in labels if _plain_type(type(label)) is int):
        types = {float}
    if len(types) > 1:
        named = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise UnsupportedDataError(f"y mixes labels of several types: {named}. Use one type for all of them.")
    (found,) = types
    if found not in (bool, int, float):
        _reject_types([found.__name__])
    if found is int and not any(low <= min(labels) and max(labels) <= high for low, high in (SIGNED, UNSIGNED)):
        raise UnsupportedDataError(
            f"y has integers beyond 64 bits, such as {max(labels, key=abs)}, which are not supported as labels. "
            "Convert them to strings."
        )
    return np.array(labels, dtype=np.uint64 if found is int and max(labels) > SIGNED[1] else found)


def _plain_type(type_: type) -> type:
    """What a type of labels counts as: subclasses of str, and NumPy's numbers, as Python's own."""
    for plain, own in ((str, str), (np.bool_, bool), (np.integer, int), (np.floating, float)):
        if issubclass(type_, plain):
            return own
    return type_


def _reject_types(names: list[str]) -> None:
    raise UnsupportedDataError(
        f"y has labels of type {', '.join(names)}, which are not supported. Convert them to strings, integers or "
        "booleans."
    )
