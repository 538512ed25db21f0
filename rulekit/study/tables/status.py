"""How far a study has come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rulekit.render.table import Table
from rulekit.study.statistics import KEYS
from rulekit.study.tables.numbers import counted

if TYPE_CHECKING:
    import pandas as pd

_COUNTED = ["done", "failed", "missing"]


def status_frame(results: pd.DataFrame, planned: Iterable[Mapping[str, Any]] = ()) -> pd.DataFrame:
    """Cells of each ensemble and variant that are done, failed, and missing.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    planned : iterable of mapping, optional
        Keys of all cells of the study: dataset, ensemble, variant, repeat, fold. Without them nothing is missing.

    Returns
    -------
    status : DataFrame
        Columns `ensemble`, `variant`, `done`, `failed`, `missing`.
    """
    import pandas as pd

    there = {tuple(cell[:-1]): cell[-1] for cell in results[[*KEYS, "status"]].itertuples(index=False, name=None)}
    keys = dict.fromkeys([tuple(cell[name] for name in KEYS) for cell in planned] + list(there))
    counts = Counter((key[1], key[2], there.get(key, "missing")) for key in keys)
    pairs = dict.fromkeys((key[1], key[2]) for key in keys)
    rows = [(*pair, *(counts[(*pair, status)] for status in _COUNTED)) for pair in pairs]
    return pd.DataFrame(rows, columns=["ensemble", "variant", *_COUNTED])


def status_table(status: pd.DataFrame, name: str = "status") -> Table:
    """What `status_frame` returned."""
    rows = [[str(value) for value in row] for row in status.itertuples(index=False, name=None)]
    return Table(name, "Cells", ["Ensemble", "Variant", "Done", "Failed", "Missing"], rows, status)


def status_line(status: pd.DataFrame) -> str:
    """The same in a sentence."""
    total = {name: int(status[name].sum()) for name in _COUNTED}
    cells = f"{counted(sum(total.values()), 'cell')}: {total['done']} done, {total['failed']} failed"
    return f"{cells}, {total['missing']} missing."


def failure_table(results: pd.DataFrame, name: str = "failures") -> Table:
    """Cells that failed, with the first line of their errors."""
    failed = results.loc[results["status"] == "failed", [*KEYS, "error"]]
    rows = [[*map(str, row[:-1]), _first_line(row[-1])] for row in failed.itertuples(index=False, name=None)]
    return Table(name, "Cells that failed", [*(key.capitalize() for key in KEYS), "Error"], rows, failed)


def _first_line(error: Any) -> str:
    return (str(error).strip().splitlines() or [""])[0]
