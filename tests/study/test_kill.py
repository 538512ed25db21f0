"""A study that is killed again and again ends like one that nobody stopped."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from study.made_up import contents, write_tables, write_toml

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be forked")

N_KILLS = 6
#: Starts the command line in a process of its own for each line of arguments; the imports are done once.
STARTER = """
import os, sys
import pandas, sklearn.ensemble
import rulekit, rulekit.render.console, rulekit.study.run, rulekit.study.store
from rulekit.cli.app import app

rulekit.list_components()
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1), os.dup2(log, 2)
        os._exit(app(line.rstrip().split("|"), standalone_mode=False) or 0)
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Starter:
    """Starts commands, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log.txt"
        command = [sys.executable, "-c", STARTER, str(self.log)]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, **streams, env={**os.environ, "RULEKIT_ENGINE": "numpy"})

    def run(self, *arguments: object, kill_after: tuple[int, float] | None = None) -> int:
        """The exit code of a command, which is negative for one that was killed: after so many cells and seconds."""
        n_before = self.n_finished
        self.process.stdin.write("|".join(map(str, arguments)) + "\n")
        self.process.stdin.flush()
        pid = int(self.process.stdout.readline())
        if kill_after is not None:
            n_cells, seconds = kill_after
            deadline = time.monotonic() + 30
            while self.n_finished < n_before + n_cells and time.monotonic() < deadline:
                time.sleep(0.001)
            time.sleep(seconds)
            os.kill(pid, signal.SIGKILL)
        return int(self.process.stdout.readline())

    @property
    def lines(self) -> list[str]:
        """What the commands have printed."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    @property
    def n_finished(self) -> int:
        return sum(": done in" in line for line in self.lines)


@pytest.fixture
def starter(tmp_path):
    started = Starter(tmp_path)
    yield started
    started.process.stdin.close()
    started.process.wait()
    started.process.stdout.close()


def cell_of(line: str) -> str:
    """Which cell a line of the log is about."""
    return line.partition("] ")[2].partition(": done in")[0]


def test_kills_at_random_moments_lose_nothing_and_repeat_nothing(tmp_path, starter):
    study = write_toml(write_tables(tmp_path))
    study.write_text(study.read_text().replace("splits = 2", "splits = 4", 1))
    untouched, killed = tmp_path / "untouched.sqlite", tmp_path / "killed.sqlite"

    moments = random.Random(5)
    for _ in range(N_KILLS):
        moment = moments.randint(0, 2), moments.uniform(0, 0.05)
        code = starter.run("study", "run", study, "--jobs", 1, "--store", killed, kill_after=moment)
        assert code == -signal.SIGKILL
    assert starter.run("study", "run", study, "--jobs", 1, "--store", killed) == 0
    finished = Counter(cell_of(line) for line in starter.lines if ": done in" in line)
    assert max(finished.values()) == 1

    assert starter.run("study", "run", study, "--jobs", 1, "--store", untouched) == 0
    assert contents(killed) == contents(untouched)


def test_a_kill_with_several_workers_loses_nothing(tmp_path, starter):
    study = write_toml(write_tables(tmp_path))
    alone, killed = tmp_path / "alone.sqlite", tmp_path / "killed.sqlite"
    command = [sys.executable, "-m", "rulekit", "study", "run", str(study), "--jobs", "2", "--store", str(killed)]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "RULEKIT_ENGINE": "numpy"}
    )
    with process:
        assert process.stderr.readline() == "12 cells; 2 at a time.\n"
        first = process.stderr.readline()
        process.kill()
    assert starter.run("study", "run", study, "--jobs", 1, "--store", killed) == 0
    assert cell_of(first) not in map(cell_of, starter.lines)
    assert starter.run("study", "run", study, "--jobs", 1, "--store", alone) == 0
    assert contents(killed) == contents(alone)


def descendants(pid: int) -> set[int]:
    """Process ids of the children of a process, and of theirs, as Linux lists them."""
    try:
        children = set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except (FileNotFoundError, ProcessLookupError):  # it has ended since it was listed
        return set()
    return children.union(*map(descendants, children))


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads Linux's list of processes")
def test_workers_that_are_starting_end_with_the_study_that_was_killed(tmp_path):
    """They waited for work from a process that was no more, for a quarter of an hour and longer."""
    study = write_toml(write_tables(tmp_path))
    command = [sys.executable, "-m", "rulekit", "study", "run", str(study), "--jobs", "2"]
    with subprocess.Popen(
        [*command, "--store", str(tmp_path / "killed.sqlite")],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "RULEKIT_ENGINE": "numpy"},
    ) as process:
        started: set[int] = set()
        deadline = time.monotonic() + 60
        # Two workers and two processes of joblib's that clean up after them.
        while len(started) < 4 and time.monotonic() < deadline:
            started = descendants(process.pid)
            time.sleep(0.01)
        process.kill()
    assert len(started) >= 4
    deadline = time.monotonic() + 30
    while (left := set(filter(is_alive, started))) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left
