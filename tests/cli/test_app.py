"""The commands as a user finds them."""

import inspect
import os
import re
import subprocess
import sys

import pytest
from cli.terminal import run, text

import rulekit
from rulekit.cli.extract import extract

COMMANDS = ["demo", "extract", "components"]


def real(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, written to pipes."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "rulekit", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
    )


class TestVersion:
    def test_is_printed(self):
        assert run("--version").stdout == f"rulekit {rulekit.__version__}\n"


class TestHelp:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_of_all_names_every_command(self, command):
        assert f" {command} " in text(run("--help").stdout)

    def test_is_what_no_arguments_give(self):
        assert (run().exit_code, text(run().stdout)) == (0, text(run("--help").stdout))

    @pytest.mark.parametrize("command", COMMANDS)
    def test_of_a_command_shows_an_example_in_a_line_of_its_own(self, command):
        lines = [line.strip() for line in run(command, "--help").stdout.splitlines()]
        assert any(line.startswith(f"rulekit {command}") for line in lines)

    @pytest.mark.parametrize("parameter", inspect.signature(extract).parameters)
    def test_of_extract_names_every_option(self, parameter):
        option = {"data": "DATA", "settings": "--set"}.get(parameter, f"--{parameter.replace('_', '-')}")
        assert f" {option} " in text(run("extract", "--help").stdout)

    def test_of_extract_says_that_a_model_file_runs_code(self):
        expected = "Allow --model to be a pickle. Loading a pickle runs the code in it: use it only with trusted files."
        assert expected in text(run("extract", "--help").stdout)


class TestWrongUsage:
    def test_an_unknown_command_is_an_error_that_suggests_one(self):
        result = run("demmo")
        assert result.exit_code == 2
        assert "No such command 'demmo'" in text(result.stderr)

    def test_an_unknown_option_is_an_error(self):
        result = run("demo", "--sead", "1")
        assert result.exit_code == 2
        assert re.search("No such option:? '?--sead", text(result.stderr))  # click writes it in two ways

    def test_extract_asks_for_a_target(self, data):
        result = run("extract", data)
        assert result.exit_code == 2
        assert "Missing option '--target'" in text(result.stderr)


class TestProcess:
    def test_help_loads_neither_pandas_nor_trees_beyond_what_the_package_loads(self):
        code = (
            "import sys, rulekit; before = set(sys.modules); from rulekit.cli.app import app; "
            "app(['--help'], standalone_mode=False); "
            "print(*(set(sys.modules) - before), file=sys.stderr)"
        )
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
        loaded = {name.partition(".")[0] for name in shown.stderr.split()}
        assert loaded & {"pandas", "sklearn", "numpy", "joblib"} == set()

    def test_python_m_rulekit_runs_a_command_that_writes_lines_of_100_characters_to_a_pipe(self, data):
        shown = real("extract", str(data), "--target", "species", "--n-estimators", "3", "--max-depth", "2")
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "rclist rules from RandomForestClassifier" in shown.stdout
        assert "\x1b" not in shown.stdout
        assert max(map(len, shown.stdout.splitlines())) <= 100

    def test_an_error_is_one_line_on_the_error_stream(self, tmp_path):
        shown = real("extract", str(tmp_path / "none.csv"), "--target", "species")
        assert (shown.returncode, shown.stdout) == (2, "")
        assert shown.stderr == f"Error: File not found: {tmp_path / 'none.csv'}.\n"

    def test_letters_that_a_pipe_cannot_show_do_not_stop_the_command(self):
        shown = real("components", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
        assert (shown.returncode, shown.stderr) == (0, "")
