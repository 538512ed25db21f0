"""Folds of the calibration samples, and out-of-fold probabilities."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from rulekit.calibration.maps.checks import check_every_class
from rulekit.core.arrays import FloatArray, IntArray, LabelArray
from rulekit.core.errors import CalibrationDataError, InvalidParameterError

Fold = tuple[IntArray, IntArray]


def check_cv(cv: Any) -> None:
    """Raise unless `cv` is a number of folds or a splitter."""
    is_number = isinstance(cv, Integral) and not isinstance(cv, bool) and int(cv) >= 2
    if is_number or (hasattr(cv, "split") and not isinstance(cv, str | type)):
        return
    hint = " For a model that is already fitted, pass prefit=True." if cv == "prefit" else ""
    raise InvalidParameterError(
        f"CalibratedRules: cv must be an integer of at least 2 or a scikit-learn splitter, got {cv!r}.{hint}"
    )


def folds(cv: Any, X: Any, class_indices: IntArray, classes: LabelArray, random_state: int | None) -> list[Fold]:
    """Indices of the training samples and of those left out, for each fold.

    Parameters
    ----------
    cv : int or splitter
    X : array-like of shape (n_samples, n_features)
    class_indices : ndarray of shape (n_samples,)
        Index of each sample's class in `classes`.
    classes : ndarray of shape (n_classes,)
    random_state : int or None
        Seed of the shuffling of the samples; None does not shuffle.
    """
    if not isinstance(cv, Integral):
        return list(cv.split(X, class_indices))
    check_every_class(class_indices, classes.tolist(), int(cv), f"cv={cv}")
    splitter = StratifiedKFold(int(cv), shuffle=random_state is not None, random_state=random_state)
    return list(splitter.split(X, class_indices))


def out_of_fold(model: Any, X: Any, y: LabelArray, classes: LabelArray, parts: list[Fold]) -> FloatArray:
    """Probabilities of each fold by a copy of the model that is fitted without it; shape (n_samples, n_classes).

    scikit-learn's `cross_val_predict` is not used because it fits on class indices, while an ensemble that is already
    fitted knows labels.
    """
    tested = np.concatenate([test for _, test in parts])
    if not np.array_equal(np.sort(tested), np.arange(len(y))):
        raise InvalidParameterError(
            "CalibratedRules: cv must leave out each sample exactly once, so that there is one probability for each; "
            "a shuffled or repeated split does not. Use StratifiedKFold, or prefit=True with average=True."
        )
    predicted = np.empty((len(y), len(classes)))
    for train, test in parts:
        own = clone(model).fit(_safe_indexing(X, train), y[train])
        if not np.array_equal(own.classes_, classes):
            raise CalibrationDataError(
                f"Without one of the folds, y has the classes {own.classes_.tolist()[:10]!r} instead of "
                f"{classes.tolist()[:10]!r}. Use a splitter that keeps all of them, such as StratifiedKFold."
            )
        predicted[test] = own.predict_proba(_safe_indexing(X, test))
    return predicted
