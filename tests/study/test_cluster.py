"""The same study on a Dask cluster of two worker processes."""

import logging
import os
import signal
import sys
import threading

import attrs
import pytest
from study.made_up import broken, contents, small_study, write_tables

import rulekit
from rulekit.core.errors import MissingExtraError
from rulekit.extractor import RuleExtractor
from rulekit.plugin.manager import plugins
from rulekit.study import Store, Summary, Variant, run_study
from rulekit.study.cluster import Dask, connect
from rulekit.study.errors import StudyError

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'rulekit-rcprob[dask]'")
# Sockets of a cluster are closed in threads of its own, some time after it; what Dask does inside is not at test here.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning:distributed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def study(folder):
    """Two of its variants share their fits."""
    grid = {"min_precision": [0.5, 0.75]}
    variants = [
        Variant("rcprob", grid=grid),
        Variant("all", "rcprob", {"inference": "aggregate"}, grid),
        Variant("dt", "tree"),
    ]
    return small_study(folder, variants=variants)


@pytest.fixture(scope="module")
def alone(study, folder):
    """The store of the study, run in this process."""
    run_study(study, folder / "alone.sqlite", n_jobs=1)
    return folder / "alone.sqlite"


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options, silence_logs=logging.CRITICAL) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with connect(cluster.scheduler_address) as client:
        client.wait_for_workers(2, timeout=120)
        yield client


class Killer:
    """Kills a worker process after some cells."""

    def __init__(self, pid, after):
        self.pid, self.after, self.n_finished = pid, after, 0

    def begin(self, n_cells, n_before, n_workers):
        self.n_workers = n_workers

    def finished(self, cell, result, n_cells):
        self.n_finished += 1
        if self.n_finished == self.after:
            os.kill(self.pid, signal.SIGKILL)


def test_gives_the_same_as_one_process(study, alone, client, tmp_path):
    found = run_study(study, tmp_path / "study.sqlite", executor=Dask(client))
    assert found == Summary(n_cells=32, n_before=0, n_done=32, n_failed=0)
    assert contents(tmp_path / "study.sqlite") == contents(alone)


def test_loses_nothing_when_a_worker_is_killed(study, alone, client, tmp_path):
    pids = list(client.run(os.getpid).values())
    killer = Killer(pids[0], after=3)
    found = run_study(study, tmp_path / "study.sqlite", executor=Dask(client), watcher=killer)
    assert killer.n_workers == 2
    assert found == Summary(n_cells=32, n_before=0, n_done=32, n_failed=0)
    assert contents(tmp_path / "study.sqlite") == contents(alone)


def test_keeps_failures_apart(folder, client, tmp_path):
    variants = [Variant("bad", "rcprob", {"final_estimator": broken()}), Variant("rc+")]
    study = small_study(folder, datasets=["one"], variants=variants)
    assert run_study(study, tmp_path / "study.sqlite", executor=Dask(client)) == Summary(12, 0, 8, 4)
    failed = Store(tmp_path / "study.sqlite").results().query("status == 'failed'")
    assert set(failed["variant"]) == {"bad"}


def hanging():
    """A method whose fits never end, but which let other threads run; a class of this function, for the workers."""

    class Hanging(RuleExtractor):
        def fit(self, X, y):
            threading.Event().wait(1000)

    return Hanging


def test_gives_up_cells_that_hang(folder, client, tmp_path):
    rulekit.register("method", "hanging", hanging())
    study = small_study(folder, datasets=["one"], variants=[Variant("rc+"), Variant("dt", "tree")])
    study = attrs.evolve(study, ensembles=study.ensembles[:1])
    run_study(study, tmp_path / "study.sqlite", executor=Dask(client))
    # By now the workers have compiled what takes them long.
    limited = attrs.evolve(study, variants=[*study.variants, Variant("hanging")], cell_seconds=5)
    assert run_study(limited, tmp_path / "study.sqlite", executor=Dask(client)) == Summary(8, 6, 0, 2)
    plugins.cache_clear()
    for failure in Store(tmp_path / "study.sqlite").failures():
        assert failure["variant"] == "hanging"
        assert failure["error"].startswith("CellTimeoutError: The cell was stopped after 5 seconds")
        assert "in fit\n" in failure["traceback"]


class TestConnection:
    def test_without_a_scheduler_is_an_error_that_names_the_address(self):
        with pytest.raises(StudyError, match=r"Cannot connect to a Dask scheduler at tcp://127.0.0.1:1: "):
            connect("tcp://127.0.0.1:1", seconds=0.2)

    def test_without_dask_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'rulekit-rcprob\[dask\]'"):
            connect("tcp://127.0.0.1:1")
