"""Samples, and parts of them."""

from typing import Any

import attrs

from rulekit.core.arrays import IntArray


@attrs.frozen(eq=False)
class Subset:
    """Some samples of a dataset.

    Attributes
    ----------
    X : DataFrame of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Classes, as indices of the dataset's labels.
    """

    X: Any
    y: IntArray

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: IntArray) -> "Subset":
        """The samples at some positions."""
        return Subset(self.X.iloc[rows], self.y[rows])


@attrs.frozen(eq=False)
class Fold:
    """Training samples, test samples, and possibly samples for calibration."""

    train: Subset
    test: Subset
    calibration: Subset | None = None
