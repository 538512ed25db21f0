"""Running a study: resumed, changed, failing, in parallel."""

import shutil

import attrs
import joblib
import pytest
from study.made_up import broken, contents, small_study, write_tables

from rulekit.study import CrossValidation, Ensemble, Store, Summary, Variant, group_work, measuring, run_study
from rulekit.study.errors import StudyDefinitionError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def finished(folder):
    """The store of the small study, run in one process."""
    run_study(small_study(folder), folder / "finished.sqlite", n_jobs=1)
    return folder / "finished.sqlite"


class Watch:
    """Remembers which cells were run, and stops after some of them."""

    def __init__(self, stop_after=None):
        self.ran, self.stop_after = [], stop_after

    def begin(self, n_cells, n_before, n_workers):
        self.begun = n_cells, n_before, n_workers

    def finished(self, cell, result, n_cells):
        self.ran.append(tuple(cell.labels.values()))
        if len(self.ran) == self.stop_after:
            raise KeyboardInterrupt


@pytest.fixture
def ran(tmp_path):
    """Runs studies into one store and says which cells were run."""

    def run(study, **options):
        watch = Watch()
        run_study(study, tmp_path / "study.sqlite", n_jobs=1, watcher=watch, **options)
        return watch.ran

    return run


class TestRun:
    def test_finishes_every_cell(self, finished):
        results = Store(finished).results()
        assert (len(results), set(results["status"])) == (32, {"done"})

    def test_says_how_it_went(self, folder, tmp_path):
        found = run_study(small_study(folder, datasets=["one"]), tmp_path / "study.sqlite", n_jobs=1)
        assert found == Summary(n_cells=16, n_before=0, n_done=16, n_failed=0)

    def test_gives_the_same_in_two_processes(self, folder, finished, tmp_path):
        run_study(small_study(folder), tmp_path / "study.sqlite", n_jobs=2)
        assert contents(tmp_path / "study.sqlite") == contents(finished)

    def test_gives_the_same_with_another_backend_of_joblib(self, folder, finished, tmp_path):
        with joblib.parallel_config(backend="threading", n_jobs=2):
            run_study(small_study(folder), tmp_path / "study.sqlite", n_jobs=None)
        assert contents(tmp_path / "study.sqlite") == contents(finished)

    def test_gives_the_same_in_another_order(self, folder, finished, tmp_path):
        study = small_study(folder)
        backwards = small_study(folder, datasets=["two", "one"], variants=study.variants[::-1])
        run_study(backwards, tmp_path / "study.sqlite", n_jobs=1)
        assert run_study(study, tmp_path / "study.sqlite", n_jobs=1).n_done == 0
        assert contents(tmp_path / "study.sqlite") == contents(finished)

    def test_measures_ensembles_without_rules(self, finished):
        of_ensembles = Store(finished).results().query("variant == 'ensemble'")
        assert of_ensembles["log_loss"].notna().all()
        assert of_ensembles[["n_rules", "fidelity"]].isna().all(axis=None)

    def test_refuses_a_study_that_cannot_work_before_it_makes_a_file(self, folder, tmp_path):
        with pytest.raises(StudyDefinitionError, match="No method named 'rcpro'"):
            run_study(small_study(folder, variants=[Variant("rcpro")]), tmp_path / "study.sqlite")
        assert not (tmp_path / "study.sqlite").exists()

    @pytest.mark.parametrize("wrong", [{"parameters": {"min_precision": 2}}, {"grid": {"min_precision": [0.5, 2]}}])
    def test_refuses_a_value_before_any_work_and_names_variant_and_key(self, folder, tmp_path, wrong):
        expected = (
            r"\[variants\.bad\]: RuleExtractor: min_precision must be a number of at least 0 and at most 1, got 2"
        )
        with pytest.raises(StudyDefinitionError, match=expected):
            run_study(small_study(folder, variants=[Variant("bad", "rcprob", **wrong)]), tmp_path / "study.sqlite")
        assert not (tmp_path / "study.sqlite").exists()


