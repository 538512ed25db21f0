"""The labels of categories, where XGBoost stores them."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any


def category_labels(trees: Mapping[str, Any]) -> dict[int, tuple[Any, ...]]:
    """Labels by code, for each feature whose labels the model knows.

    XGBoost stores them from version 3.1 on, and only for columns passed with labels: not for codes in an array.
    """
    stored = trees.get("cats", {}).get("enc", [])
    labels = {feature: _labels(encoding) for feature, encoding in enumerate(stored)}
    return {feature: known for feature, known in labels.items() if known}


def truncated_labels(trees: Mapping[str, Any]) -> dict[int, Mapping[str, Any]]:
    """What is stored instead of the labels of each feature whose labels are truncated."""
    stored = trees.get("cats", {}).get("enc", [])
    return {feature: encoding for feature, encoding in enumerate(stored) if _is_truncated(encoding)}


def are_identified_by(labels: Sequence[Any], encoding: Mapping[str, Any]) -> bool:
    """Whether these labels, in this order and no other, are stored as such truncated strings."""
    if not all(isinstance(label, str) for label in labels):
        return False
    joined, ends = "".join(labels), accumulate(map(len, labels), initial=0)
    n_stored = len(joined)
    values = [byte - 256 if byte > 127 else byte for byte in joined.encode()[:n_stored]]
    if list(ends) != list(encoding["offsets"]) or values != list(encoding["values"]):
        return False
    start = 0
    for position, label in enumerate(labels):
        kept = label.encode()[: max(0, n_stored - start)]
        start += len(label.encode())
        # Of a label that is stored in part, the length is known: a later one of the same length may have its place.
        others = labels[position + 1 :] if start > n_stored else ()
        if any(len(other) == len(label) and other.encode().startswith(kept) for other in others):
            return False
    return True


def _is_truncated(encoding: Mapping[str, Any]) -> bool:
    """Whether labels are stored as strings of which one has a character of several bytes.

    Strings are stored as one sequence of signed bytes. XGBoost 3.1 and 3.2 truncate those of pandas columns at the
    number of characters instead of bytes, so no string is reliable once one character takes several bytes.
    """
    return "offsets" in encoding and any(byte < 0 for byte in encoding["values"])


def _labels(encoding: Mapping[str, Any]) -> tuple[Any, ...]:
    """Labels of one feature, strings or integers; empty if there are none or if they are truncated."""
    values = encoding["values"]
    if "offsets" not in encoding:
        return tuple(values)
    if _is_truncated(encoding):
        return ()
    joined = bytes(values).decode("ascii")
    return tuple(joined[start:stop] for start, stop in pairwise(encoding["offsets"]))
