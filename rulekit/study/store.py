"""A study's results in one SQLite file.

Every result is committed when it is there, under a key that says what it depends on. The plan says which keys the
study wants and what tables call them; results of an earlier definition stay in the file and count again if the study
comes to want them again.
"""

import io
import json
import os
import platform
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.study.errors import StoreError, StoreInUseError

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.study.plan import Cell
    from rulekit.study.work import Failure, Result

KEYS = ("dataset", "ensemble", "variant", "repeat", "fold")
MEASURES = (
    *("log_loss", "brier", "confidence_ece", "classwise_ece", "accuracy", "macro_f1", "fidelity"),
    *("n_rules", "n_conditions", "n_distinct_conditions", "conditions_per_rule", "uniqueness"),
)
#: In the file's header: that it is a store of a study, and how its tables look.
APPLICATION, FORMAT = 0x52554C45, 1
#: How every file of SQLite begins.
HEADER = b"SQLite format 3\0"
SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE plan (
    position INTEGER PRIMARY KEY, dataset TEXT NOT NULL, ensemble TEXT NOT NULL, variant TEXT NOT NULL,
    repeat INTEGER NOT NULL, fold INTEGER NOT NULL, key TEXT NOT NULL
);
CREATE TABLE groups (key TEXT PRIMARY KEY, chosen TEXT NOT NULL);
CREATE TABLE cells (
    key TEXT PRIMARY KEY, status TEXT NOT NULL, finished TEXT NOT NULL, versions TEXT NOT NULL,
    error TEXT, traceback TEXT,
    seed INTEGER, chosen TEXT, seconds REAL, search_seconds REAL, n_train INTEGER, n_test INTEGER, measures TEXT,
    warnings TEXT, ruleset BLOB, diagnostics BLOB, use TEXT, truth BLOB, probabilities BLOB
);
"""


@attrs.frozen
class Store:
    """The results of a study.

    Reading is possible at any time, also while a study runs.

    Parameters
    ----------
    path : path
        The SQLite file.
    """

    path: Path = attrs.field(converter=Path)

    def results(self) -> "pd.DataFrame":
        """One row for each cell of the study that is done or has failed, in the order of the plan.

        Returns
        -------
        results : DataFrame
            `dataset`, `ensemble`, `variant`, `repeat`, `fold`; `status` ("done" or "failed") and `error`; `seconds` of
            the final fit and `search_seconds` of the choice of hyperparameters; `chosen`, as JSON; `n_train`, `n_test`;
            and one column for each measure, not a number where it does not apply.
        """
        import pandas as pd

        names = ("status", "error", "seconds", "search_seconds", "chosen", "n_train", "n_test")
        rows = [(*row[:-1], *_measures(row[-1])) for row in self._cells(*names, "measures")]
        return pd.DataFrame(rows, columns=[*KEYS, *names, *MEASURES]).astype(dict.fromkeys(MEASURES, float))

    def rulesets(self) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]], dict[str, float]]]:
        """For each finished cell with rules: its key, ruleset document, diagnostics of each rule, and their use."""
        for row in self._cells("ruleset", "diagnostics", "use"):
            if row[-3] is not None:
                yield _key(row), _inflated(row[-3]), _inflated(row[-2]), json.loads(row[-1])

    def predictions(self) -> Iterator[tuple[dict[str, Any], IntArray, FloatArray]]:
        """For each finished cell: its key, the held-out records' classes, and their stated probabilities.

        Classes are positions among the dataset's sorted labels, of shape (n_test,); probabilities are of shape
        (n_test, n_classes).
        """
        for row in self._cells("truth", "probabilities"):
            if row[-1] is not None:
                yield _key(row), _array(row[-2]), _array(row[-1])

    def planned(self) -> list[dict[str, Any]]:
        """The keys of all cells of the study: dataset, ensemble, variant, repeat, fold."""
        with self._reading() as connection:
            rows = connection.execute(f"SELECT {', '.join(KEYS)} FROM plan ORDER BY position").fetchall()
        return [_key(row) for row in rows]

    def definition(self) -> dict[str, Any]:
        """The study as it was last run, from `Study.to_dict`."""
        with self._reading() as connection:
            return dict(json.loads(_fact(connection, "study") or "{}"))

    def failures(self) -> list[dict[str, Any]]:
        """Key, error and traceback of each failed cell, the last failure first."""
        rows = [row for row in self._cells("status", "error", "traceback", "finished") if row[-4] == "failed"]
        rows.sort(key=lambda row: row[-1], reverse=True)
        return [_key(row) | {"error": row[-3], "traceback": row[-2]} for row in rows]

    def versions(self) -> list[dict[str, Any]]:
        """The versions that made the results; more than one if the study went on after an upgrade."""
        return [json.loads(text) for text in dict.fromkeys(row[-1] for row in self._cells("versions"))]

    @contextmanager
    def writing(self) -> "Iterator[Writer]":
        """Open the store for the one process that may write to it; it is made if it is not there."""
        if not self.path.parent.is_dir():
            raise StoreError(f"There is no folder {self.path.parent} to write {self.path.name} to.")
        if self.path.is_file() and _beginning(self.path) not in (b"", HEADER):
            raise StoreError(f"{self.path} does not hold a study's results.")
        with self._locked(), _told(self.path), closing(_connect(self.path)) as connection:
            _prepare(connection, self.path)
            try:
                yield Writer(self.path, connection)
            finally:
                _tidy(connection)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold a lock that the operating system releases when the process ends, however it ends."""
        path = self.path.with_name(f"{self.path.name}.lock")
        with _told(self.path), closing(_connect(path, timeout=0)) as lock:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                raise StoreInUseError(
                    f"{self.path} is being written to{self._by_whom()}. Wait until that study has ended, stop it, or "
                    "choose another file for the results."
                ) from None
            yield

    def _by_whom(self) -> str:
        try:
            with self._reading() as connection:
                writer = json.loads(_fact(connection, "writer") or "{}")
        except StoreError:  # the other process has only just begun
            return ""
        return f" by process {writer['process']} on {writer['machine']}" if writer else ""

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if not self.path.is_file():
            raise StoreError(f"There is no file {self.path}.")
        with _told(self.path), closing(_open_to_read(self.path)) as connection:
            _check_format(connection, self.path)
            yield connection

    def _cells(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        names = ", ".join([*(f"plan.{name}" for name in KEYS), *(f"cells.{name}" for name in columns)])
        with self._reading() as connection:
            yield from connection.execute(f"SELECT {names} FROM plan JOIN cells USING (key) ORDER BY plan.position")


@attrs.frozen(eq=False)
class Writer:
    """The store as the process sees it that writes to it."""

    path: Path
    _connection: sqlite3.Connection

    def set_plan(self, definition: Mapping[str, Any], cells: "Iterable[Cell]") -> None:
        """Say what the study wants; what it no longer wants is kept, but not shown."""
        writer = {"process": os.getpid(), "machine": platform.node()}
        facts = {"study": json.dumps(definition, default=repr), "writer": json.dumps(writer)}
        rows = [(*cell.labels.values(), cell.key) for cell in cells]
        with self._transaction() as connection:
            connection.execute("DELETE FROM plan")
            connection.executemany(f"INSERT INTO plan ({', '.join(KEYS)}, key) VALUES (?, ?, ?, ?, ?, ?)", rows)
            connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())

    def done(self) -> set[str]:
        """Keys of the cells that are done."""
        return {key for (key,) in self._connection.execute("SELECT key FROM cells WHERE status = 'done'")}

    def chosen(self) -> dict[str, str]:
        """Hyperparameters of ensembles that were chosen before, as JSON, by the key of their group."""
        return dict(self._connection.execute("SELECT key, chosen FROM groups"))

    def save(self, cell: "Cell", result: "Result | Failure") -> None:
        """Commit what came of a cell; with an ensemble's own cell, the choice of its hyperparameters."""
        row = _row(cell.key, result)
        with self._transaction() as connection:
            _insert(connection, "cells", row)
            if cell.variant is None and row["status"] == "done":
                _insert(connection, "groups", {"key": cell.group.key, "chosen": row["chosen"]})

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _told(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(HEADER))


