"""Tables in CSV files, as the command line reads them: samples and classes, or a documented error."""

import random
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from rulekit.cli.samples import Takes, check_classes, samples
from rulekit.cli.tabular import read_table
from rulekit.core.errors import RulekitError
from rulekit.datasets.reading import Reading

from .mutations import spliced

VALID = "a,b,class\n" + "".join(f"{i % 7},{i % 5 / 2},{'xy'[i % 2]}\n" for i in range(10))


def table_file(rng: random.Random) -> str:
    """A file with some changes is refused, or holds samples and classes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        path.write_bytes(spliced(VALID, rng).encode("utf-8", "surrogatepass"))
        return read(path)


def read(path: Path) -> str:
    """Read a table, and take its samples, with all that some ensembles take and without."""
    try:
        table = read_table(path, Reading(separator=","))
    except RulekitError:
        return "refused"
    outcomes = [_taken(table, takes) for takes in (Takes(), Takes(strings=True), Takes(missing=True, categories=True))]
    return "read" if "read" in outcomes else "refused"


def _taken(table: pd.DataFrame, takes: Takes) -> str:
    try:
        found = samples(table, "class", [], "the table", takes)
        check_classes(found, "class", "the table")
    except RulekitError:
        return "refused"
    assert len(found.X) == len(found.y) == len(table)
    numbers = found.X.select_dtypes("number").to_numpy()
    assert not np.isinf(numbers).any()
    assert takes.missing or not np.isnan(numbers).any()
    assert len(np.unique(found.y)) > 1
    return "read"
