"""The columns that rules are about where these are not just the columns of the table."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from rulekit.core.arrays import LabelArray
from rulekit.core.validation import as_doubles, column_of
from rulekit.pipelines.cells import holds_numbers


class ColumnsOfRules(TransformerMixin, BaseEstimator):
    """Returns some columns of a table as they are, and some of those that the steps of a pipeline return.

    Parameters
    ----------
    steps : fitted transformer
    columns : sequence of int
        Columns of the table.
    features : sequence of int
        Columns that the steps return.
    names : sequence of str
        Of all of them together.
    """

    def __init__(self, steps: Any, columns: Sequence[int], features: Sequence[int], names: Sequence[str]) -> None:
        self.steps = steps
        self.columns = columns
        self.features = features
        self.names = names

    def fit(self, X: Any, y: Any = None) -> Self:
        """There is nothing to learn."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Any) -> np.ndarray[Any, Any]:
        """The columns, of shape (n_samples, n_columns): numbers, or objects if there are categories."""
        found = [_plain(column_of(X, column)) for column in self.columns]
        if self.features:
            transformed = self.steps.transform(X)
            dense = np.asarray(transformed.toarray() if hasattr(transformed, "toarray") else transformed)
            found += [as_doubles(dense[:, feature]) for feature in self.features]
        if all(column.dtype.kind == "f" for column in found):
            return np.column_stack(found)
        return np.column_stack([column.astype(object) for column in found])

    def get_feature_names_out(self, input_features: Any = None) -> LabelArray:
        """Names of the columns."""
        return np.array(self.names, dtype=object)


def _plain(column: Any) -> np.ndarray[Any, Any]:
    return as_doubles(np.asarray(column)) if holds_numbers(column) else np.asarray(column, dtype=object)
