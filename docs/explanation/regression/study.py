"""Compare rules for numbers with trees of equal size on eight tables; writes results.csv beside itself.

Run as `python study.py FOLDER`, where FOLDER has the six regression tables; takes about half an hour on one core.
Categories are coded as indicators, and missing values filled in with medians: all ensembles read the same numbers.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeRegressor

import rulekit

SIZES = (4, 8, 16, 32)
TABLES = ("abalone", "auto_imports", "auto_mpg", "beijing_pm25", "housing", "wine_white")
ENSEMBLES = {
    "rf": RandomForestRegressor(100, max_depth=5, random_state=0),
    "gbm": GradientBoostingRegressor(random_state=0),
    "lightgbm": LGBMRegressor(n_jobs=1, verbosity=-1, random_state=0),
}
LEAST = {"min_samples_leaf": [1, 5, 10, 20, 50]}


def tables(folder: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, samples and target of each table."""
    for name in TABLES:
        frame = pd.read_csv(folder / f"{name}.csv")
        y = frame.pop("target").to_numpy(float)
        X = pd.get_dummies(frame, dtype=float)
        yield name, X.fillna(X.median()).to_numpy(float), y
    yield "diabetes", *load_diabetes(return_X_y=True)
    yield "friedman", *make_friedman1(1000, noise=1.0, random_state=0)


def fold_results(X: Any, y: Any, train: Any, test: Any) -> Iterator[dict[str, Any]]:
    """What each method reaches in one fold, for each ensemble and size."""

    def of(method: str, ensemble: str, size: int, predicted: Any, intervals: Any = None, **more: Any) -> dict[str, Any]:
        row = {"ensemble": ensemble, "method": method, "size": size, **more}
        row["rmse"] = float(np.sqrt(np.mean((y[test] - predicted) ** 2)))
        row["r2"] = 1 - row["rmse"] ** 2 / y[test].var()
        if intervals is not None:
            row["held"] = float(((intervals[:, 0] <= y[test]) & (y[test] <= intervals[:, 1])).mean())
            row["width"] = float(np.ptp(intervals, axis=1).mean() / y[train].std())
        return row

    cart = {size: GridSearchCV(DecisionTreeRegressor(max_leaf_nodes=size, random_state=0), LEAST) for size in SIZES}
    for size, search in cart.items():
        yield of("cart", "", size, search.fit(X[train], y[train]).predict(X[test]), n_rules=size)
    for name, ensemble in ENSEMBLES.items():
        ensemble.fit(X[train], y[train])
        yield of("ensemble", name, 0, ensemble.predict(X[test]))
        additive = rulekit.build("additive", ensemble, max_rules=SIZES[-1], choose="all", random_state=0)
        additive.fit(X[train], y[train])
        for size in SIZES:
            model = additive.with_rules(min(size, len(additive.ruleset_) - 1))
            found = len(model.ruleset_) - 1
            yield of("additive", name, size, model.predict(X[test]), model.predict_interval(X[test]), n_rules=found)
        for size in SIZES[:3]:
            model = rulekit.build("list", ensemble, max_rules=size, choose="all", random_state=0)
            model.fit(X[train], y[train])
            found = len(model.ruleset_) - 1
            yield of("list", name, size, model.predict(X[test]), model.predict_interval(X[test]), n_rules=found)
        fitted = ensemble.predict(X[train])
        for size in SIZES:
            tree = GridSearchCV(DecisionTreeRegressor(max_leaf_nodes=size, random_state=0), LEAST)
            tree.fit(X[train], (y[train] + fitted) / 2)
            yield of("distilled cart", name, size, tree.predict(X[test]), n_rules=size)


def main(folder: Path) -> None:
    """Write one row for each table, fold, ensemble, method and size."""
    rows = []
    for name, X, y in tables(folder):
        for fold, (train, test) in enumerate(KFold(5, shuffle=True, random_state=0).split(X)):
            rows += [{"table": name, "fold": fold, **row} for row in fold_results(X, y, train, test)]
        print(f"{name}: done", flush=True)
        pd.DataFrame(rows).to_csv(Path(__file__).with_name("results.csv"), index=False, float_format="%.6g")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
