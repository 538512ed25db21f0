"""Parts of others that raise cost their own cells, and say why; so do clocks that jump cost nothing."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from datetime import datetime
from itertools import count
from textwrap import dedent

import pytest
from joblib.externals.loky import get_reusable_executor
from sklearn.ensemble import RandomForestClassifier
from study.made_up import contents, small_study, write_tables, write_toml

import rulekit
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.extractor import RuleExtractor
from rulekit.plugin.manager import plugins
from rulekit.study import Ensemble, Store, Summary, Variant, rows, run_study
from rulekit.study.errors import StudyDefinitionError


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("not even that")


RAISED = {
    "error": ZeroDivisionError("by nothing"),
    "exit": SystemExit(3),
    "unspeakable": Unspeakable(),
    "memory": MemoryError(),
    "cancelled": asyncio.CancelledError("elsewhere"),
    "half a character": OSError("no file 'caf\udce9.csv'"),
}
EXPECTED = {
    "error": "ZeroDivisionError: by nothing",
    "exit": "SystemExit: 3",
    "unspeakable": "Unspeakable: its message cannot be read (RuntimeError)",
    "memory": "MemoryError: ",
    "cancelled": "CancelledError: elsewhere",
    "half a character": "OSError: no file 'caf\\udce9.csv'",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture(autouse=True)
def _own_parts(monkeypatch):
    monkeypatch.setenv("RULEKIT_ENGINE", "numpy")
    yield
    plugins.cache_clear()


def raising_in_fit(error):
    class Raising(RuleExtractor):
        def fit(self, X, y):
            raise error

    return Raising


def errors_by_variant(path):
    results = Store(path).results()
    return {name: set(found.dropna()) for name, found in results.groupby("variant")["error"]}


def study_with(folder, variants, **changes):
    options = {"datasets": ["one"], "ensembles": [Ensemble("rf", parameters={"n_estimators": 3})], "variants": variants}
    return small_study(folder, **(options | changes))


class TestPart:
    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_that_raises_in_fit_fails_its_cells_alone(self, folder, tmp_path, n_jobs):
        for name, error in RAISED.items():
            rulekit.register("method", name, raising_in_fit(error))
        study = study_with(folder, [*map(Variant, RAISED), Variant("rc+")])
        assert run_study(study, tmp_path / "study.sqlite", n_jobs=n_jobs) == Summary(16, 0, 4, 12)
        expected = {name: {text} for name, text in EXPECTED.items()} | {"rc+": set(), "ensemble": set()}
        assert errors_by_variant(tmp_path / "study.sqlite") == expected

    def test_that_raises_in_estimate_fails_its_cells_alone(self, folder, tmp_path):
        @rulekit.register("probability", "leaving")
        class Leaving(ProbabilityEstimator):
            def estimate(self, rules):
                sys.exit("enough")

        study = study_with(folder, [Variant("bad", "rcprob", {"final_estimator": "leaving"}), Variant("rc+")])
        assert run_study(study, tmp_path / "study.sqlite", n_jobs=1) == Summary(6, 0, 4, 2)
        assert errors_by_variant(tmp_path / "study.sqlite")["bad"] == {"SystemExit: enough"}

    def test_that_watches_and_raises_fails_what_it_watches(self, folder, tmp_path):
        class Watching:
            @rulekit.hookimpl
            def rulekit_after_tree(self, step):
                raise OSError("no more paper")

        with rulekit.observe(Watching()):
            study = study_with(folder, [Variant("rc+")])
            assert run_study(study, tmp_path / "study.sqlite", n_jobs=1) == Summary(4, 0, 2, 2)
        assert errors_by_variant(tmp_path / "study.sqlite") == {"ensemble": set(), "rc+": {"OSError: no more paper"}}

    def test_that_cannot_be_made_is_told_before_any_work(self, folder, tmp_path):
        rulekit.register("method", "unmade", lambda ensemble=None, **parameters: {}["nothing"])
        with pytest.raises(StudyDefinitionError, match=r"\[variants\.unmade\] cannot be created: KeyError: 'nothing'"):
            run_study(study_with(folder, [Variant("unmade")]), tmp_path / "study.sqlite", n_jobs=1)
        assert not (tmp_path / "study.sqlite").exists()

    def test_that_cannot_be_sent_from_a_worker_fails_its_cells_alone(self, folder, tmp_path):
        class Locked(RandomForestClassifier):
            def fit(self, X, y):
                self.lock_ = threading.Lock()
                return super().fit(X, y)

        rulekit.register("ensemble", "locked", lambda **parameters: Locked(n_estimators=3, **parameters))
        ensembles = [Ensemble("locked"), Ensemble("rf", parameters={"n_estimators": 3})]
        study = study_with(folder, [Variant("rc+")], ensembles=ensembles)
        assert run_study(study, tmp_path / "study.sqlite", n_jobs=2) == Summary(8, 0, 4, 4)
        failed = Store(tmp_path / "study.sqlite").results().query("status == 'failed'")
        assert set(failed["ensemble"]) == {"locked"}
        assert failed["error"].str.contains("cannot pickle '_thread.lock' object").all()


BROKEN = """
    import os
    if os.environ.get("WORKS_IN") != str(os.getpid()):
        raise RuntimeError("wrong place")
    import rulekit
    @rulekit.hookimpl
    def rulekit_register(registry):
        pass
