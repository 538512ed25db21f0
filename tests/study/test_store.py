"""The file with a study's results: what goes in comes out, one process writes, and errors say what to do."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from study.made_up import contents, small_study, write_tables

from rulekit.evaluation.held_out import registered_measures
from rulekit.study import Store, Variant, database, run_study
from rulekit.study.data import load_datasets
from rulekit.study.database import FORMAT
from rulekit.study.errors import NoLocksError, StoreError, StoreInUseError
from rulekit.study.plan import plan
from rulekit.study.result import Failure, Result
from rulekit.study.rows import KEYS

#: Opens a store for writing, says so, and waits.
HOLDER = """
import sys, time
from rulekit.study import Store
with Store(sys.argv[1]).writing() as writer:
    writer.set_plan({}, [])
    print("open", flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Four cells of one group."""
    study = small_study(write_tables(tmp_path_factory.mktemp("tables")))
    return plan(study, load_datasets(study))[:4]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "study.sqlite")


def result(**changes) -> Result:
    """A result of two held-out samples."""
    facts = {
        "chosen": {"n_estimators": 2, "max_depth": None},
        "seconds": 1.5,
        "search_seconds": 2.5,
        "n_train": 4,
        "n_test": 2,
        "measures": {"log_loss": 0.25, "n_rules": 3.0},
        "truth": np.array([0, 1]),
        "probabilities": np.array([[0.75, 0.25], [1 / 3, 2 / 3]]),
        "seed": 9,
    }
    return Result(**(facts | changes))


RULES = {
    "ruleset": {"rules": [1, 2]},
    "diagnostics": [{"rule": 1, "n_fired": np.int64(3), "gap": float("nan")}],
    "use": {"selected": 0.5},
}


def fill(store, cells, *results):
    with store.writing() as writer:
        writer.set_plan({"name": "made up"}, cells)
        for cell, each in zip(cells, results, strict=False):
            writer.save(cell, each)


class TestResults:
    def test_have_a_column_for_every_fact_and_measure(self, store, cells):
        fill(store, cells, result())
        columns = ["status", "error", "seconds", "search_seconds", "chosen", "n_train", "n_test"]
        assert store.results().columns.tolist() == [*KEYS, *columns, *registered_measures()]

    def test_are_what_was_saved(self, store, cells):
        fill(store, cells, result())
        (row,) = store.results().to_dict("records")
        expected = {
            **{"dataset": "one", "ensemble": "rf", "variant": "ensemble", "repeat": 1, "fold": 1},
            **{"status": "done", "seconds": 1.5, "search_seconds": 2.5, "n_train": 4, "n_test": 2},
            **{"chosen": '{"n_estimators": 2, "max_depth": null}', "log_loss": 0.25, "n_rules": 3.0},
        }
        assert {name: row[name] for name in expected} == expected

    def test_are_not_a_number_where_a_measure_does_not_apply(self, store, cells):
        fill(store, cells, result())
        assert np.isnan(store.results().loc[0, "fidelity"])

    def test_of_a_failed_cell_have_its_error(self, store, cells):
        fill(store, cells, Failure("ValueError", "no", "Traceback: no"))
        row = store.results().loc[0]
        assert (row["status"], row["error"]) == ("failed", "ValueError: no")
        assert store.failures()[0]["traceback"] == "Traceback: no"

    def test_replace_an_earlier_failure(self, store, cells):
        fill(store, cells, Failure("ValueError", "no", ""))
        fill(store, cells, result())
        assert store.results()["status"].tolist() == ["done"]

    def test_come_in_the_order_of_the_plan(self, store, cells):
        fill(store, cells[::-1], *[result()] * 4)
        assert store.results()["variant"].tolist() == ["dt", "rc+", "rcprob", "ensemble"]

    def test_that_the_study_no_longer_wants_are_kept_but_not_shown(self, store, cells):
        fill(store, cells, result(), result())
        fill(store, cells[:1])
        assert len(store.results()) == 1
        fill(store, cells)
        assert len(store.results()) == 2

    def test_have_rules_and_predictions(self, store, cells):
        fill(store, cells, result(), result(**RULES))
        ((key, document, (diagnostics,), use),) = store.rulesets()
        assert (key["variant"], document, use) == ("rcprob", RULES["ruleset"], RULES["use"])
        assert (diagnostics["n_fired"], np.isnan(diagnostics["gap"])) == (3, True)
        found = list(store.predictions())
        assert [key["variant"] for key, *_ in found] == ["ensemble", "rcprob"]
        np.testing.assert_array_equal(found[0][1], [0, 1])
        np.testing.assert_array_equal(found[0][2], result().probabilities)

    def test_say_what_made_them(self, store, cells):
        fill(store, cells, result(versions={"rulekit": "1"}), result(versions={"rulekit": "2"}))
        assert store.versions() == [{"rulekit": "1"}, {"rulekit": "2"}]

    def test_can_be_read_while_a_process_writes(self, store, cells):
        with store.writing() as writer:
            writer.set_plan({}, cells)
            writer.save(cells[0], result())
            assert len(Store(store.path).results()) == 1

    def test_are_one_file_beside_the_lock_also_after_they_were_read(self, store, cells, tmp_path):
        fill(store, cells, result())
        store.results()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["study.sqlite", "study.sqlite.lock"]

    def test_of_a_store_without_any_are_an_empty_table(self, store, cells):
        fill(store, cells)
        assert (len(store.results()), len(store.planned())) == (0, 4)


class TestHyperparameters:
    def test_of_an_ensemble_are_known_from_its_own_cell(self, store, cells):
        fill(store, cells, result())
        with store.writing() as writer:
            assert writer.chosen() == {cells[0].group.key: '{"n_estimators": 2, "max_depth": null}'}

    def test_of_an_ensemble_that_failed_are_not(self, store, cells):
        fill(store, cells, Failure("ValueError", "no", ""), result())
        with store.writing() as writer:
            assert writer.chosen() == {}


def holder(path: Path) -> subprocess.Popen:
    """A process that has opened a store for writing."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "open\n"
    return process


class TestLock:
    def test_keeps_a_second_process_out_and_says_who_holds_it(self, store):
        with holder(store.path) as process:
            with pytest.raises(StoreInUseError) as raised, store.writing():
                pass
            process.kill()
        expected = f"{store.path} is being written to by process {process.pid} on "
        assert str(raised.value).startswith(expected)

    def test_of_a_killed_process_is_gone(self, store, cells):
        with holder(store.path) as process:
            os.kill(process.pid, signal.SIGKILL)
        fill(store, cells, result())
        assert len(store.results()) == 1

    def test_keeps_a_second_writer_of_the_same_process_out(self, store):
        with store.writing(), pytest.raises(StoreInUseError), Store(store.path).writing():
            pass

    @pytest.mark.parametrize("code", ["ENOLCK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])
    @pytest.mark.parametrize("answer", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR_LOCK])
    def test_of_a_file_system_without_locks_is_not_blamed_on_another_study(self, store, code, answer, monkeypatch):
        """SQLite reports such a file system as if another process held the lock, or as a damaged disk."""

        class Unlockable(sqlite3.Connection):
            def execute(self, *_):
                raise_code(sqlite3.OperationalError("database is locked"), answer)

        def lockf(*_):
            raise OSError(getattr(errno, code), os.strerror(getattr(errno, code)))

        monkeypatch.setattr(database, "_connect", lambda path, timeout=0: sqlite3.connect(path, factory=Unlockable))
        monkeypatch.setattr("fcntl.lockf", lockf)
        with pytest.raises(NoLocksError, match=r"does not support locks \(.+\).* Choose a file on a local disk"):
            store.writing().__enter__()

    def test_is_released_after_an_error(self, store):
        with pytest.raises(KeyError), store.writing():
            raise KeyError
        with store.writing():
            pass


def raise_code(error: sqlite3.Error, code: int) -> None:
    error.sqlite_errorcode = code
    raise error


def error(work) -> str:
    with pytest.raises(StoreError) as raised:
        work()
    return str(raised.value)


@contextmanager
def stopped_by_permissions() -> Iterator[Path]:
    """A folder of a user whom permissions stop: the superuser becomes somebody else for a while."""
    nobody = 65534
    with TemporaryDirectory() as name:
        is_superuser = os.geteuid() == 0
        if is_superuser:
            os.chown(name, nobody, nobody)
            os.seteuid(nobody)
        try:
            yield Path(name)
        finally:
            Path(name).chmod(0o700)
            if is_superuser:
                os.seteuid(0)


def opened(store):
    with store.writing():
        pass


class TestErrors:
    def test_of_a_file_that_is_not_there(self, store):
        assert error(store.results) == f"File not found: {store.path}."

    def test_of_a_folder_that_is_not_there(self, tmp_path):
        store = Store(tmp_path / "none" / "study.sqlite")
        assert (
            error(lambda: opened(store))
            == f"Folder not found: {tmp_path / 'none'}. Create it before writing study.sqlite to it."
        )

    @pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write to")
    def test_of_a_folder_that_cannot_be_written_to(self):
        message = error(lambda: opened(Store("/proc/study.sqlite")))
        assert message.startswith(
            "/proc/study.sqlite cannot be opened: is its folder read-only? Choose another one for"
        )

    @pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")
    def test_of_a_folder_without_permission(self, cells):
        with stopped_by_permissions() as folder:
            store = Store(folder / "study.sqlite")
            folder.chmod(0o500)
            assert "is its folder read-only?" in error(lambda: opened(store))

    @pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")
    def test_of_a_file_without_permission(self, cells):
        """What was finished can still be read."""
        with stopped_by_permissions() as folder:
            store = Store(folder / "study.sqlite")
            fill(store, cells, result())
            store.path.chmod(0o400)
            folder.chmod(0o500)
            assert "read-only" in error(lambda: opened(store))
            assert len(store.results()) == 1

    def test_of_a_file_of_another_kind(self, store):
        store.path.write_text("datasets = []")
        expected = f"{store.path} does not contain a study's results."
        assert error(lambda: opened(store)) == expected
        assert error(store.results).startswith(expected[:-1])
        assert store.path.read_text() == "datasets = []"

    def test_of_a_database_of_somebody_else(self, store):
        with sqlite3.connect(store.path) as other:
            other.execute("CREATE TABLE a (b)")
        other.close()
        assert error(lambda: opened(store)) == f"{store.path} does not contain a study's results."

    def test_of_another_format(self, store):
        opened(store)
        with sqlite3.connect(store.path) as other:
            other.execute(f"PRAGMA user_version = {FORMAT + 1}")
        other.close()
        expected = f"written by another version of rulekit (format {FORMAT + 1}, expected {FORMAT}). Use another file."
        assert error(store.results).endswith(expected)

    def test_of_a_full_disk_say_so_and_keep_what_is_there(self, store, cells):
        """SQLite says the same of a limit of its own as of a disk without room."""
        fill(store, cells, result())
        large = result(probabilities=np.random.default_rng(0).random((20_000, 2)))

        def fill_disk():
            with store.writing() as writer:
                writer._connection.execute("PRAGMA max_page_count = 20")
                writer.save(cells[1], large)

        assert error(fill_disk).startswith(
            f"The disk is full, or {store.path} has reached a limit: free some space and run"
        )
        assert store.results()["variant"].tolist() == ["ensemble"]
        fill(store, cells[:2])
        assert len(store.results()) == 1

    @pytest.mark.parametrize("comes_back", [False, True])
    def test_of_a_file_that_is_deleted_in_the_meantime(self, store, cells, comes_back):
        def delete_and_go_on():
            with store.writing() as writer:
                writer.save(cells[0], result())
                store.path.unlink()
                if comes_back:
                    store.path.write_bytes(b"")
                writer.save(cells[1], result())

        assert error(delete_and_go_on).startswith(f"{store.path} was deleted or replaced while the study was running.")

    def test_of_a_damaged_file(self, store, cells):
        fill(store, cells, *[result(**RULES)] * 4)
        content = bytearray(store.path.read_bytes())
        content[4096:] = b"x" * (len(content) - 4096)
        store.path.write_bytes(content)
        assert "is damaged: delete it, or restore it from a copy" in error(store.results)

    @pytest.mark.parametrize(
        ("column", "value", "message"),
        [
            ("measures", "{", "JSON cannot be read: Expecting property name"),
            ("measures", "[1]", "a table was expected, not list"),
            ("measures", '{"brier": "low"}', "a number was expected, not str"),
            ("measures", '{"brier": 1' + "0" * 400 + "}", "int too large to convert to float"),
            ("versions", "[" * 10_000, "JSON cannot be read: maximum recursion depth"),
            ("ruleset", "text", "bytes were expected, not str"),
            ("ruleset", b"no zlib", "Error -3 while decompressing"),
            ("diagnostics", zlib.compress(b"\xff"), "JSON cannot be read: 'utf-8' codec"),
            ("use", 3, "a table was expected, not int"),
            ("truth", zlib.compress(b"no array"), "an array cannot be read: "),
            ("probabilities", zlib.compress(b"\x93NUMPY\x01\x00\x04\x00{'a:"), "an array cannot be read: "),
        ],
    )
    def test_of_a_damaged_value(self, store, cells, column, value, message):
        """What the readers of JSON, zlib and NumPy said came through, in a dozen classes."""
        fill(store, cells, result(**RULES))
        with sqlite3.connect(store.path) as other:
            other.execute(f"UPDATE cells SET {column} = ?", (value,))
        other.close()
        told = error(lambda: [store.results(), *store.rulesets(), *store.predictions(), *store.versions()])
        assert told.startswith(f"{store.path} is damaged: delete it, or restore it from a copy ({message}")

    def test_of_a_text_that_is_none(self, store, cells):
        fill(store, cells, result())
        with sqlite3.connect(store.path) as other:
            other.execute("UPDATE facts SET value = CAST(x'a8ff' AS TEXT) WHERE name = 'study'")
        other.close()
        assert "could not be used" in error(store.definition)


def test_a_whole_study_comes_back_the_same(tmp_path):
    study = small_study(write_tables(tmp_path), datasets=["one"], variants=[Variant("rcprob")])
    run_study(study, tmp_path / "a.sqlite", n_jobs=1)
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes((tmp_path / "a.sqlite").read_bytes())  # one file is all there is
    assert contents(copy) == contents(tmp_path / "a.sqlite")
    assert Store(copy).definition() == study.to_dict()
