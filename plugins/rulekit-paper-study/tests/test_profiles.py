"""The published study as profiles: what they run, and one that runs."""

import math
import re
from types import SimpleNamespace

import pandas as pd
import pytest
from rulekit_paper_study.__main__ import main
from rulekit_paper_study.datasets import PUBLISHED
from rulekit_paper_study.page import _compared, fold_table
from rulekit_paper_study.profiles import DOUBTFUL, PROFILES, missing_methods, profile_definition, with_aggregate
from rulekit_paper_study.side_by_side import side_by_side

import rulekit
from rulekit.plugin import InvalidParameterError
from rulekit.plugin.manager import plugins
from rulekit.study import Store, Study, run_study
from rulekit.study.checks import check_parts
from rulekit.study.data import load_datasets
from rulekit.study.plan import plan
from rulekit.study.report import write_report

ENSEMBLES = ("rf", "gbm")


def study_of(definition):
    """A study needs a name; `rulekit study run paper` gives it one."""
    return Study.from_dict({"name": "paper", **definition})


@pytest.fixture
def plugins_of(monkeypatch):
    """Lets only these of the plugins' methods be installed."""

    def having(*names):
        plugins.cache_clear()
        monkeypatch.setenv("RULEKIT_BLOCK_PLUGINS", "intrees,defragtrees")
        for name in names:
            rulekit.register("method", name, lambda ensemble: None)
        return True

    yield having
    plugins.cache_clear()


class TestProfiles:
    @pytest.mark.parametrize("name", PROFILES)
    def test_can_be_run(self, name):
        check_parts(study_of(profile_definition(name)))

    @pytest.mark.parametrize("name", PROFILES)
    def test_have_the_published_seed_and_name_scores(self, name):
        definition = profile_definition(name)
        assert definition["seed"] == 42
        assert definition["selection"] == {"ensemble": "accuracy", "variant": "macro_f1"}

    @pytest.mark.parametrize("name", ["once", "full"])
    def test_that_take_long_have_every_dataset_the_quick_ones_first(self, name):
        datasets = profile_definition(name)["datasets"]
        assert sorted(datasets) == sorted(PUBLISHED)
        assert datasets[0] == "cryotherapy"
        assert datasets.index("mammographic") < datasets.index("glass") < datasets.index("htru2")
        assert datasets[-1] == "spambase"

    def test_small_has_every_dataset_of_up_to_1100_samples(self):
        assert len(profile_definition("small")["datasets"]) == 15
        assert "biodeg" in profile_definition("small")["datasets"]
        assert "banknote" not in profile_definition("small")["datasets"]

    def test_full_has_all_datasets_and_repeats_and_aggregate_inference(self):
        definition = profile_definition("full")
        assert sorted(definition["datasets"]) == sorted(PUBLISHED)
        assert definition["outer"] == {"splits": 5, "repeats": 3}
        assert definition["variants"]["rcprob aggregate"]["parameters"] == {"inference": "aggregate"}

    def test_once_has_all_datasets_and_is_the_first_repeat_of_full(self):
        once, full = profile_definition("once"), profile_definition("full")
        assert once["outer"] == {"splits": 5, "repeats": 1}
        assert {key for key in full if full[key] != once[key]} == {"outer"}

    def test_small_differs_from_full_in_datasets_and_repeats_only(self):
        small, full = profile_definition("small"), profile_definition("full")
        assert {key for key in full if full[key] != small[key]} == {"datasets", "outer"}

    @pytest.mark.parametrize("name", ["smoke", "small", "once", "full"])
    def test_takes_the_methods_of_the_plugins_that_are_installed_and_names_the_others(self, name, plugins_of):
        assert plugins_of("intrees", "defragtrees")
        assert {"intrees", "defragtrees"} <= profile_definition(name)["variants"].keys()
        assert missing_methods(name) == []
        assert plugins_of("intrees")
        assert "intrees" in profile_definition(name)["variants"]
        assert "defragtrees" not in profile_definition(name)["variants"]
        assert missing_methods(name) == ["defragtrees"]

    @pytest.mark.parametrize("name", ["calibration", "sensitivity"])
    def test_that_has_no_methods_of_plugins_misses_none(self, name, plugins_of):
        assert plugins_of()
        assert missing_methods(name) == []

    def test_calibration_has_the_variants_and_shares_of_the_published_table(self, published):
        study = study_of(profile_definition("calibration"))
        assert [each.name for each in study.variants] == [
            *("rcprob", "rc+", "decision-tree"),
            *(f"{name} {kind}" for name in ("rcprob", "rc+", "decision-tree") for kind in ("temperature", "dirichlet")),
        ]
        assert {each.name for each in study.variants} == set(published.calibration["variant"])
        assert (study.outer.splits, study.outer.calibration) == (5, 0.25)
        assert len(study.datasets) == 6

    def test_calibrated_variants_share_the_fits_of_the_plain_ones(self, data_folder):
        study = study_of(profile_definition("calibration") | {"datasets": ["vehicle"], "folder": str(data_folder)})
        cells = [cell for cell in plan(study, load_datasets(study)) if cell.variant is not None]
        # Five folds, two ensembles, two methods; the tree brings its own ensemble.
        assert len({cell.work for cell in cells}) == 5 * 2 * 2 + 5

    def test_smoke_is_tiny(self):
        definition = profile_definition("smoke")
        assert len(definition["datasets"]) <= 3
        assert definition["outer"]["splits"] == 2

    def test_a_profile_is_a_copy(self):
        profile_definition("small")["variants"]["rcprob"]["grid"]["confidence"].append(1)
        assert profile_definition("small")["variants"]["rcprob"]["grid"]["confidence"] == [0.1, 0.25, 0.4]

    def test_aggregate_inference_keeps_the_grid(self):
        variants = with_aggregate(profile_definition("small"))["variants"]
        assert variants["rc+ aggregate"]["grid"] == variants["rc+"]["grid"]
        assert variants["rc+ aggregate"]["method"] == "rc+"

    def test_an_unknown_profile_is_refused(self):
        with pytest.raises(InvalidParameterError, match=r"no profile 'tiny'\. Known: smoke, small, once, full, "):
            profile_definition("tiny")

    def test_the_doubtful_dataset_has_a_reason(self):
        assert list(DOUBTFUL) == ["credit"]
        assert "class ratio" in DOUBTFUL["credit"]

    def test_grids_are_the_published_search_spaces(self, published):
        spaces = published.search_spaces.set_index("method")
        definition = profile_definition("small")
        grids = {
            "Base ensemble": definition["ensembles"]["rf"]["grid"],
            "RCProb": definition["variants"]["rcprob"]["grid"],
            "RC+": definition["variants"]["rc+"]["grid"],
            "DT": definition["variants"]["decision-tree"]["grid"],
            **{
                method: definition["variants"][name]["grid"]
                for method, name in {"inTrees": "intrees", "DefragTrees": "defragtrees"}.items()
                if name in definition["variants"]
            },
        }
        assert definition["ensembles"]["gbm"]["grid"] == grids["Base ensemble"]
        for method, grid in grids.items():
            values = re.findall(r"\{([^}]*)\}", spaces.loc[method, "space"])
            predicted = [[each if each == "none" else float(each) for each in text.split(",")] for text in values]
            assert predicted == list(grid.values()), method
            assert math.prod(map(len, grid.values())) == spaces.loc[method, "n_configurations"]


