"""The benchmarks are no part of the package: they are importable from the project's root only."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# At the end, so that nothing else changes; a package wins over this folder, which is a mere namespace.
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))


@pytest.fixture
def root() -> Path:
    """Where `python -m benchmarks` works."""
    return ROOT


@pytest.fixture
def tiny_data(tmp_path: Path) -> Path:
    """A folder with one small made-up dataset, `tiny.csv`."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(80, 3)).round(3), columns=["a", "b", "c"])
    table["target"] = (table["a"] + rng.normal(scale=0.5, size=80) > 0).astype(int)
    folder = tmp_path / "data"
    folder.mkdir()
    table.to_csv(folder / "tiny.csv", index=False)
    return folder


@pytest.fixture(autouse=True)
def _few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ensembles of a few trees, for what is measured here is no figure."""
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

    from benchmarks import cases

    ensembles = {
        "RF": lambda: RandomForestClassifier(10, max_depth=5, random_state=0),
        "GBM": lambda: GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=0),
    }
    monkeypatch.setattr(cases, "ENSEMBLES", ensembles)


@pytest.fixture
def tiny_settings(tiny_data: Path, tmp_path: Path):
    """Settings that measure next to nothing."""
    from benchmarks.settings import Settings

    return Settings(data=tiny_data, datasets=("tiny",), engines=("numpy",), cache=tmp_path / "cache", repeats=1)
