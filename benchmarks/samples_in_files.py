"""Samples that are made and written file by file, so that no process ever holds them all."""

from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

N_FEATURES: Final = 20
TARGET: Final = "target"
#: Rows of one Parquet file.
ROWS_PER_FILE: Final = 500_000
#: Rows that the ensemble is trained on: it is the extraction that sees them all.
TRAINING_ROWS: Final = 200_000


def samples(file: int, n_rows: int = ROWS_PER_FILE) -> pd.DataFrame:
    """The samples of one file: normal features, and two classes that depend on eight of them, with noise."""
    rng = np.random.default_rng(file)
    X = rng.normal(size=(n_rows, N_FEATURES))
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.8 * X[:, 3] + 0.5 * (X[:, 4] > 0) * X[:, 5] - 0.3 * X[:, 6] ** 2
    frame = pd.DataFrame(X, columns=[f"f{column}" for column in range(N_FEATURES)])
    frame[TARGET] = (score + 0.3 + rng.normal(size=n_rows) > 0).astype(np.int64)
    return frame


def write_files(folder: Path, n_rows: int) -> None:
    """Write `n_rows` samples to Parquet files in a folder, which may have the first of them already."""
    for file in range(-(-n_rows // ROWS_PER_FILE)):
        path = folder / f"part-{file:05}.parquet"
        if not path.exists():
            samples(file, min(ROWS_PER_FILE, n_rows - file * ROWS_PER_FILE)).to_parquet(path, compression="none")


def trained_ensemble(n_trees: int, n_rows: int = TRAINING_ROWS) -> Any:
    """A LightGBM model with the library's default trees."""
    from lightgbm import LGBMClassifier

    table = samples(10**6, n_rows)
    return LGBMClassifier(n_estimators=n_trees, verbose=-1, n_jobs=1).fit(table.drop(columns=TARGET), table[TARGET])
