"""One tree as a scikit-learn classifier that reads categorical columns as they are."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d, validate_data

from rulekit.core.arrays import FloatArray, LabelArray
from rulekit.core.column_types import check_column_types, column_types
from rulekit.core.forest import Forest
from rulekit.core.validation import Categories, column_of, is_missing
from rulekit.trees.growth import Growth


class TreeClassifier(ClassifierMixin, BaseEstimator):
    """A decision tree (CART) with few leaves that takes categorical columns and missing values.

    scikit-learn's `DecisionTreeClassifier` grows it. It takes numbers only, so a category is replaced by its position
    in an order: with two classes, that of the fraction of the second class among the samples of each category. A split
    of this order separates two sets of categories, and these are what rules show. A category that was not seen in
    training goes where missing values go.

    Parameters
    ----------
    max_leaves : int or None, default=8
    max_depth : int or None, default=None
    ccp_alpha : float, default=0.0
        Complexity parameter of cost-complexity pruning.
    random_state : int or None, default=None
        Seed that decides between splits that are equally good.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when `X` has column names.
    forest_ : Forest
        The tree, with the labels of categories by their codes.
    """

    def __init__(
        self,
        max_leaves: int | None = 8,
        max_depth: int | None = None,
        ccp_alpha: float = 0.0,
        random_state: int | None = None,
    ) -> None:
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.ccp_alpha = ccp_alpha
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Columns of numbers, and of categories in a data frame.
        y : array-like of shape (n_samples,)
            Class labels.
        """
        advice = "Convert decimals to floats, and strings to categories."
        check_column_types(X, type(self).__name__, ("number", "category"), advice)
        labels = {each.position: _labels(X, each.position) for each in column_types(X) if each.kind == "category"}
        numbers = self._as_numbers(X, Categories(labels), reset=True)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        check_classification_targets(y)
        self.classes_, indices = np.unique(y, return_inverse=True)
        growth = Growth(self.max_leaves, self.max_depth, self.ccp_alpha, self.random_state)
        self.forest_ = Forest(
            rounds=((growth.tree(numbers, indices, len(self.classes_), labels),),),
            classes=self.classes_,
            n_features=self.n_features_in_,
            link="mean",
            handles_missing=True,
            categories=labels,
        )
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Class fractions of the training samples in each sample's leaf, of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        categories = Categories(self.forest_.categories)
        return self.forest_.predict_proba(self._as_numbers(X, categories, reset=False))

    def predict(self, X: Any) -> LabelArray:
        """Most frequent class of each sample's leaf, of shape (n_samples,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def _as_numbers(self, X: Any, categories: Categories, *, reset: bool) -> FloatArray:
        """Numbers and codes of categories, of shape (n_samples, n_features)."""
        if not categories.by_feature:
            return np.asarray(validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"))
        table = validate_data(self, X, reset=reset, skip_check_array=True)
        return np.asarray(check_array(categories.encode(table), dtype=np.float64, ensure_all_finite="allow-nan"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _labels(X: Any, feature: int) -> tuple[Any, ...]:
    """The categories that a column contains, sorted; in the order of their first sample if they cannot be."""
    present = [value for value in np.asarray(column_of(X, feature), dtype=object).tolist() if not is_missing(value)]
    distinct = list(dict.fromkeys(present))
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(distinct)
