"""The datasets and ensembles that most figures are about."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from benchmarks.settings import Settings

DATASETS: Final = ("pima", "vehicle", "spambase", "htru2")
METHODS: Final = ("rc+", "rcprob")
ENSEMBLES: Final[dict[str, Callable[[], Any]]] = {
    "RF": lambda: RandomForestClassifier(100, max_depth=5, random_state=0),
    "GBM": lambda: GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=0),
}


@attrs.frozen(eq=False)
class Case:
    """An ensemble fitted on a dataset.

    Attributes
    ----------
    dataset, ensemble : str
    model : fitted classifier
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """

    dataset: str
    ensemble: str
    model: Any
    X: NDArray[np.float64]
    y: NDArray[Any]

    def __str__(self) -> str:
        return f"{self.dataset} {self.ensemble}"

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.model.classes_)

    def train(self) -> Any:
        """Fit the ensemble once more."""
        return ENSEMBLES[self.ensemble]().fit(self.X, self.y)


def cases(settings: Settings, *, is_single: bool = False) -> Iterator[Case]:
    """Every ensemble fitted on every dataset.

    Parameters
    ----------
    settings : Settings
    is_single : bool, default=False
        Round the samples to single precision, as scikit-learn's trees do when they compare.
    """
    for dataset in settings.datasets:
        table = pd.read_csv(settings.data / f"{dataset}.csv")
        X = table.drop(columns="target").to_numpy(np.float64)
        y = table["target"].to_numpy()
        if is_single:
            X = X.astype(np.float32).astype(np.float64)
        for ensemble, make in ENSEMBLES.items():
            settings.announce(f"{dataset} {ensemble}: training")
            yield Case(dataset, ensemble, make().fit(X, y), X, y)
