"""LightGBM: the model string of a booster.

The result of `model_to_string` is read rather than the dictionary of `dump_model`: it has every threshold and leaf
value to the last digit, where the dictionary truncates thresholds at 1e300, it names the training parameters without
aliases, and a deep tree is a row of numbers there, not deeply nested dictionaries.
"""

from collections.abc import Collection, Mapping
from typing import Any, Self

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray

#: The flag of a categorical split.
CATEGORICAL = 1


@attrs.frozen(eq=False)
class StoredTree:
    """One tree as LightGBM stores it: splits and leaves are counted separately.

    Attributes
    ----------
    features, thresholds, decisions, gains : ndarray of shape (n_splits,)
        `decisions` holds flags; the threshold of a categorical split is its index among the category sets.
    left, right : ndarray of shape (n_splits,)
        A child that is a split, or, if negative, the bitwise complement of a leaf.
    split_values, split_weights : ndarray of shape (n_splits,)
        The score and the sum of second derivatives that a split had as a leaf, to six digits.
    values, weights : ndarray of shape (n_leaves,)
        Scores and sums of second derivatives; a tree without a split has no weights.
    counts : ndarray of shape (n_leaves,)
        Training samples.
    category_starts : ndarray of shape (n_sets + 1,)
        Where each category set begins in `category_words`.
    category_words : ndarray of shape (n_words,)
        Bit sets of 32 bits a word.
    shrinkage : float
        What the tree has been multiplied by since its leaves were computed, or since a constant was added to them.
    is_linear : bool
        Whether leaves hold linear models.
    """

    features: IntArray
    thresholds: FloatArray
    decisions: IntArray
    gains: FloatArray
    left: IntArray
    right: IntArray
    split_values: FloatArray
    split_weights: FloatArray
    values: FloatArray
    weights: FloatArray
    counts: IntArray
    category_starts: IntArray
    category_words: IntArray
    shrinkage: float
    is_linear: bool

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> Self:
        """The tree that a block of the model string describes."""

        def floats(name: str) -> FloatArray:
            return np.array(fields.get(name, "").split(), dtype=np.float64)

        def integers(name: str) -> IntArray:
            return np.array(fields.get(name, "").split(), dtype=np.int64)

        return cls(
            features=integers("split_feature"),
            thresholds=floats("threshold"),
            decisions=integers("decision_type"),
            gains=floats("split_gain"),
            left=integers("left_child"),
            right=integers("right_child"),
            split_values=floats("internal_value"),
            split_weights=floats("internal_weight"),
            values=floats("leaf_value"),
            weights=floats("leaf_weight"),
            counts=integers("leaf_count"),
            category_starts=integers("cat_boundaries"),
            category_words=integers("cat_threshold"),
            shrinkage=float(fields.get("shrinkage", 1.0)),
            is_linear=fields.get("is_linear", "0") != "0",
        )

    @property
    def is_categorical(self) -> BoolArray:
        """Which splits look up a set of categories, of shape (n_splits,)."""
        return self.decisions & CATEGORICAL > 0

    @property
    def n_splits(self) -> int:
        """Number of splits; there is one leaf more."""
        return len(self.features)


@attrs.frozen(eq=False)
class StoredModel:
    """The trees that a booster predicts with, and what it stores about their training.

    Attributes
    ----------
    header : mapping of str to str
    trees : tuple of StoredTree
    parameters : mapping of str to str
        By LightGBM's own names, never by aliases; empty if the model file does not have them.
    """

    header: Mapping[str, str]
    trees: tuple[StoredTree, ...]
    parameters: Mapping[str, str]

    @classmethod
    def of(cls, booster: Any) -> Self:
        """Read a `lightgbm.Booster`; after early stopping, up to its best iteration."""
        model, _, rest = booster.model_to_string().partition("end of trees")
        header, *trees = model.split("\nTree=")
        parameters = rest.partition("parameters:")[2].partition("end of parameters")[0]
        return cls(
            header=_fields(header),
            trees=tuple(StoredTree.of(_fields(tree)) for tree in trees),
            parameters=_parameters(parameters),
        )

    @property
    def n_features(self) -> int:
        """Number of columns that the model was trained on."""
        return int(self.header["max_feature_idx"]) + 1

    @property
    def trees_per_round(self) -> int:
        """One, or as many as there are classes."""
        return int(self.header["num_tree_per_iteration"])

    @property
    def is_averaged(self) -> bool:
        """Whether predictions are means over the rounds, as in LightGBM's random forest."""
        return "average_output" in self.header

    def compares(self, features: Collection[int]) -> bool:
        """Whether a tree compares one of these features with a threshold."""
        return any(np.isin(tree.features[~tree.is_categorical], list(features)).any() for tree in self.trees)

    def parameter(self, name: str, default: float) -> float:
        """A training parameter that is a number or a flag."""
        return float(self.parameters.get(name) or default)


def _fields(block: str) -> dict[str, str]:
    """`name=value` lines; a flag is a name alone."""
    return {name: value for name, _, value in (line.partition("=") for line in block.splitlines())}


def _parameters(block: str) -> dict[str, str]:
    """`[name: value]` lines."""
    pairs = (line.strip("[]").partition(":") for line in block.split("\n") if line.startswith("["))
    return {name: value.strip() for name, _, value in pairs}