def _connect(path: Path, timeout: float = 30) -> sqlite3.Connection:
    # Transactions begin and end where this file says so.
    return sqlite3.connect(path, timeout=timeout, isolation_level=None)


def _open_to_read(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new file; raise if it is another file."""
    is_new = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not is_new:
        _check_format(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")  # so that others can read
    connection.execute("PRAGMA synchronous = FULL")  # so that what is committed survives a power cut too
    if is_new:
        marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
        connection.executescript(f"BEGIN IMMEDIATE; {marks} {SCHEMA} COMMIT;")


def _tidy(connection: sqlite3.Connection) -> None:
    """Leave one file behind, which can be copied and read anywhere, unless somebody is reading just now."""
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise StoreError(f"{path} does not hold a study's results.")
    if version != FORMAT:
        raise StoreError(f"{path} was written by another version of rulekit (format {version}, not {FORMAT}).")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what SQLite's errors mean for the user."""
    try:
        yield
    except sqlite3.Error as error:
        reason = _REASONS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "{path} could not be used")
        raise StoreError(f"{reason.format(path=path)} ({error}).") from error


_REASONS = {
    sqlite3.SQLITE_FULL: "The disk is full, or {path} has reached a limit: make room and run the study again, what was "
    "finished is kept",
    sqlite3.SQLITE_IOERR: "{path} could not be read or written: look at the disk, and run the study again, what was "
    "finished is kept",
    sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened: is its folder read-only? Choose another one for the results",
    sqlite3.SQLITE_READONLY: "{path} is read-only: choose another file for the results",
    sqlite3.SQLITE_NOTADB: "{path} does not hold a study's results",
    sqlite3.SQLITE_CORRUPT: "{path} is damaged: delete it, or restore it from a copy",
}


