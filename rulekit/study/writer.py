"""Writing to a store, by the one process that runs a study."""

import json
import os
import platform
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from rulekit.study.database import translated_errors
from rulekit.study.errors import StoreError
from rulekit.study.keys import plain_facts
from rulekit.study.rows import KEYS, row_of

if TYPE_CHECKING:
    from rulekit.study.plan import Cell
    from rulekit.study.result import Failure, Result


@attrs.frozen(eq=False)
class Writer:
    """A store that is open for writing."""

    path: Path
    _connection: sqlite3.Connection
    _file: tuple[int, int] | None = attrs.field(init=False)

    @_file.default
    def _opened(self) -> tuple[int, int] | None:
        return _identity(self.path)

    def set_plan(self, definition: Mapping[str, Any], cells: "Sequence[Cell]", base: Path | None = None) -> None:
        """Write the plan of the study; results that it no longer needs are kept, but not shown.

        Parameters
        ----------
        definition : mapping
            From `Study.to_dict`.
        cells : sequence of Cell
        base : Path, optional
            Where relative paths of the definition start from.
        """
        writer = {"process": os.getpid(), "machine": platform.node()}
        facts = {"study": json.dumps(definition, default=repr), "writer": json.dumps(writer)}
        facts |= {"base": str((base or Path()).resolve())}
        rows = [(*cell.labels.values(), cell.key) for cell in cells]
        made_from = {cell.key: json.dumps(plain_facts(cell.facts)) for cell in cells}
        with self._transaction() as connection:
            connection.execute("DELETE FROM plan")
            connection.executemany(f"INSERT INTO plan ({', '.join(KEYS)}, key) VALUES (?, ?, ?, ?, ?, ?)", rows)
            connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())
            connection.executemany("INSERT OR REPLACE INTO made_from VALUES (?, ?)", made_from.items())

    def forget(self, cells: "Sequence[Cell]") -> None:
        """Delete the results of these cells and the choices of their ensembles, to run them again."""
        keys = {(cell.key,) for cell in cells}
        groups = {(cell.group.key,) for cell in cells}
        with self._transaction() as connection:
            connection.executemany("DELETE FROM cells WHERE key = ?", keys)
            connection.executemany("DELETE FROM groups WHERE key = ?", groups)

    def done(self) -> set[str]:
        """Keys of the cells that are done."""
        return {key for (key,) in self._connection.execute("SELECT key FROM cells WHERE status = 'done'")}

    def chosen(self) -> dict[str, str]:
        """Hyperparameters of ensembles that were chosen before, as JSON, by the key of their group."""
        return dict(self._connection.execute("SELECT key, chosen FROM groups"))

    def save(self, cell: "Cell", result: "Result | Failure") -> None:
        """Commit the outcome of a cell; with an ensemble's own cell, the choice of its hyperparameters."""
        row = row_of(cell.key, result)
        with self._transaction() as connection:
            _insert(connection, "cells", row)
            if cell.variant is None and row["status"] == "done":
                _insert(connection, "groups", {"key": cell.group.key, "chosen": row["chosen"]})

    def _check_still_there(self) -> None:
        """Raise if the file was deleted or replaced: SQLite would continue to write to an unreachable file."""
        if _identity(self.path) != self._file:
            raise StoreError(
                f"{self.path} was deleted or replaced while the study was running. Put it back if it was moved, and "
                "run the study again: finished cells are in it."
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with translated_errors(self.path):
            self._check_still_there()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _identity(path: Path) -> tuple[int, int] | None:
    """The identity of a file, whatever its name; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    names = ", ".join(row)
    positions = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({positions})", row)
