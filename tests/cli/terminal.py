"""Running the command line in this process, and a small table to run it on."""

import re
from typing import Any

import pandas as pd
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from rulekit.cli.app import app

#: Few trees, so that a run takes a tenth of a second.
QUICK = ("--n-estimators", "3", "--max-depth", "2")


def run(*arguments: object, **environment: str) -> Any:
    """The result of `rulekit ARGUMENTS`: exit_code, stdout, stderr."""
    return CliRunner().invoke(
        app, [str(argument) for argument in arguments], env={"COLUMNS": "", **environment}, prog_name="rulekit"
    )


def text(shown: str) -> str:
    """What a person reads: without colours, frames and line breaks."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m|[│╭╮╰╯─]", " ", shown).split())


def iris_table() -> pd.DataFrame:
    """Iris with the names of its classes, every other sample."""
    bunch = load_iris(as_frame=True)
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    table = bunch.data.set_axis(names, axis="columns")
    return table.assign(species=bunch.target_names[bunch.target]).iloc[::2].reset_index(drop=True)
