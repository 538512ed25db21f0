"""True labels as positions among the classes of a model."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import IntArray


def class_indices(y: npt.ArrayLike, classes: npt.ArrayLike) -> IntArray:
    """Position of each label among the classes; raise if one is not there.

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
        raise ValueError(f"The true labels must be one list of labels, got an array of shape {labels.shape}.")
    positions: dict[Any, int] = {label: position for position, label in enumerate(known)}
    # A dictionary, because labels of several types, or missing ones, cannot be sorted.
    found = [positions.get(label, -1) for label in labels.tolist()]
    unknown = list(dict.fromkeys(label for label, position in zip(labels.tolist(), found, strict=True) if position < 0))
    if unknown:
        raise ValueError(f"The true labels {unknown[:5]!r} are not among the classes of the model: {known[:10]!r}.")
    return np.array(found, dtype=np.int64)
