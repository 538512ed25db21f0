import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app


def run(*arguments):
    return CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, list(map(str, arguments)))


@pytest.fixture
def tiny(tiny_data):
    return ["training", "--data", tiny_data, "--datasets", "tiny", "--repeats", "1", "--engine", "numpy"]


def test_the_folder_is_a_command(root):
    command = [sys.executable, "-m", "benchmarks", "trainig"]
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 2, done.stderr
    assert "No benchmark named" in done.stderr


def test_figures_are_printed_written_and_compared(tiny, tmp_path):
    first = run(*tiny, "--out", tmp_path / "first.json")
    assert first.exit_code == 0, first.stderr
    assert "training: CPU time of extraction as a multiple of that of training" in first.stdout
    assert "tiny RF: extraction" in first.stderr
    rows = json.loads((tmp_path / "first.json").read_text(encoding="utf-8"))["rows"]
    assert len(rows) == 5

    for row in rows:
        row["value"] /= 1000
    (tmp_path / "first.json").write_text(json.dumps({"format": "rulekit-benchmarks", "version": 1, "rows": rows}))
    second = run(*tiny, "--compare", tmp_path / "first.json", "--strict")
    assert second.exit_code == 1, second.stderr
    assert "5 of 5 figures got worse." in second.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["trainig"], "No benchmark named 'trainig'. Known: training, predict,"),
        (["training", "--engine", "jax"], "No engine named 'jax'. Known: numba, numpy, both."),
        (["training", "--data", "nowhere"], "No pima.csv in nowhere."),
        (["peers", "--peers", "intrees"], "No peer named 'intrees'. Known: rulecosi, ruleopt, te2rules."),
    ],
)
def test_a_mistake_is_named(arguments, expected):
    finished = run(*arguments)
    assert finished.exit_code == 2
    assert expected in finished.stderr
