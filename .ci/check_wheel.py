"""What an installed rulekit must do without any extra; run by `.ci/wheel` in an empty environment."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import metadata, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit import plots
from rulekit.core.errors import MissingExtraError
from rulekit.plugin.kinds import KINDS

OPTIONAL = ("xgboost", "lightgbm", "catboost", "matplotlib", "numba", "onnx", "openpyxl", "jinja2", "distributed")
OPTIONAL += ("pyarrow", "statsmodels", "polars", "pytest")
STUDY = """
datasets = ["sklearn:iris"]
cell_seconds = 300
[outer]
splits = 2
[ensembles.rf]
parameters = { n_estimators = 5 }
[variants.rcprob]
"""


def command(*arguments: str, code: int = 0) -> str:
    """What a command prints; it must end with that code."""
    environment = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-m", "rulekit", *arguments], capture_output=True, text=True, env=environment
    )
    assert done.returncode == code, f"rulekit {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def names_extra(extra: str, use: Callable[[], Any]) -> None:
    """Check that something that needs an extra says which."""
    said = ""
    try:
        use()
    except MissingExtraError as error:
        said = str(error)
    assert f"pip install 'rulekit-rcprob[{extra}]'" in said, said or f"it works without the extra {extra}"


def check_installed() -> None:
    """It is the installed package, of the version that it says, without any optional library."""
    assert Path(rulekit.__file__).is_relative_to(sys.prefix), rulekit.__file__
    assert rulekit.__version__ == version("rulekit-rcprob")
    assert metadata("rulekit-rcprob")["License-Expression"] == "BSD-3-Clause"
    assert (Path(rulekit.__file__).parent / "py.typed").exists()
    assert [name for name in OPTIONAL if find_spec(name)] == []


def check_commands() -> None:
    """The commands work: a demonstration, rules of a table, exports, a study, a plugin of every kind."""
    assert "iris" in command("demo", "--dataset", "iris")
    load_iris(as_frame=True).frame.to_csv("iris.csv", index=False)
    command("extract", "iris.csv", "--target", "target", "--n-estimators", "5", "--out", "rules.json")
    rules = rulekit.RuleSet.from_dict(json.loads(Path("rules.json").read_text()))
    assert rules.predict_proba(pd.read_csv("iris.csv").drop(columns="target")).shape == (150, 3)
    for kind in ("json", "python", "sql", "c", "pmml", "csv"):
        assert command("export", "rules.json", "--to", kind)
    Path("study.toml").write_text(STUDY)
    assert "4 cells: 4 done" in command("study", "run", "study.toml", "--jobs", "2")
    for kind in KINDS:
        command("new-plugin", f"rulekit-of-{kind}", "--kind", kind)
        assert Path(f"rulekit-of-{kind}", "pyproject.toml").exists()
    assert "rulekit-rcprob" in command("info")


def check_extras() -> None:
    """What needs an extra says which."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = rulekit.build("rcprob", ensemble=RandomForestClassifier(5, random_state=0)).fit(X, y)
    for name in ("xgboost", "lightgbm", "catboost"):
        names_extra(name, lambda name=name: rulekit.build("rcprob", ensemble=name).fit(X, y))
    names_extra("fast", lambda: rulekit.using_engine("numba").__enter__())
    names_extra("onnx", lambda: model.ruleset_.export("rules.onnx"))
    names_extra("excel", lambda: model.ruleset_.export("rules.xlsx"))
    names_extra("report", lambda: model.report("rules.html", X, y))
    names_extra("plots", lambda: plots.search_history(model.history_))
    Path("table.parquet").touch()
    assert "rulekit-rcprob[parquet]" in command("extract", "table.parquet", "--target", "y", code=2)
    address = ("--backend", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert "rulekit-rcprob[dask]" in command("study", "run", "study.toml", *address, code=2)
    assert "rulekit-rcprob[plots]" in command("study", "report", "study.sqlite", code=2)


if __name__ == "__main__":
    for check in (check_installed, check_commands, check_extras):
        check()
        print(f"{check.__name__}: {check.__doc__}")
