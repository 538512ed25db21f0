"""LightGBM: where samples go in a stored tree."""

from collections.abc import Mapping

import numpy as np

from rulekit.adapters.lightgbm_model_string import StoredTree
from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import CategorySplit, Tree

# Further flags of a split: do missing values go left, and in two bits what counts as missing.
DEFAULT_LEFT = 2
MISSING_ZERO, MISSING_NAN = 1, 2

#: Values no larger than this are zero to LightGBM, in prediction as in training: 1e-35 in single precision.
LARGEST_ZERO = float(np.float32(1e-35))
BELOW_ZERO = float(np.nextafter(-LARGEST_ZERO, -np.inf))


def read_tree(
    stored: StoredTree, values: FloatArray, priors: FloatArray, position: int, n_labels: Mapping[int, int]
) -> Tree:
    """A stored tree, with splits first and leaves after them, in LightGBM's own order.

    LightGBM compares the codes of an ordered category with a threshold; where the labels are known, such a split is
    read as a set of categories.

    Parameters
    ----------
    stored : StoredTree
    values : ndarray of shape (n_leaves, n_values)
    priors : ndarray of shape (n_leaves, n_classes)
    position : int
        Index of the tree in the model, for errors.
    n_labels : mapping of int to int
        Number of categories of each feature whose labels are known.
    """
    if stored.is_linear:
        raise UnsupportedEnsembleError(
            "The model was trained with linear_tree=True: its leaves hold linear models, which rules cannot express. "
            "Train it with linear_tree=False."
        )
    n_splits, n_leaves = stored.n_splits, len(values)
    is_categorical = stored.is_categorical
    is_ordered = ~is_categorical & np.isin(stored.features, list(n_labels))
    thresholds, missing_left = _numeric_splits(stored, is_categorical, is_ordered, position)
    category_splits = {split: _category_split(stored, split) for split in np.flatnonzero(is_categorical).tolist()}
    category_splits |= {
        split: _ordered_split(stored, split, n_labels[int(stored.features[split])])
        for split in np.flatnonzero(is_ordered).tolist()
    }
    leaves = np.full(n_leaves, -1)
    return Tree(
        features=np.concatenate([stored.features, leaves]),
        thresholds=np.concatenate([thresholds, np.zeros(n_leaves)]),
        left=np.concatenate([_children(stored.left, n_splits), leaves]),
        right=np.concatenate([_children(stored.right, n_splits), leaves]),
        values=np.concatenate([np.zeros((n_splits, values.shape[1])), values]),
        priors=np.concatenate([np.zeros((n_splits, priors.shape[1])), priors]),
        missing_left=np.concatenate([missing_left, np.zeros(n_leaves, dtype=bool)]),
        category_splits=category_splits,
    )


def _children(children: IntArray, n_splits: int) -> IntArray:
    """Nodes instead of splits and, complemented, leaves."""
    return np.where(children >= 0, children, n_splits + ~children)


def _numeric_splits(
    stored: StoredTree, is_categorical: BoolArray, is_ordered: BoolArray, position: int
) -> tuple[FloatArray, BoolArray]:
    """Thresholds such that a value goes left exactly when it is at most its threshold, and where NaN goes.

    Before comparing, LightGBM turns values close to zero into zero; NaN too, unless the feature had missing values
    in training. With `zero_as_missing`, zero goes where missing values go, regardless of the threshold.
    """
    missing = stored.decisions >> 2 & 3
    zero_left = np.where(missing == MISSING_ZERO, stored.decisions & DEFAULT_LEFT > 0, stored.thresholds >= 0)
    is_zero = np.abs(stored.thresholds) <= LARGEST_ZERO
    thresholds = np.where(is_zero, np.where(zero_left, LARGEST_ZERO, BELOW_ZERO), stored.thresholds)
    astray = (zero_left != (thresholds >= 0)) & ~is_categorical & ~is_ordered
    if astray.any():
        raise UnsupportedEnsembleError(
            f"The model was trained with zero_as_missing=True, and tree {position} separates zero from the values on "
            f"both sides of it (feature {stored.features[astray][0]}, threshold {stored.thresholds[astray][0]:g}), "
            "which a condition cannot express. Train it with zero_as_missing=False and pass missing values as NaN."
        )
    missing_left = np.where(missing == MISSING_NAN, stored.decisions & DEFAULT_LEFT > 0, zero_left)
    # A missing category goes right: it is in no set.
    return np.where(is_categorical | is_ordered, 0.0, thresholds), missing_left & ~is_categorical


def _category_split(stored: StoredTree, split: int) -> CategorySplit:
    """The codes that go left; all others, including unseen, negative and missing ones, go right."""
    start, stop = stored.category_starts[int(stored.thresholds[split]) :][:2]
    words = stored.category_words[start:stop].astype("<u4")
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return CategorySplit(frozenset(np.flatnonzero(bits).tolist()))


def _ordered_split(stored: StoredTree, split: int, n_labels: int) -> CategorySplit:
    """The codes of an ordered category that go left; with `zero_as_missing`, code 0 goes where missing values go."""
    goes_left = np.arange(n_labels) <= stored.thresholds[split]
    if stored.decisions[split] >> 2 & 3 == MISSING_ZERO:
        goes_left[0] = stored.decisions[split] & DEFAULT_LEFT > 0
    if goes_left.any():
        return CategorySplit(frozenset(np.flatnonzero(goes_left).tolist()))
    # Only missing values go left: list what goes right, so that no condition has an empty set.
    return CategorySplit(frozenset(range(n_labels)), goes_left=False)
