"""LightGBM: labels of the categories that a model was trained on."""

from collections.abc import Sequence
from typing import Any

from rulekit.adapters.lightgbm_model_string import StoredModel
from rulekit.core.errors import EnsembleMismatchError

Labels = dict[int, tuple[Any, ...]]

SAME_TYPES = "Pass a data frame whose columns have the types of the training data, or an unfitted ensemble."


def read_categories(stored: StoredModel, booster: Any, columns: Sequence[int] | None) -> Labels:
    """Labels by code of each column that had pandas' type `category`, by column.

    A model stores the labels without their columns. LightGBM itself assigns them to the categorical columns of the
    frame that it predicts, in their order; so does this function if it knows such columns. Otherwise the labels of an
    unordered column belong to a feature that the model declares categorical; LightGBM treats an ordered column as a
    number in the range of its codes. Where this is ambiguous, or contradicts the codes seen in training, a frame is
    rejected; for any other samples no labels are returned, as they must hold codes.

    Parameters
    ----------
    stored : StoredModel
    booster : lightgbm.Booster
    columns : sequence of int or None
        Positions of a frame's columns of type `category`; None if the samples are no frame.
    """
    labels = booster.pandas_categorical or []
    positions = columns or _columns(stored, len(labels))
    if columns is not None:
        _check_number(booster.pandas_categorical, positions)
    found = dict(zip(positions, map(tuple, labels), strict=False))
    ranges = stored.header["feature_infos"].split(" ")
    wrong = [column for column, known in found.items() if _largest_code(ranges[column]) >= len(known)]
    if wrong and columns is not None:
        raise EnsembleMismatchError(
            f"Column {wrong[0] + 1} of X cannot have the categories {_some(found[wrong[0]])}: the model was trained on "
            f"larger codes. {SAME_TYPES}"
        )
    return {} if wrong else found


def _check_number(labels: list[Any] | None, columns: Sequence[int]) -> None:
    """Raise unless the model stores labels for as many columns as are categorical."""
    given = ", ".join(str(column + 1) for column in columns) or "none"
    if labels is None and columns:
        raise EnsembleMismatchError(
            f"X has categorical columns ({given}), but the model stores no labels: it was trained on codes, or its "
            "model string is incomplete, and its codes may differ from those of X. Pass the codes that it was trained "
            "on as numbers, to fit and to predict, or an unfitted ensemble."
        )
    if labels is not None and len(labels) != len(columns):
        raise EnsembleMismatchError(
            f"The model was trained on {len(labels)} columns of pandas' type category, but X has {len(columns)} "
            f"({given}). {SAME_TYPES}"
        )


def _some(labels: Sequence[Any], most: int = 5) -> str:
    return ", ".join(map(repr, labels[:most])) + (", …" if len(labels) > most else "")


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
