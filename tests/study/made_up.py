"""A made-up study that takes a second, and what to compare of its results."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.study import CrossValidation, Ensemble, Store, Study, Variant

#: What may differ between two runs of one study.
TIMES = ["seconds", "search_seconds"]


def write_tables(folder: Path) -> Path:
    """Two small tables: two classes in whole numbers, and three in words."""
    random = np.random.default_rng(0)
    for name, n_samples, labels in (("one", 60, [0, 1]), ("two", 48, ["no", "so", "yes"])):
        X = random.integers(0, 8, size=(n_samples, 3))
        scores = X[:, 0] + X[:, 1] + random.integers(0, 4, size=n_samples)
        positions = np.searchsorted(np.quantile(scores, np.linspace(0, 1, len(labels) + 1)[1:-1]), scores)
        table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(target=np.array(labels)[positions])
        table.to_csv(folder / f"{name}.csv", index=False)
    return folder


def small_study(folder: Path, **changes: Any) -> Study:
    """Two tables, two ensembles, three variants, two folds: 32 cells, 28 of them different."""
    defaults: dict[str, Any] = {
        "name": "made up",
        "datasets": ["one", "two"],
        "ensembles": [
            Ensemble("rf", grid={"n_estimators": [2, 4], "max_depth": [2]}),
            Ensemble("gbm", parameters={"n_estimators": 3}),
        ],
        "variants": [
            Variant("rcprob", grid={"min_precision": [0.5, 0.75]}),
            Variant("rc+"),
            Variant("dt", "tree", grid={"max_depth": [2, None]}),
        ],
        "outer": CrossValidation(2),
        "inner": CrossValidation(2),
        "seed": 7,
        "folder": str(folder),
    }
    return Study(**(defaults | changes))


def broken() -> ProbabilityEstimator:
    """An estimator that fails only when it works; a class of this function, so that workers get the code itself."""

    class Broken(ProbabilityEstimator):
        def estimate(self, rules: Any) -> Any:
            raise ValueError("No estimate today.")

    return Broken()


def contents(path: Path) -> dict[str, Any]:
    """Everything in a store that must not depend on when, where and in which order it was computed."""
    store = Store(path)
    return {
        # As text: what is not a number does not equal itself.
        "results": [repr(row) for row in store.results().drop(columns=TIMES).to_dict("records")],
        "rulesets": [repr(each) for each in store.rulesets()],
        "predictions": [(key, truth.tolist(), predicted.tolist()) for key, truth, predicted in store.predictions()],
    }


def write_toml(folder: Path) -> Path:
    """A study's file with the tables, the first ensemble and two of the variants of `small_study`."""
    path = folder / "study.toml"
    path.write_text(
        """
name = "made up"
datasets = ["one", "two"]
folder = "."
seed = 7

[outer]
splits = 2
[inner]
splits = 2

[ensembles.rf]
grid = { n_estimators = [2, 4], max_depth = [2] }

[variants.rcprob]
grid = { min_precision = [0.5, 0.75] }

[variants."rc+"]
""",
        encoding="utf-8",
    )
    return path