class TestSecondRun:
    def test_of_a_finished_study_does_nothing(self, folder, finished, ran, tmp_path):
        shutil.copy(finished, tmp_path / "study.sqlite")
        assert ran(small_study(folder)) == []

    @pytest.mark.parametrize("n_before", [1, 9, 20])
    def test_of_a_stopped_study_runs_the_rest(self, folder, finished, tmp_path, n_before):
        first, second = Watch(n_before), Watch()
        with pytest.raises(KeyboardInterrupt):
            run_study(small_study(folder), tmp_path / "study.sqlite", n_jobs=1, watcher=first)
        run_study(small_study(folder), tmp_path / "study.sqlite", n_jobs=1, watcher=second)
        assert set(first.ran) & set(second.ran) == set()
        assert len(first.ran) + len(second.ran) == 28
        assert contents(tmp_path / "study.sqlite") == contents(finished)

    def test_fits_ensembles_with_what_was_chosen_before(self, folder, finished, tmp_path, monkeypatch):
        study = small_study(folder, ensembles=small_study(folder).ensembles[:1])
        run_study(attrs.evolve(study, variants=[Variant("rc+")]), tmp_path / "study.sqlite", n_jobs=1)
        grids = []
        choose = group_work.choose_ensemble
        monkeypatch.setattr(
            group_work, "choose_ensemble", lambda make, grid, *rest: grids.append(grid) or choose(make, grid, *rest)
        )
        run_study(study, tmp_path / "study.sqlite", n_jobs=1)
        assert len(grids) == 4
        assert {len(values) for grid in grids for values in grid.values()} == {1}

    def test_tries_failed_cells_again(self, folder, ran, monkeypatch):
        study = small_study(folder, datasets=["one"], variants=[Variant("rcprob"), Variant("rc+")])
        monkeypatch.setattr(measuring, "rule_use", lambda *_: 1 / 0)
        assert len(ran(study)) == 12
        monkeypatch.undo()
        assert {name[2] for name in ran(study)} == {"rcprob", "rc+"}


class TestChange:
    @pytest.fixture
    def again(self, folder, finished, ran, tmp_path):
        """Which cells a changed study runs that was run before."""
        shutil.copy(finished, tmp_path / "study.sqlite")
        return lambda **changes: ran(small_study(folder, **({"datasets": ["one"]} | changes)))

    def test_of_the_name_runs_nothing(self, again):
        assert again(name="other") == []

    def test_of_what_a_variant_is_called_runs_nothing(self, again):
        assert again(variants=[Variant("plus", "rc+")]) == []

    def test_by_a_variant_runs_that_variant(self, again):
        found = again(variants=[Variant("rc+"), Variant("mean", "rcprob", {"priors": "mean"})])
        assert {name[2] for name in found} == {"mean"}
        assert len(found) == 4

    def test_of_a_grid_runs_its_variant(self, again):
        found = again(variants=[Variant("rcprob", grid={"min_precision": [0.5, 0.6]}), Variant("rc+")])
        assert {name[2] for name in found} == {"rcprob"}

    def test_by_a_dataset_runs_that_dataset(self, again):
        found = again(datasets=["one", "sklearn:iris"], variants=[Variant("rc+")])
        assert {name[0] for name in found} == {"iris"}

    def test_by_a_repeat_runs_that_repeat(self, again):
        assert {name[3] for name in again(outer=CrossValidation(2, repeats=2))} == {2}

    def test_of_an_ensemble_runs_what_comes_from_it(self, again):
        found = again(ensembles=[Ensemble("rf", parameters={"n_estimators": 3})])
        assert {name[2] for name in found} == {"ensemble", "rcprob", "rc+"}


class TestFailure:
    def test_of_a_cell_does_not_stop_the_others(self, folder, tmp_path):
        variants = [Variant("bad", "rcprob", {"final_estimator": broken()}), Variant("rc+")]
        study = small_study(folder, variants=variants)
        assert run_study(study, tmp_path / "study.sqlite", n_jobs=1) == Summary(24, 0, 16, 8)
        results = Store(tmp_path / "study.sqlite").results()
        assert set(results.loc[results["variant"] == "bad", "error"]) == {"ValueError: No estimate today."}

    def test_of_an_ensemble_is_that_of_its_variants(self, folder, tmp_path):
        ensembles = [Ensemble("rf", parameters={"max_depth": -1}), Ensemble("gbm", parameters={"n_estimators": 2})]
        study = small_study(folder, datasets=["one"], ensembles=ensembles)
        assert run_study(study, tmp_path / "study.sqlite", n_jobs=1) == Summary(16, 0, 10, 6)
        results = Store(tmp_path / "study.sqlite").results()
        failed = results[results["status"] == "failed"]
        assert set(failed["variant"]) == {"ensemble", "rcprob", "rc+"}
        assert failed["error"].str.startswith("InvalidParameterError: The 'max_depth' parameter of").all()


class TestNoResume:
    def test_runs_everything_again(self, folder, finished, tmp_path, ran):
        shutil.copy(finished, tmp_path / "study.sqlite")
        assert len(ran(small_study(folder), resume=False)) == 28
        assert contents(tmp_path / "study.sqlite") == contents(finished)

    def test_leaves_what_another_definition_made(self, folder, finished, tmp_path, ran):
        shutil.copy(finished, tmp_path / "study.sqlite")
        assert {name[2] for name in ran(small_study(folder, variants=[Variant("rc+")]), resume=False)} == {
            "ensemble",
            "rc+",
        }
        assert ran(small_study(folder)) == []
