"""LightGBM: labels of the categories that a model was trained on."""

from typing import Any

from rulekit.adapters.lightgbm_model_string import StoredModel


def read_categories(stored: StoredModel, booster: Any) -> dict[int, tuple[Any, ...]]:
    """Labels by code of each column that had pandas' type `category`, by column.

    A model stores the labels without their columns. The labels of an unordered column belong to a feature that the
    model declares categorical; LightGBM treats an ordered column as a number in the range of its codes. Where this is
    ambiguous, or contradicts the codes seen in training, no labels are returned.
    """
    labels = booster.pandas_categorical or []
    columns = _columns(stored, len(labels))
    found = dict(zip(columns, map(tuple, labels), strict=False))
    ranges = stored.header["feature_infos"].split(" ")
    return found if all(_largest_code(ranges[column]) < len(known) for column, known in found.items()) else {}


def _columns(stored: StoredModel, n_columns: int) -> list[int]:
    """The columns that had categories, or an empty list if they cannot be determined."""
    ranges = stored.header["feature_infos"].split(" ")
    declared = [int(column) for column in stored.parameters.get("categorical_feature", "").split(",") if column]
    if len(declared) < n_columns:
        declared += [
            column for column, codes in enumerate(ranges) if codes.startswith("[0:") and column not in declared
        ]
    return sorted(declared) if len(declared) == n_columns else []


def _largest_code(codes: str) -> float:
    """Largest code in a feature's range: `[0:3]` for numbers, `2:0:1` for categories, `none` for a constant."""
    return -1.0 if codes == "none" else max(float(code) for code in codes.strip("[]").split(":"))
