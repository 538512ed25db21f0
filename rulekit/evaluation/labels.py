"""True labels as class indices of a model."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import IntArray


def class_indices(y: npt.ArrayLike, classes: npt.ArrayLike) -> IntArray:
    """Index of each label among the classes; raise if one is unknown.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    classes : array-like of shape (n_classes,)

    Returns
    -------
    indices : ndarray of shape (n_samples,)

    Examples
    --------
    >>> class_indices(["yes", "no"], ["no", "yes"]).tolist()
    [1, 0]
    """
    labels, known = np.asarray(y), np.asarray(classes).tolist()
    if labels.ndim != 1:
        raise ValueError(f"The true labels must be a 1-D array, got shape {labels.shape}.")
    indices: dict[Any, int] = {label: index for index, label in enumerate(known)}
    # A dictionary, because labels of several types, or missing ones, cannot be sorted.
    found = [indices.get(label, -1) for label in labels.tolist()]
    unknown = list(dict.fromkeys(label for label, index in zip(labels.tolist(), found, strict=True) if index < 0))
    if unknown:
        raise ValueError(f"The true labels {unknown[:5]!r} are not among the classes of the model: {known[:10]!r}.")
    return np.array(found, dtype=np.int64)
