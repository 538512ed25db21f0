"""A short run of the fuzzing that `python tests/fuzz` does at length: the same inputs every time."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent / "fuzz"


@pytest.mark.parametrize(
    ("target", "n_inputs"),
    [("dict", 300), ("json", 200), ("predict", 200), ("fit", 60), ("study", 200), ("command", 30)],
)
def test_every_outcome_is_a_result_or_a_documented_error(target, n_inputs):
    run = subprocess.run(
        [sys.executable, FUZZ, target, "--inputs", str(n_inputs), "--seed", "1", "--limit", "60"],
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert f"{target}: {n_inputs} inputs" in run.stdout


def test_a_run_that_finds_something_fails(tmp_path):
    """The whole folder with a target that raises what is not documented."""
    for source in FUZZ.glob("*.py"):
        (tmp_path / source.name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "studies.py").write_text("def study_file(rng):\n    return 1 / 0\n", encoding="utf-8")
    run = subprocess.run([sys.executable, tmp_path, "study", "--inputs", "3"], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.count("ZeroDivisionError: division by zero") == 3
    assert "3 failures" in run.stdout
