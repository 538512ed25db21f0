"""The labels of categories, where XGBoost stores them."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any


def category_labels(trees: Mapping[str, Any]) -> dict[int, tuple[Any, ...]]:
    """Labels by code, for each feature whose labels the model knows.

    XGBoost stores them from version 3.1 on, and only for columns passed with labels: not for codes in an array.
    """
    stored = trees.get("cats", {}).get("enc", [])
    labels = {feature: _labels(encoding) for feature, encoding in enumerate(stored)}
    return {feature: known for feature, known in labels.items() if known}


def _labels(encoding: Mapping[str, Any]) -> tuple[Any, ...]:
    """Labels of one feature, strings or integers; empty if there are none or if they are unreliable."""
    values = encoding["values"]
    if "offsets" not in encoding:
        return tuple(values)
    # Strings are stored as one sequence of signed bytes. XGBoost 3.1 and 3.2 truncate those of pandas columns at the
    # number of characters instead of bytes, so no string is reliable once one character takes several bytes.
    if any(byte < 0 for byte in values):
        return ()
    joined = bytes(values).decode("ascii")
    return tuple(joined[start:stop] for start, stop in pairwise(encoding["offsets"]))
