"""Workers that die in the middle of their work cost a delay, and at worst the cells that kill them."""

import os
import signal
from types import SimpleNamespace

import attrs
import pytest
from study.made_up import contents, small_study, write_tables

import rulekit
from rulekit.extractor import RuleExtractor
from rulekit.plugin.manager import plugins
from rulekit.study import Store, Summary, Variant, run_study, tasks

N_CELLS = 8
N_TRIES = 1


def dying(folder, n_deaths):
    """A method that ends its process the first times it is fitted; files count them, for whoever dies forgets."""
    folder.mkdir()

    class Dying(RuleExtractor):
        def fit(self, X, y):
            n_before = len(os.listdir(folder))
            if n_before < n_deaths:
                (folder / str(n_before)).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().fit(X, y)

    return Dying


class Watch:
    """Remembers which cells were run."""

    def __init__(self):
        self.ran = []

    def begin(self, *_):
        pass

    def finished(self, cell, *_):
        self.ran.append(tuple(cell.labels.values()))


def study_with(folder, *variants):
    study = small_study(folder, datasets=["one"], variants=[Variant("rc+"), *map(Variant, variants)])
    return attrs.evolve(study, ensembles=study.ensembles[:1])


@pytest.fixture(scope="module")
def survived(tmp_path_factory):
    """A study with a method that ends a worker once, and one that always does."""
    folder, watch = write_tables(tmp_path_factory.mktemp("tables")), Watch()
    rulekit.register("method", "once", dying(folder / "once", 1))
    rulekit.register("method", "always", dying(folder / "always", 1000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "TRIES", N_TRIES)
        patch.setenv("RULEKIT_ENGINE", "numpy")  # which new workers have at once
        found = run_study(study_with(folder, "once", "always"), folder / "study.sqlite", n_jobs=2, watcher=watch)
    yield SimpleNamespace(folder=folder, store=folder / "study.sqlite", summary=found, ran=watch.ran)
    plugins.cache_clear()


def test_the_run_goes_on_and_runs_every_cell_once(survived):
    assert survived.summary == Summary(n_cells=N_CELLS, n_before=0, n_done=N_CELLS - 2, n_failed=2)
    assert len(survived.ran) == len(set(survived.ran)) == N_CELLS


def test_what_kills_its_worker_once_is_done(survived):
    results = Store(survived.store).results()
    assert set(results.loc[results["variant"] == "once", "status"]) == {"done"}
    assert len(os.listdir(survived.folder / "once")) == 1


def test_what_kills_its_worker_again_and_again_is_given_up_with_a_reason(survived):
    results = Store(survived.store).results()
    failed = results[results["status"] == "failed"]
    assert failed["variant"].tolist() == ["always", "always"]
    assert set(failed["error"]) == {
        "WorkerDiedError: Its worker process died, also when no other task was running (1 attempts): it may have run "
        "out of memory, or crashed in compiled code."
    }


def test_what_kills_its_worker_is_not_tried_for_ever(survived):
    # Each of its two cells once or twice beside others, and then so often by itself.
    n_deaths = len(os.listdir(survived.folder / "always"))
    assert 2 * N_TRIES < n_deaths <= 2 * (2 + N_TRIES)


def test_the_others_have_the_results_of_a_run_without_deaths(survived, tmp_path):
    study = study_with(survived.folder)
    assert run_study(study, survived.store, n_jobs=1).n_done == 0
    run_study(study, tmp_path / "alone.sqlite", n_jobs=1)
    assert contents(survived.store) == contents(tmp_path / "alone.sqlite")