@pytest.fixture(scope="module")
def smoke(data_folder, tmp_path_factory):
    """The store of the profile `smoke`."""
    store = Store(tmp_path_factory.mktemp("smoke") / "smoke.sqlite")
    definition = {"name": "paper-smoke", **profile_definition("smoke"), "folder": str(data_folder)}
    assert run_study(Study.from_dict(definition), store.path, n_jobs=1).n_failed == 0
    return store


def test_the_smoke_profile_runs_and_its_report_stands_beside_the_published_figures(published, smoke, tmp_path):
    results = smoke.results()
    path = write_report(
        results,
        smoke.rulesets(),
        smoke.predictions(),
        tmp_path / "report",
        name="paper-smoke",
        planned=smoke.planned(),
        versions=smoke.versions(),
        apart=DOUBTFUL,
        sections=side_by_side(published, results, smoke.rulesets(), has_figures=False),
        formats=(),
    )
    text = path.read_text(encoding="utf-8")
    n_cells = 2 * 3 * 2 * (1 + len(profile_definition("smoke")["variants"]))
    assert f"{n_cells} cells: {n_cells} done, 0 failed, 0 missing." in text
    assert "Published and ours: primary tests" in text


class TestPage:
    def test_has_the_published_tables_and_links_figures_that_are_there(
        self, smoke, paper_folder, tmp_path, monkeypatch, capsys
    ):
        page = tmp_path / "page.md"
        arguments = [str(smoke.path), "--paper", str(paper_folder), "--out", str(page)]
        monkeypatch.setattr("sys.argv", ["rulekit_paper_study", *arguments])
        main()
        assert capsys.readouterr().out == f"Written: {page}\n"
        text = page.read_text(encoding="utf-8")
        assert "| cryotherapy | 90 | 2 of 2 | 2 of 2 |" in text
        assert "**Main table, rf**" in text
        assert "rulekit study run paper --profile calibration" in text
        links = re.findall(r"\]\((figures/.*)\)", text)
        assert {"figures/log-loss-rcprob-rc-plus.png", "figures/published-log-loss.png"} < set(links)
        assert [link for link in links if not (tmp_path / link).exists()] == []

    def test_rules_and_predictions_of_a_fold_without_one_of_its_variants_are_left_out(self, smoke):
        results = smoke.results()
        is_lost = (results["dataset"] == "divorce") & (results["variant"] == "rc+") & (results["fold"] == 2)
        is_lost &= results["ensemble"] == "gbm"
        store = SimpleNamespace(results=lambda: results[~is_lost], planned=smoke.planned)
        every = {(*tuple(key.values())[:2], key["fold"]) for key, *_ in smoke.rulesets()}
        kept = {(*tuple(key.values())[:2], key["fold"]) for key, *_ in _compared(store, smoke.rulesets())}
        assert every - kept == {("divorce", "gbm", 2)}

    def test_a_fold_without_one_of_its_variants_is_not_complete(self, smoke):
        results, planned = smoke.results(), pd.DataFrame(smoke.planned())
        is_lost = (results["dataset"] == "divorce") & (results["variant"] == "rc+") & (results["fold"] == 2)
        rows = fold_table(results[~is_lost | (results["ensemble"] == "rf")], planned, "folds", "Folds").rows
        assert rows == [
            ["cryotherapy", "90", "2 of 2", "2 of 2"],
            ["divorce", "170", "2 of 2", "1 of 2"],
            ["new-thyroid", "215", "2 of 2", "2 of 2"],
        ]
