"""Random and Optuna search beside grids."""

import sys

import attrs
import pytest
from study.made_up import contents, small_study, write_tables

from rulekit.study import Ensemble, Study, TrialSearch, Variant, run_study
from rulekit.study.code import packages
from rulekit.study.data import load_datasets
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.grids import configurations
from rulekit.study.outdated import outdated
from rulekit.study.plan import plan
from rulekit.study.store import Store
from rulekit.study.trials import best_position, planned

GRID = {"a": [1, 2, 4, 8, 16, 32], "b": ["x", "y", "z"], "c": [None, 3]}
BEST = {"a": 16, "b": "y", "c": 3}


class Asked(list):
    """Merits with one peak, and which configurations were asked for."""

    def __call__(self, positions):
        self.extend(positions)
        every = configurations(GRID)
        return [-sum(_distance(name, every[position][name]) for name in GRID) for position in positions]


def _distance(name, value):
    return abs(GRID[name].index(value) - GRID[name].index(BEST[name]))


@pytest.fixture
def asked():
    return Asked()


class TestRandomSearch:
    def test_tries_different_configurations(self, asked):
        found = best_position(GRID, TrialSearch("random", 20), 3, asked)
        assert len(asked) == len(set(asked)) == 20
        tried = sorted(asked)
        assert found == max(tried, key=lambda position: Asked()([position])[0])

    def test_is_the_grid_where_that_is_small(self, asked):
        found = best_position(GRID, TrialSearch("random", 1000), 3, asked)
        assert asked == planned(GRID, None, 0) == list(range(36))
        assert configurations(GRID)[found] == BEST

    def test_depends_on_its_seed(self):
        first, second, again = (planned(GRID, TrialSearch("random", 9), seed) for seed in (1, 2, 1))
        assert first != second
        assert first == again


class TestOptunaSearch:
    def test_finds_the_best_of_a_grid_without_all_of_it(self, asked):
        found = best_position(GRID, TrialSearch("optuna", 25), 0, asked)
        assert configurations(GRID)[found] == BEST
        assert len(asked) == len(set(asked)) < 25

    def test_depends_on_its_seed(self):
        runs = [Asked(), Asked(), Asked()]
        for run, seed in zip(runs, (1, 2, 1), strict=True):
            best_position(GRID, TrialSearch("optuna", 9), seed, run)
        assert runs[0] == runs[2] != runs[1]

    def test_never_chooses_what_has_no_score(self):
        def only_last(positions):
            return [0.0 if position == 35 else -float("inf") for position in positions]

        grid = {"a": list(range(36))}
        assert best_position(grid, TrialSearch("optuna", 100), 0, only_last) == 35

    def test_leaves_optunas_messages_as_they_were(self, asked, capfd):
        import optuna

        before = optuna.logging.get_verbosity()
        best_position(GRID, TrialSearch("optuna", 2), 0, asked)
        assert optuna.logging.get_verbosity() == before
        assert capfd.readouterr().err == ""

    def test_without_optuna_names_the_extra_before_any_work(self, folder, monkeypatch, tmp_path):
        monkeypatch.setitem(sys.modules, "optuna", None)
        with pytest.raises(StudyDefinitionError, match=r"pip install 'rulekit-rcprob\[optuna\]'"):
            run_study(searching(folder, "optuna"), tmp_path / "study.sqlite", n_jobs=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


def searching(folder, kind, trials=3):
    search = {"kind": kind, "trials": trials}
    return small_study(
        folder,
        datasets=["one"],
        ensembles=[Ensemble("rf", grid={"n_estimators": [2, 3, 4], "max_depth": [1, 2]}, search=search)],
        variants=[
            Variant("rcprob", grid={"min_precision": [0.3, 0.5, 0.7], "confidence": [0.1, 0.4]}, search=search),
            Variant("rc+", parameters={"inference": "aggregate"}),
        ],
    )


class TestAStudy:
    @pytest.mark.parametrize("kind", ["random", "optuna"])
    def test_resumes_with_what_it_would_have_found(self, folder, tmp_path, kind):
        study = searching(folder, kind)
        run_study(study, tmp_path / "whole.sqlite", n_jobs=1)
        run_study(attrs.evolve(study, variants=study.variants[1:]), tmp_path / "parts.sqlite", n_jobs=1)
        summary = run_study(study, tmp_path / "parts.sqlite", n_jobs=1)
        assert (summary.n_before, summary.n_done, summary.n_failed) == (4, 2, 0)
        assert contents(tmp_path / "parts.sqlite") == contents(tmp_path / "whole.sqlite")

    def test_gets_the_grids_result_from_as_many_trials(self, folder, tmp_path):
        study = searching(folder, "random", trials=6)
        grid = attrs.evolve(study, variants=[attrs.evolve(each, search=None) for each in study.variants])
        for name, each in (("random", study), ("grid", grid)):
            run_study(each, tmp_path / name, n_jobs=1)
        assert contents(tmp_path / "random") == contents(tmp_path / "grid")

    def test_has_the_search_in_its_keys(self, folder):
        def keys(study):
            return {cell.key for cell in plan(study, load_datasets(study)) if cell.labels["variant"] == "rcprob"}

        plain = searching(folder, "random")
        others = [searching(folder, "optuna"), searching(folder, "random", 4)]
        assert not any(keys(plain) & keys(other) for other in others)
        assert keys(plain) == keys(searching(folder, "random"))

    def test_is_out_of_date_with_another_optuna(self, folder, tmp_path, monkeypatch):
        run_study(searching(folder, "optuna"), tmp_path / "study.sqlite", n_jobs=1)
        version = packages.version_of
        monkeypatch.setattr(packages, "version_of", lambda name: {"optuna": "0"} if name == "optuna" else version(name))
        assert "optuna" in " ".join(outdated(Store(tmp_path / "study.sqlite")).reasons)

    def test_goes_to_a_document_and_back(self, folder):
        study = searching(folder, "random")
        assert Study.from_dict(study.to_dict()) == attrs.evolve(study, base=None)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ({"kind": "randon", "trials": 3}, "unknown kind 'randon'. Did you mean 'random'?"),
        ({"kind": "random", "trials": 0}, "trials must be an integer of at least 1, got 0"),
        ({"kind": "random"}, "search must be a table such as"),
        ("random", "search must be a table such as"),
    ],
)
def test_what_is_no_search_is_rejected(search, message):
    with pytest.raises(StudyDefinitionError, match=message.replace("?", r"\?")):
        Variant("rcprob", grid={"min_precision": [0.1, 0.2]}, search=search)


def test_a_search_without_a_grid_is_rejected(folder, tmp_path):
    study = small_study(folder, variants=[Variant("rcprob", search={"kind": "random", "trials": 3})])
    with pytest.raises(StudyDefinitionError, match=r"\[variants.rcprob\]: search needs a grid with several values"):
        run_study(study, tmp_path / "study.sqlite", n_jobs=1)
