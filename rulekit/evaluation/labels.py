"""True labels as class indices of a model."""

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import IntArray
from rulekit.core.labels import indices_among, label_array


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
    labels, known = label_array(y), np.asarray(classes)
    if labels.ndim != 1:
        raise ValueError(f"The true labels must be a 1-D array, got shape {labels.shape}.")
    indices, unknown = indices_among(labels, known)
    if unknown:
        raise ValueError(
            f"The true labels {unknown[:5]!r} are not among the classes of the model: {known.tolist()[:10]!r}."
        )
    return indices
