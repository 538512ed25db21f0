"""Sparse matrices for libraries that take what a matrix does not store for a missing value."""

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from rulekit.core.arrays import FloatArray


class AbsentAsMissing(TransformerMixin, BaseEstimator):
    """Makes an array of a sparse matrix, with NaN for what the matrix does not store, as XGBoost reads it."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """There is nothing to learn."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Any) -> FloatArray:
        """The array, of the shape of the matrix."""
        stored = sparse.coo_matrix(X)
        found = np.full(stored.shape, np.nan)
        found[stored.row, stored.col] = stored.data
        return found

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the matrix's columns."""
        return input_features
