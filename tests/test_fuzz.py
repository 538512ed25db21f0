"""A little of what `python -m tests.fuzz` does at length: the same inputs every time."""

import random
import warnings

import pytest
from documented_errors import documented_names, raised_classes
from fuzz import documents, overrides, stores, studies, tables_in_files
from fuzz.__main__ import main
from fuzz.machine import Life
from fuzz.running import TooSlow, run
from fuzz.structured import QUIETLY
from fuzz.targets import TARGETS, Target
from hypothesis import settings


@pytest.mark.parametrize(
    ("target", "n_inputs"),
    [
        ("dict", 500),
        ("json", 300),
        ("predict", 150),
        ("fit", 60),
        ("study", 200),
        ("store", 50),
        ("table", 100),
        ("settings", 500),
        ("command", 40),
    ],
)
def test_every_outcome_is_a_result_or_a_documented_error(target, n_inputs):
    with raised_classes() as raised:
        tally = run(target, TARGETS[target].check, n_inputs=n_inputs, seed=1, limit=60)
    assert (tally.failures, tally.n_inputs > 0.9 * n_inputs) == ({}, True)
    assert raised or target == "predict"  # wrong samples raise a ValueError
    assert {kind.__name__ for kind in raised} <= documented_names()


def test_what_the_changes_begin_with_is_right(tmp_path):
    """Otherwise everything would be rejected for an unintended reason."""
    (tmp_path / "study.toml").write_text(studies.VALID, encoding="utf-8")
    (tmp_path / "study.sqlite").write_bytes(stores.whole())
    (tmp_path / "data.csv").write_text(tables_in_files.VALID, encoding="utf-8")
    outcomes = [
        *map(documents.described, documents.samples()),
        *map(documents.read, documents.texts()),
        studies.read(tmp_path / "study.toml"),
        stores.read(tmp_path / "study.sqlite"),
        tables_in_files.read(tmp_path / "data.csv"),
        *(overrides.parsed([text]) for text in overrides.VALID),
    ]
    assert outcomes == ["read"] * len(outcomes)


class TestLife(Life.TestCase):
    settings = settings(QUIETLY, max_examples=20, stateful_step_count=15, derandomize=True)


class TestRunner:
    """What the harness itself promises."""

    def failing(self, rng: random.Random) -> str:
        if rng.random() < 0.5:
            raise ZeroDivisionError
        return "passed"

    def test_a_run_that_finds_something_fails_and_says_how_to_repeat_it(self, monkeypatch, capsys):
        monkeypatch.setitem(TARGETS, "study", Target(self.failing, 10))
        assert main(["study", "--inputs", "20", "--seed", "3"]) == 1
        printed = capsys.readouterr()
        assert printed.err.count("Traceback") == 1
        command = printed.err.splitlines()[0]
        assert main(command.split()[3:]) == 1
        assert "study: 1 inputs" in capsys.readouterr().out

    def test_without_a_target_all_are_run_in_equal_parts(self, monkeypatch, capsys):
        for name in list(TARGETS):
            monkeypatch.setitem(TARGETS, name, Target(lambda rng: "passed", TARGETS[name].n_inputs))
        assert main(["--inputs", "1000"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.partition(":")[0] for line in lines] == [*TARGETS, "all"]
        assert lines[0].startswith("dict: ")

    def test_a_whole_run_has_a_hundred_thousand_inputs(self):
        assert sum(target.n_inputs for target in TARGETS.values()) > 100_000

    @pytest.mark.parametrize("work", ["while True: pass", "import time; time.sleep(60)"])
    def test_what_hangs_is_found_whatever_catches_exceptions(self, work):
        def hang(rng: random.Random) -> str:
            try:
                exec(work)
            except Exception:
                return "passed"
            return "passed"

        tally = run("hang", hang, n_inputs=1, seed=0, limit=0.05)
        assert [kind.split()[0] for kind in tally.failures] == [TooSlow.__name__]

    def test_a_warning_is_a_failure(self):
        tally = run("warn", lambda rng: warnings.warn("leaked", stacklevel=1), n_inputs=1, seed=0)
        assert tally.n_failed == 1

    def test_the_same_numbers_give_the_same_inputs(self):
        drawn = [[], []]
        for seen in drawn:
            run("same", lambda rng, seen=seen: seen.append(rng.random()) or "passed", n_inputs=5, seed=7, first=3)
        assert drawn[0] == drawn[1]
        assert len(set(drawn[0])) == 5