def _row(key: str, result: "Result | Failure") -> dict[str, Any]:
    """A result as the columns of its row."""
    from rulekit.study.work import Failure

    common = {
        "key": key,
        "status": "failed" if isinstance(result, Failure) else "done",
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "versions": json.dumps(result.versions),
    }
    if isinstance(result, Failure):
        return {**common, "error": result.error, "traceback": result.traceback}
    return {
        **common,
        "seed": result.seed,
        "chosen": as_json(result.chosen),
        "seconds": result.seconds,
        "search_seconds": result.search_seconds,
        "n_train": result.n_train,
        "n_test": result.n_test,
        "measures": json.dumps(result.measures),
        "warnings": json.dumps(result.warnings),
        "ruleset": None if result.ruleset is None else _deflated(result.ruleset),
        "diagnostics": None if result.diagnostics is None else _deflated(result.diagnostics),
        "use": None if result.use is None else json.dumps(result.use),
        "truth": _bytes(result.truth),
        "probabilities": _bytes(result.probabilities),
    }


def as_json(configuration: Mapping[str, Any]) -> str:
    """Hyperparameters as text."""
    return json.dumps(configuration, default=repr)


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    names = ", ".join(row)
    places = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({places})", row)


def _fact(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def _key(row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(KEYS, row, strict=False))


def _measures(text: str | None) -> list[float]:
    found = json.loads(text or "{}")
    return [found.get(name, float("nan")) for name in MEASURES]


def _deflated(document: Any) -> bytes:
    return zlib.compress(json.dumps(document, default=_plain).encode())


def _inflated(data: bytes) -> Any:
    return json.loads(zlib.decompress(data))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} has no place in a document")


def _bytes(array: IntArray | FloatArray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return zlib.compress(file.getvalue())


def _array(data: bytes) -> Any:
    return np.load(io.BytesIO(zlib.decompress(data)), allow_pickle=False)
