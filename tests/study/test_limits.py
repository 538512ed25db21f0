"""A cell that hangs costs its time limit, and nothing else."""

import ctypes
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import attrs
import joblib
import pytest
from study.made_up import contents, small_study, write_tables

import rulekit
from rulekit.extractor import RuleExtractor
from rulekit.plugin.manager import plugins
from rulekit.study import Ensemble, Store, Study, Summary, Variant, plan, processes, run_study
from rulekit.study.data import load_datasets
from rulekit.study.errors import CellTimeoutError, StudyDefinitionError, StudyError
from rulekit.study.limits import given_up_after, is_too_late, too_late

LIMIT = 8
TEXT = (
    "CellTimeoutError: The cell was stopped after 8 seconds, its time limit. "
    "To give it more time, increase cell_seconds in the study or --cell-seconds."
)


def hanging_once(flag):
    """A method whose first fit never ends: compiled code that holds the interpreter, so that no thread of it runs."""

    class Hanging(RuleExtractor):
        def fit(self, X, y):
            if not flag.exists():
                flag.touch()
                ctypes.PyDLL(None).sleep(1000)
            return super().fit(X, y)

    return Hanging


def study_with(folder, *variants, **changes):
    rf = [Ensemble("rf", grid={"n_estimators": [2, 4], "max_depth": [2]})]
    options = {"datasets": ["one"], "ensembles": rf, "variants": [Variant("rc+"), *map(Variant, variants)]}
    return small_study(folder, **(options | changes))


@pytest.fixture
def numpy_engine():
    with rulekit.using_engine("numpy"):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module", params=[1, 2], ids=["one job", "two jobs"])
def survived(request, folder, tmp_path_factory):
    """A study with a cell that hangs."""
    here = tmp_path_factory.mktemp("hanging")
    rulekit.register("method", "hanging", hanging_once(here / "flag"))
    study = study_with(folder, "hanging", cell_seconds=LIMIT)
    start = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULEKIT_ENGINE", "numpy")  # which new workers have at once
        found = run_study(study, here / "study.sqlite", n_jobs=request.param)
    seconds = time.monotonic() - start
    yield SimpleNamespace(here=here, study=study, store=here / "study.sqlite", summary=found, seconds=seconds)
    plugins.cache_clear()


class TestHangingCell:
    def test_fails_alone_and_the_others_are_done(self, survived):
        assert survived.summary == Summary(n_cells=6, n_before=0, n_done=5, n_failed=1)
        results = Store(survived.store).results()
        failed = results[results["status"] == "failed"]
        assert failed[["variant", "error"]].to_numpy().tolist() == [["hanging", TEXT]]

    def test_is_given_up_at_once_and_says_where_it_was(self, survived):
        assert LIMIT <= survived.seconds < 1000
        [failure] = Store(survived.store).failures()
        assert "in fit\n" in failure["traceback"]
        assert failure["traceback"].endswith(f"\n{TEXT}\n")

    def test_is_tried_again_by_the_next_run(self, survived, folder, tmp_path):
        # Without a limit: it is no part of what a result depends on.
        study = attrs.evolve(survived.study, cell_seconds=None)
        assert run_study(study, survived.store, n_jobs=1) == Summary(n_cells=6, n_before=5, n_done=1, n_failed=0)
        run_study(study, tmp_path / "alone.sqlite", n_jobs=1)
        assert contents(survived.store) == contents(tmp_path / "alone.sqlite")


@pytest.mark.usefixtures("numpy_engine")
class TestBundle:
    def test_that_takes_too_long_is_taken_apart(self, folder, tmp_path, monkeypatch):
        """One of its cells hangs, the others must not fail with it."""
        grid = {"min_precision": [0.5, 0.75]}
        variants = [Variant("rcprob", grid=grid), Variant("all", "rcprob", {"inference": "aggregate"}, grid)]
        study = study_with(folder, variants=variants, cell_seconds=100)
        asked = []

        def outcomes_of(tasks, n_jobs):
            for position, task in enumerate(tasks):
                asked.append((task.work.__name__, task.seconds))
                is_late = task.work is processes.run_bundle and len(task.arguments[1]) > 1
                yield position, too_late(task.cell_seconds, "") if is_late else task.work(*task.arguments)

        monkeypatch.setattr(processes, "outcomes_of", outcomes_of)
        assert run_study(study, tmp_path / "apart.sqlite", n_jobs=1) == Summary(6, 0, 6, 0)
        assert sorted(asked) == [("fit_group", 100)] * 2 + [("run_bundle", 100)] * 4 + [("run_bundle", 200)] * 2
        monkeypatch.undo()
        run_study(attrs.evolve(study, cell_seconds=None), tmp_path / "together.sqlite", n_jobs=1)
        assert contents(tmp_path / "apart.sqlite") == contents(tmp_path / "together.sqlite")


class TestLimit:
    def test_is_no_part_of_a_key(self, folder):
        study = study_with(folder)
        limited = attrs.evolve(study, cell_seconds=3.5)
        samples = load_datasets(study)
        assert [cell.key for cell in plan.plan(study, samples)] == [cell.key for cell in plan.plan(limited, samples)]

    def test_goes_to_a_document_and_back(self, folder):
        study = study_with(folder, cell_seconds=3.5)
        assert study.to_dict()["cell_seconds"] == 3.5
        assert Study.from_dict(study.to_dict()) == study

    @pytest.mark.parametrize("wrong", [0, -1, True, "long", float("nan"), float("inf")])
    def test_that_is_no_time_is_rejected(self, folder, wrong):
        with pytest.raises(StudyDefinitionError, match=r"cell_seconds must be a number above 0, got "):
            study_with(folder, cell_seconds=wrong)

    def test_needs_processes_that_can_be_ended(self, folder, tmp_path):
        study = study_with(folder, cell_seconds=100)
        with (
            joblib.parallel_config(backend="threading", n_jobs=2),
            pytest.raises(StudyError, match="cell_seconds needs worker processes that can be killed"),
        ):
            run_study(study, tmp_path / "study.sqlite", n_jobs=None)


class TestGivenUp:
    """What a worker does that cannot be ended, such as one of a cluster."""

    def test_is_what_takes_too_long_and_says_where(self):
        with ThreadPoolExecutor(1) as pool:  # as in a cluster, not in the main thread
            found = pool.submit(given_up_after, 0.2, 0.1, time.sleep, 2).result()
        assert is_too_late(found)
        assert found.error.startswith("CellTimeoutError: The cell was stopped after 0.1 seconds")
        assert "work(*arguments)" in found.traceback

    @pytest.mark.parametrize("seconds", [None, 1e300])
    def test_is_nothing_that_ends_in_time(self, seconds):
        assert given_up_after(seconds, seconds, divmod, 7, 2) == (3, 1)

    def test_is_nothing_that_raises(self):
        with pytest.raises(TimeoutError, match="its own"):
            given_up_after(100, 100, raise_, TimeoutError("its own"))

    def test_is_told_from_other_failures(self):
        assert not is_too_late(attrs.evolve(too_late(1, ""), kind="WorkerDiedError"))
        assert issubclass(CellTimeoutError, TimeoutError)


def raise_(error):
    raise error
