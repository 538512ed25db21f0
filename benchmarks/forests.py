"""Made-up samples in any number, and forests trained on them, kept on disk: a large one takes minutes to train."""

from pathlib import Path
from time import process_time
from typing import Any, Final
from zlib import crc32

import attrs
import joblib
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from benchmarks.machine import processor

MOST_SAMPLES: Final = 1_000_000
N_FEATURES: Final = 20
N_CLASSES: Final = 2
#: Classes in many places, and labels of which one in ten is wrong.
#: Many classes that trees of depth 10 can tell apart.
APART: Final = {"n_informative": 6, "n_clusters_per_class": 1, "class_sep": 3.0}
HARD: Final = {"n_informative": 12, "n_clusters_per_class": 8, "class_sep": 0.6, "flip_y": 0.1}


@attrs.frozen
class Size:
    """Of a training set and its forest.

    Attributes
    ----------
    n_samples, n_trees, depth : int
    is_hard : bool
        Whether the classes lie in many places, so that rules that cover little pay.
    n_features, n_classes : int
    """

    n_samples: int
    n_trees: int = 100
    depth: int = 6
    is_hard: bool = False
    n_features: int = N_FEATURES
    n_classes: int = N_CLASSES

    def __str__(self) -> str:
        kind = "hard samples" if self.is_hard else "samples"
        features = f" with {self.n_features:,} features" if self.n_features != N_FEATURES else ""
        classes = f" of {self.n_classes} classes" if self.n_classes != N_CLASSES else ""
        return f"{self.n_samples:,} {kind}{features}{classes}, {self.n_trees:,} trees of depth {self.depth}"

    def samples(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Samples of this size: X of shape (n_samples, n_features), and y of shape (n_samples,)."""
        if (self.n_features, self.n_classes) == (N_FEATURES, N_CLASSES):
            return samples(self.n_samples, is_hard=self.is_hard)
        kind: dict[str, Any] = APART if self.n_classes > N_CLASSES else {"n_informative": 10}
        X, y = make_classification(self.n_samples, self.n_features, n_classes=self.n_classes, random_state=0, **kind)
        return X, y


@attrs.frozen
class StoredForest:
    """A trained forest on disk.

    Attributes
    ----------
    path : Path
        A pickle of (forest, CPU seconds of its training): open only files of a folder that nobody else writes to.
    cpu_seconds : float
    is_from_cache : bool
        Whether an earlier run trained it.
    """

    path: Path
    cpu_seconds: float
    is_from_cache: bool

    @property
    def origin(self) -> str:
        """A remark for the output."""
        return f"training {self.cpu_seconds:.1f} s of CPU{', from the cache' if self.is_from_cache else ''}"

    def load(self) -> Any:
        """The forest."""
        return joblib.load(self.path)[0]


def samples(n_samples: int, *, is_hard: bool = False) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The first samples of one large problem: fewer samples are not another problem.

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
    y : ndarray of shape (n_samples,)
    """
    kind = HARD if is_hard else {}
    X, y = make_classification(max(n_samples, MOST_SAMPLES), N_FEATURES, random_state=0, **kind)
    return X[:n_samples].copy(), y[:n_samples].copy()


def stored_forest(folder: Path, size: Size) -> StoredForest:
    """A forest of this size, trained now unless the folder has it."""
    path = folder / _file_name(size)
    if path.exists():
        return StoredForest(path, joblib.load(path)[1], is_from_cache=True)
    X, y = size.samples()
    forest = RandomForestClassifier(size.n_trees, max_depth=size.depth, random_state=0)
    start = process_time()
    forest.fit(X, y)
    cpu_seconds = process_time() - start
    folder.mkdir(parents=True, exist_ok=True)
    joblib.dump((forest, cpu_seconds), path)
    return StoredForest(path, cpu_seconds, is_from_cache=False)


def _file_name(size: Size) -> str:
    # The time of training belongs to a processor and a version of scikit-learn.
    home = f"{crc32(processor().encode()):08x}"
    kind = "hard-" if size.is_hard else ""
    problem = f"{size.n_samples}-{size.n_trees}-{size.depth}-{size.n_features}-{size.n_classes}"
    return f"forest-{kind}{problem}-{sklearn.__version__}-{home}.joblib"
