"""Checks of the arrays that maps take."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.errors import CalibrationDataError

# Probabilities in float32 miss a sum of 1 by about 1e-7; scores that are not probabilities miss it by far more.
SUM_TOLERANCE = 1e-3


def checked_probabilities(probabilities: npt.ArrayLike) -> FloatArray:
    """The array in float64; raise unless each row is a distribution over at least two classes."""
    predicted = np.asarray(probabilities, dtype=np.float64)
    if predicted.ndim != 2 or predicted.shape[1] < 2:
        raise CalibrationDataError(
            f"Expected one row per sample and one column per class, got shape {predicted.shape}."
        )
    # Written to be False for missing values too.
    is_distribution = (predicted >= 0).all() and (np.abs(predicted.sum(axis=1) - 1) <= SUM_TOLERANCE).all()
    if not is_distribution:
        raise CalibrationDataError(
            "Expected probabilities: each row must be non-negative and sum to 1. Convert scores and logits to "
            "probabilities first."
        )
    return predicted


def checked_samples(probabilities: npt.ArrayLike, class_indices: npt.ArrayLike) -> tuple[FloatArray, IntArray]:
    """Both arrays; raise unless there is a class for each sample and a sample for each class."""
    predicted, truth = checked_probabilities(probabilities), np.asarray(class_indices)
    n_classes = predicted.shape[1]
    if truth.shape != predicted.shape[:1] or truth.dtype.kind not in "iu":
        raise CalibrationDataError(
            f"Expected the class index of each sample: {len(predicted)} integers, got an array of shape "
            f"{truth.shape} and type {truth.dtype}."
        )
    if len(truth) and not (truth.min() >= 0 and truth.max() < n_classes):
        raise CalibrationDataError(f"The class indices must lie between 0 and {n_classes - 1}.")
    check_every_class(truth, list(range(n_classes)))
    return predicted, truth.astype(np.int64)


def check_every_class(class_indices: IntArray, labels: list[object], n_needed: int = 1, why: str = "") -> None:
    """Raise unless there are enough samples of each class."""
    counts = np.bincount(class_indices, minlength=len(labels)).tolist()
    few = [f"{label!r} has {count}" for label, count in zip(labels, counts, strict=True) if count < n_needed]
    if few:
        raise CalibrationDataError(
            f"{why or 'Calibration'} needs at least {n_needed} sample{'s' * (n_needed > 1)} of each class, but "
            f"{', '.join(few[:5])}{', …' if len(few) > 5 else ''}. Add samples of these classes"
            f"{', or use fewer folds' if why else ''}."
        )


def checked_input(fitted: Any, probabilities: npt.ArrayLike) -> FloatArray:
    """The array to transform; raise unless it has as many classes as the map was fitted on."""
    check_is_fitted(fitted)
    predicted, learned = checked_probabilities(probabilities), fitted.n_classes_
    if predicted.shape[1] != learned:
        raise CalibrationDataError(
            f"{type(fitted).__name__} was fitted on {learned} classes, got probabilities of {predicted.shape[1]}."
        )
    return predicted
