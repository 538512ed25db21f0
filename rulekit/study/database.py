"""The SQLite file with a study's results: its tables, its lock, and its errors."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from rulekit.study.errors import NoLocksError, StoreError, StoreInUseError
from rulekit.study.stored import DamagedError, table_of

#: Marks in the file's header: a store of a study, and the version of its tables.
APPLICATION, FORMAT = 0x52554C45, 1
#: First bytes of every SQLite file.
HEADER = b"SQLite format 3\0"
#: How file systems without locks answer.
NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
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
#: Added later, to files of earlier versions too: what each result depends on, so that one can say what has changed.
ADDED = "CREATE TABLE IF NOT EXISTS made_from (key TEXT PRIMARY KEY, facts TEXT NOT NULL)"


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file for reading, which is always possible."""
    if not path.is_file():
        raise StoreError(f"File not found: {path}.")
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with translated_errors(path), closing(sqlite3.connect(uri, uri=True, timeout=30)) as connection:
        _check_format(connection, path)
        yield connection


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file for the one process that may write to it; it is created if necessary."""
    if not path.parent.is_dir():
        raise StoreError(f"Folder not found: {path.parent}. Create it before writing {path.name} to it.")
    if path.is_file() and _beginning(path) not in (b"", HEADER):
        raise StoreError(f"{path} does not contain a study's results.")
    with _locked(path), translated_errors(path), closing(_connect(path)) as connection:
        _prepare(connection, path)
        try:
            yield connection
        finally:
            _tidy(connection)


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Raise SQLite's errors as a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        reason = _REASONS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "{path} could not be used")
        raise StoreError(f"{reason.format(path=path)} ({error}).") from error
    except (DamagedError, UnicodeDecodeError) as error:
        raise StoreError(f"{_REASONS[sqlite3.SQLITE_CORRUPT].format(path=path)} ({error}).") from error


def fact(connection: sqlite3.Connection, name: str) -> str | None:
    """A stored value of the whole study, by name."""
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that the operating system releases when the process ends, however it ends."""
    with translated_errors(path), closing(_connect(path.with_name(f"{path.name}.lock"), timeout=0)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            _check_locks(path)
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise StoreInUseError(
                f"{path} is being written to{_by_whom(path)}. Wait until that study has finished, stop it, or choose "
                "another file for the results."
            ) from None
        yield


def _check_locks(path: Path) -> None:
    """Raise if the file system supports no locks, which SQLite does not tell from a lock that another process holds."""
    try:
        import fcntl
    except ImportError:  # Windows, where every file system has locks
        return
    try:
        # Not the file itself: closing it would release this process's own lock on it.
        with TemporaryFile(dir=path.parent) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in NO_LOCKS:
            raise NoLocksError(
                f"The file system of {path} does not support locks ({error.strerror}), which keep two studies from "
                "writing to the same file. Choose a file on a local disk for the results; it can be moved afterwards."
            ) from error
        # Any other problem is what SQLite has reported.


def _by_whom(path: Path) -> str:
    try:
        with reading(path) as connection:
            writer = table_of(fact(connection, "writer") or "{}")
    except StoreError:  # the other process has only just started
        return ""
    return f" by process {writer.get('process')} on {writer.get('machine')}" if writer else ""


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(HEADER))


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether the file has a table, which one of an earlier version may lack."""
    return bool(connection.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0])


def _connect(path: Path, timeout: float = 30) -> sqlite3.Connection:
    # The writer begins and ends transactions explicitly.
    return sqlite3.connect(path, timeout=timeout, isolation_level=None)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new file; raise if it is another kind of file."""
    is_new = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not is_new:
        _check_format(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")  # so that others can read
    connection.execute("PRAGMA synchronous = FULL")  # so that what is committed survives a power cut too
    if is_new:
        marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
        connection.executescript(f"BEGIN IMMEDIATE; {marks} {SCHEMA} COMMIT;")
    connection.execute(ADDED)


def _tidy(connection: sqlite3.Connection) -> None:
    """Leave a single file, which can be copied and read anywhere, unless another process is reading it."""
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise StoreError(f"{path} does not contain a study's results.")
    if version != FORMAT:
        raise StoreError(
            f"{path} was written by another version of rulekit (format {version}, expected {FORMAT}). Use another file."
        )


_REASONS = {
    sqlite3.SQLITE_FULL: "The disk is full, or {path} has reached a limit: free some space and run the study again; "
    "finished cells are kept",
    sqlite3.SQLITE_IOERR: "{path} could not be read or written: check the disk and run the study again; "
    "finished cells are kept",
    sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened: is its folder read-only? Choose another one for the results",
    sqlite3.SQLITE_READONLY: "{path} is read-only: choose another file for the results",
    sqlite3.SQLITE_NOTADB: "{path} does not contain a study's results",
    sqlite3.SQLITE_CORRUPT: "{path} is damaged: delete it, or restore it from a copy",
}