"""


@pytest.fixture
def broken_plugin(tmp_path, monkeypatch):
    """An installed plugin that can only be imported in one process."""
    (tmp_path / "broken_for_tests.py").write_text(dedent(BROKEN), encoding="utf-8")
    info = tmp_path / "rulekit_broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rulekit-broken\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[rulekit]\nbroken = broken_for_tests\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


TOLD = "BrokenPluginError: Plugin 'broken' (rulekit-broken 1.0) could not be imported: RuntimeError: wrong place."


@pytest.mark.usefixtures("broken_plugin")
class TestPluginThatCannotBeImported:
    def test_in_workers_fails_every_cell_and_ends_the_run(self, folder, tmp_path, monkeypatch):
        monkeypatch.setenv("WORKS_IN", str(os.getpid()))
        plugins.cache_clear()
        get_reusable_executor().shutdown(kill_workers=True)  # those of other tests have loaded their plugins
        study = study_with(folder, [Variant("rc+")])
        assert run_study(study, tmp_path / "study.sqlite", n_jobs=2) == Summary(4, 0, 0, 4)
        for error in Store(tmp_path / "study.sqlite").results()["error"]:
            assert error.startswith(TOLD)
            assert "RULEKIT_BLOCK_PLUGINS=broken" in error
        get_reusable_executor().shutdown(kill_workers=True)

    def test_stops_the_command_before_any_work_and_can_be_blocked(self, folder, tmp_path):
        command = [sys.executable, "-m", "rulekit", "study", "run", str(write_toml(folder)), "--jobs", "1"]
        command += ["--store", str(tmp_path / "study.sqlite")]
        stopped = subprocess.run(command, capture_output=True, text=True)
        assert stopped.returncode == 2
        assert TOLD.partition(": ")[2] in " ".join(stopped.stderr.split())
        assert not (tmp_path / "study.sqlite").exists()
        blocking = {**os.environ, "RULEKIT_BLOCK_PLUGINS": "broken"}
        assert subprocess.run(command, capture_output=True, env=blocking).returncode == 0


class TestClockThatJumps:
    def test_changes_no_result_and_no_duration(self, folder, tmp_path, monkeypatch):
        study = study_with(folder, [Variant("rc+"), Variant("rcprob", grid={"min_precision": [0.5, 0.75]})])
        run_study(study, tmp_path / "steady.sqlite", n_jobs=1)
        jumps = count()
        monkeypatch.setattr(time, "time", lambda: 1e9 * (-1) ** next(jumps))
        run_study(study, tmp_path / "jumping.sqlite", n_jobs=1)
        results = Store(tmp_path / "jumping.sqlite").results()
        assert results[["seconds", "search_seconds"]].to_numpy().min() >= 0
        assert results[["seconds", "search_seconds"]].to_numpy().max() < 600
        assert contents(tmp_path / "jumping.sqlite") == contents(tmp_path / "steady.sqlite")

    def test_leaves_the_order_of_failures(self, folder, tmp_path, monkeypatch):
        """The last failure comes first, whatever the clock said."""
        years = count(2050, -1)

        class Clock:
            @staticmethod
            def now(zone):
                return datetime(next(years), 1, 1, tzinfo=zone)

        monkeypatch.setattr(rows, "datetime", Clock)
        rulekit.register("method", "error", raising_in_fit(ZeroDivisionError()))
        run_study(study_with(folder, [Variant("error")]), tmp_path / "study.sqlite", n_jobs=1)
        assert [failure["fold"] for failure in Store(tmp_path / "study.sqlite").failures()] == [2, 1]
