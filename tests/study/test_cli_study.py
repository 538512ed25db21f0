"""rulekit study on the command line."""

import io
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from cli.terminal import run, text
from rich.console import Console
from study.made_up import broken, small_study, write_tables, write_toml

import rulekit
from rulekit.plugin.manager import plugins
from rulekit.study import Store, run_study
from rulekit.study.data import load_datasets
from rulekit.study.plan import plan
from rulekit.study.progress import Bar, progress_on
from rulekit.study.result import Failure


@pytest.fixture
def study(tmp_path):
    return write_toml(write_tables(tmp_path))


@pytest.fixture
def broken_estimator():
    rulekit.register("probability", "broken", type(broken()))
    yield "broken"
    plugins.cache_clear()


def error(*arguments):
    """The one line of an error."""
    result = run("study", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("Error: ").rstrip("\n")


class TestRun:
    def test_fills_a_store_beside_the_study_and_says_where(self, study):
        result = run("study", "run", study, "--jobs", 1)
        store = study.with_suffix(".sqlite")
        assert (result.exit_code, len(Store(store).results())) == (0, 12)
        assert result.stdout == f"12 cells: 12 done, 0 failed. Results: {store}\n"

    def test_prints_a_line_for_each_cell_to_a_pipe(self, study):
        lines = run("study", "run", study, "--jobs", 1).stderr.splitlines()
        assert lines[0] == "12 cells; 1 at a time."
        assert lines[1].startswith("[1/12] one, rf, ensemble, repeat 1, fold 1: done in 0.")
        assert len(lines) == 13

    def test_goes_on_where_it_stopped(self, study, tmp_path):
        run("study", "run", study, "--jobs", 1)
        study.write_text(study.read_text() + '[variants.mean]\nmethod = "rcprob"\nparameters = { priors = "mean" }\n')
        result = run("study", "run", study, "--jobs", 1)
        assert result.stderr.startswith("16 cells, 12 of them already done; 1 at a time.\n[13/16] one, rf, mean, ")
        assert result.stdout.startswith("16 cells: 16 done (12 of them earlier), 0 failed. Results: ")

    def test_tells_of_failures_and_exits_with_1(self, study, tmp_path, broken_estimator):
        parameters = f'parameters = {{ final_estimator = "{broken_estimator}" }}'
        study.write_text(study.read_text() + f'[variants.bad]\nmethod = "rcprob"\n{parameters}\n')
        result = run("study", "run", study, "--jobs", 1, "--store", tmp_path / "other.sqlite")
        assert result.exit_code == 1
        assert "16 cells: 12 done, 4 failed. Results: " in result.stdout
        problem = "ValueError: No estimate today."
        assert f"\nErrors:\n  two, rf, bad, repeat 1, fold 2: {problem}\n" in result.stdout
        assert result.stdout.endswith("\nRun the same command again to retry them.\n")
        assert f"one, rf, bad, repeat 1, fold 1: failed: {problem}\n" in result.stderr

    @pytest.mark.parametrize(("option", "expected"), [((), 600), (("--cell-seconds", 2.5), 2.5)])
    def test_takes_the_time_limit_of_the_option_or_of_the_study(self, study, monkeypatch, option, expected):
        asked = []

        def stop(study, *_, **__):
            asked.append(study.cell_seconds)
            raise KeyboardInterrupt

        monkeypatch.setattr("rulekit.study.run_study", stop)
        study.write_text("cell_seconds = 600\n" + study.read_text())
        assert run("study", "run", study, *option).exit_code == 130
        assert asked == [expected]

    def test_runs_everything_again_on_request(self, study):
        run("study", "run", study, "--jobs", 1)
        assert (
            run("study", "run", study, "--jobs", 1, "--resume").stderr
            == "12 cells, 12 of them already done; 1 at a time.\n"
        )
        result = run("study", "run", study, "--jobs", 1, "--no-resume")
        assert result.stderr.startswith("12 cells; 1 at a time.\n[1/12] one, rf, ensemble, ")

    def test_that_is_interrupted_says_how_to_go_on(self, study, monkeypatch):
        def stopped(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr("rulekit.study.run.run_study", stopped)
        monkeypatch.setattr("rulekit.study.run_study", stopped, raising=False)
        result = run("study", "run", study)
        assert (result.exit_code, result.stdout) == (130, "")
        assert "run the same command again to continue." in text(result.stderr)

    def test_help_shows_an_example(self):
        lines = [line.strip(" │") for line in run("study", "run", "--help").stdout.splitlines()]
        assert "rulekit study run study.toml" in lines


class TestErrors:
    def test_of_a_file_that_is_not_there(self, tmp_path):
        assert error("run", tmp_path / "none.toml") == f"File not found: {tmp_path / 'none.toml'}."

    def test_of_a_definition_name_the_file_and_the_place(self, study):
        study.write_text(study.read_text().replace("grid", "gird", 1))
        assert error("run", study).startswith(f"{study}: [ensembles.rf]: unknown key 'gird'. Did you mean 'grid'?")

    def test_of_a_part_that_does_not_exist(self, study):
        study.write_text(study.read_text().replace("variants.rcprob", "variants.rcpro"))
        assert error("run", study).startswith("[variants.rcpro]: No method named 'rcpro'. Did you mean 'rcprob'?")

    def test_of_a_value_that_cannot_be_name_the_variant_and_the_key(self, study):
        study.write_text(study.read_text().replace("0.75]", "7.5]"))
        expected = (
            "[variants.rcprob]: RuleExtractor: min_precision must be a number of at least 0 and at most 1, got 7.5."
        )
        assert error("run", study) == expected

    def test_of_a_dataset_that_does_not_exist(self, study):
        study.write_text(study.read_text().replace('"two"', '"tow"'))
        assert "There is no tow.csv in " in error("run", study)

    def test_of_a_store_that_is_no_store(self, study):
        assert error("run", study, "--store", study) == f"{study} does not contain a study's results."

    def test_of_a_store_that_another_process_writes_to(self, study):
        path = study.with_suffix(".sqlite")
        with Store(path).writing():
            assert error("run", study).startswith(f"{path} is being written to")

    def test_of_a_time_limit_that_is_none(self, study):
        assert error("run", study, "--cell-seconds", 0) == "cell_seconds must be a number above 0, got 0.0."

    def test_of_a_scheduler_without_dask(self, study):
        expected = "--scheduler is used only with a Dask cluster: add --backend dask."
        assert error("run", study, "--scheduler", "tcp://a:1") == expected

    def test_of_dask_without_a_scheduler(self, study):
        assert error("run", study, "--backend", "dask").startswith("--backend dask needs the address of the cluster:")

    def test_of_dask_with_jobs(self, study):
        options = ("--backend", "dask", "--scheduler", "tcp://a:1", "--jobs", 2)
        assert (
            error("run", study, *options)
            == "--jobs is not supported with --backend dask: a Dask cluster has its own workers."
        )

    def test_of_a_profile_of_another_study(self, study):
        assert error("run", study, "--profile", "small").startswith(
            "--profile applies to a plugin's study that is run by its name"
        )

    def test_of_a_full_disk(self, study, monkeypatch):
        from rulekit.study import database

        connect = database._connect

        def small(path, **options):
            connection = connect(path, **options)
            connection.execute("PRAGMA max_page_count = 12")
            return connection

        monkeypatch.setattr(database, "_connect", small)
        result = run("study", "run", study, "--jobs", 1)
        assert result.exit_code == 2
        last = result.stderr.splitlines()[-1]
        assert last.startswith(
            f"Error: The disk is full, or {study.with_suffix('.sqlite')} has reached a limit: free some space"
        )

    def test_of_a_second_process_are_one_line(self, study):
        command = [sys.executable, "-m", "rulekit", "study", "run", str(study), "--jobs", "1"]
        path = study.with_suffix(".sqlite")
        with Store(path).writing():
            shown = subprocess.run(command, capture_output=True, text=True)
        assert (shown.returncode, shown.stdout, shown.stderr.count("\n")) == (2, "", 1)
        assert shown.stderr.startswith(f"Error: {path} is being written to")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One dataset done, of the other one a cell failed and some missing."""
    folder = write_tables(tmp_path_factory.mktemp("tables"))
    path, study = folder / "study.sqlite", small_study(folder)
    run_study(study, path, n_jobs=1)
    keys = {tuple(cell.labels.values()): cell for cell in plan(study, load_datasets(study))}
    failed = keys["two", "rf", "rc+", 1, 2]
    with Store(path).writing() as writer:
        writer.save(failed, Failure("ValueError", "of\nno use", "Traceback\n  here"))
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM cells WHERE key = ?", (keys["two", "gbm", "dt", 1, 1].key,))
    connection.close()
    return path


class TestStatus:
    def test_counts_cells_by_dataset_and_variant(self, store):
        lines = [" ".join(line.split()) for line in run("study", "status", store).stdout.splitlines()]
        assert lines[0] == "made up, 32 cells: 29 done, 1 failed, 2 missing."
        assert lines[5:10] == [
            "one all 16 - -",
            "two ensemble 4 - -",
            "two rcprob 4 - -",
            "two rc+ 3 1 -",
            "two dt 2 - 2",
        ]

    def test_shows_the_last_errors(self, store):
        shown = run("study", "status", store).stdout
        assert shown.endswith("\nErrors:\n  two, rf, rc+, repeat 1, fold 2: ValueError: of no use\n")

    def test_shows_a_traceback_on_request(self, store):
        assert run("study", "status", store, "--traceback").stdout.endswith("\nTraceback\n  here\n")

    def test_says_what_made_the_results(self, store):
        assert "Made by rulekit 0." in run("study", "status", store).stdout

    def test_shows_what_would_act_on_a_terminal_as_its_code(self, store, tmp_path):
        """A store may be that of somebody else."""
        hostile = Path(shutil.copy(store, tmp_path))
        with sqlite3.connect(hostile) as connection:
            for table, column in (("plan", "dataset"), ("cells", "error"), ("cells", "traceback")):
                connection.execute(f"UPDATE {table} SET {column} = {column} || char(27) || '[2J' || char(8238)")
        connection.close()
        shown = run("study", "status", hostile, "--traceback").stdout
        assert shown.count(r"\x1b[2J\u202e") > 3
        assert not {"\x1b", "\u202e"} & set(shown)

    def test_of_a_file_that_is_not_there_is_an_error(self, tmp_path):
        assert error("status", tmp_path / "none") == f"File not found: {tmp_path / 'none'}."


class TestReport:
    def test_into_a_folder_that_cannot_be_says_so(self, store):
        expected = f"Cannot write to {store / 'here'}: Not a directory. Choose another folder with --out FOLDER."
        assert error("report", store, "--out", store / "here") == expected


class TestBar:
    def test_says_what_is_running_failed_and_left(self, tmp_path):
        study = small_study(write_tables(tmp_path), datasets=["one"])
        cells = plan(study, load_datasets(study))
        screen = Console(file=io.StringIO(), width=140, force_terminal=True)
        with progress_on(screen) as bar:
            assert isinstance(bar, Bar)
            bar.begin(16, 4, 2)
            task = bar._display.tasks[0]
            assert (task.description, task.completed, task.total) == ("2 running, 0 failed", 4, 16)
            bar.finished(cells[0], Failure("ValueError", "no", ""), 1)
            assert task.description == "2 running, 1 failed, 0:00:00 left"
            bar._display.advance(bar._task, 10)
            bar.finished(cells[1], Failure("ValueError", "no", ""), 1)
            assert (task.description, task.completed) == ("0 running, 2 failed, 0:00:00 left", 16)
        assert "2 running" in screen.file.getvalue()
