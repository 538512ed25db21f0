"""Time of extraction as a multiple of the time of training: `python -m benchmarks [--data FOLDER] [--out FILE]`."""

import argparse
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from rich.console import Console
from rich.table import Table
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit

DATASETS = ("pima", "vehicle", "spambase", "htru2")
METHODS = ("rc+", "rcprob")
ENSEMBLES: dict[str, Callable[[], Any]] = {
    "RF": lambda: RandomForestClassifier(100, max_depth=5, random_state=0),
    "GBM": lambda: GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=0),
}


def seconds(work: Callable[[], Any], repeats: int) -> float:
    """Median time of a piece of work, after one run that does not count."""
    work()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


def measure(folder: Path, dataset: str, repeats: int) -> list[dict[str, Any]]:
    """Training and extraction times on one dataset, for every ensemble and method."""
    table = pd.read_csv(folder / f"{dataset}.csv")
    X, y = table.drop(columns="target"), table["target"]
    results = []
    for name, make in ENSEMBLES.items():
        training = seconds(lambda make=make: make().fit(X, y), repeats)
        ensemble = make().fit(X, y)
        for method in METHODS:
            model = rulekit.build(method, ensemble)
            extraction = seconds(lambda model=model: model.fit(X, y), repeats)
            results.append(
                {
                    "dataset": dataset,
                    "records": len(y),
                    "ensemble": name,
                    "method": method,
                    "rules": len(model.ruleset_),
                    "training_seconds": training,
                    "extraction_seconds": extraction,
                    "ratio": extraction / training,
                }
            )
    return results


def render(results: list[dict[str, Any]]) -> Table:
    """The results as a table."""
    table = Table("dataset", "records", "ensemble", "method", "rules", "training", "extraction", "ratio")
    for row in results:
        table.add_row(
            row["dataset"],
            str(row["records"]),
            row["ensemble"],
            row["method"],
            str(row["rules"]),
            f"{row['training_seconds']:.3f} s",
            f"{row['extraction_seconds']:.3f} s",
            f"{row['ratio']:.2f}",
        )
    return table


def main() -> None:
    """Measure, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("RULEKIT_DATA", "../shared/data"))
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    results = [
        row for dataset in arguments.datasets for row in measure(Path(arguments.data), dataset, arguments.repeats)
    ]
    Console().print(render(results))
    if arguments.out:
        machine = {"machine": platform.platform(), "processor": platform.processor(), "cores": os.cpu_count()}
        versions = {"numpy": np.__version__, "scikit-learn": sklearn.__version__, "rulekit": rulekit.__version__}
        arguments.out.write_text(json.dumps({**machine, **versions, "results": results}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
