"""Records, and parts of them."""

from typing import Any

import attrs

from rulekit.core.arrays import IntArray


@attrs.frozen(eq=False)
class Sample:
    """Some records of a dataset.

    Attributes
    ----------
    X : DataFrame of shape (n_records, n_features)
    y : ndarray of shape (n_records,)
        Classes, as positions among the dataset's labels.
    """

    X: Any
    y: IntArray

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: IntArray) -> "Sample":
        """The records at some positions."""
        return Sample(self.X.iloc[rows], self.y[rows])


@attrs.frozen(eq=False)
class Fold:
    """Records to fit on, others to measure on, and maybe some that are set aside for calibration."""

    train: Sample
    test: Sample
    calibration: Sample | None = None
