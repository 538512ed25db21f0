"""A table of samples with their classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from rulekit.datasets.fingerprint import fingerprint_of

if TYPE_CHECKING:
    import pandas as pd


@attrs.frozen(eq=False)
class Dataset:
    """Samples, their classes, and where they come from.

    Attributes
    ----------
    name : str
    X : DataFrame of shape (n_samples, n_features)
        Categories, strings and missing values as in the source.
    y : Series of shape (n_samples,)
        Labels as in the source.
    source : str
        Where the data comes from, with its version or id.
    fingerprint : str
        Hash of the content when the dataset was made, equal for equal data; a later change of `X` in place is not
        reflected.

    Examples
    --------
    >>> from rulekit.datasets import load
    >>> load("sklearn:iris").class_counts
    {'setosa': 50, 'versicolor': 50, 'virginica': 50}
    """

    name: str
    X: pd.DataFrame = attrs.field(repr=False)
    y: pd.Series = attrs.field(repr=False)
    source: str
    fingerprint: str = attrs.field(init=False)

    @fingerprint.default
    def _hash_of_content(self) -> str:
        return fingerprint_of(self.X, self.y)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of columns without the target."""
        return self.X.shape[1]

    @property
    def class_counts(self) -> dict[Any, int]:
        """Samples of each class, in the order of the labels; classes without samples are left out."""
        counts = self.y.value_counts().sort_index()
        return {label: int(count) for label, count in counts.items() if count}
