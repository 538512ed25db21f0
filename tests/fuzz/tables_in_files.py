"""Tables in CSV files, as the command line reads them: records and classes, or a documented error."""

from pathlib import Path

import numpy as np

from rulekit.cli.holdout import Source
from rulekit.cli.records import Takes, check_classes
from rulekit.core.errors import RulekitError

VALID = "a,b,class\n" + "".join(f"{i % 7},{i % 5 / 2},{'xy'[i % 2]}\n" for i in range(10))


def read(path: Path) -> str:
    """Read a table, with all that some ensembles take and without."""
    outcomes = [_read(path, takes) for takes in (Takes(), Takes(missing=True, categories=True))]
    return outcomes[0]


def _read(path: Path, takes: Takes) -> str:
    try:
        found = Source(path, "class", [], ",", takes).read()
        check_classes(found, "class", path.name)
    except RulekitError:
        return "refused"
    assert len(found.X) == len(found.y)
    numbers = found.X.select_dtypes("number").to_numpy()
    assert not np.isinf(numbers).any()
    assert takes.missing or not np.isnan(numbers).any()
    assert len(np.unique(found.y)) > 1
    return "read"
