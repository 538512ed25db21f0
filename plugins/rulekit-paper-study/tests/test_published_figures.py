"""The published figures: they are read completely and agree with our statistics."""

import math
from itertools import product

import numpy as np
import pytest
from rulekit_paper_study.cells import mean_and_sd, measure, number, p_value, rows_of, variant, verdict_and_p
from rulekit_paper_study.datasets import PUBLISHED
from rulekit_paper_study.names import sensitivity_variant
from rulekit_paper_study.published import PublishedFiguresError, read_published

from rulekit.study.statistics import FAMILY, compare_pair, holm

ENSEMBLES = ("rf", "gbm")


class TestCells:
    @pytest.mark.parametrize(("text", "expected"), [("12,013", 12013), ("+17.3", 17.3), ("-71.9", -71.9), ("0.5", 0.5)])
    def test_numbers(self, text, expected):
        assert number(text) == expected

    def test_means_p_values_and_verdicts(self):
        assert mean_and_sd("0.4238 ± 0.41") == (0.4238, 0.41)
        assert all(math.isnan(value) for value in mean_and_sd("--"))
        assert (p_value("<0.0001"), p_value("0.0362")) == (0.0, 0.0362)
        assert verdict_and_p("n.s. (0.2229)") == ("n.s.", 0.2229)
        letter, p = verdict_and_p("--")
        assert letter == "--"
        assert math.isnan(p)

    def test_names(self):
        assert measure("Conf.-ECE (lower is better)") == "confidence_ece"
        assert variant("RCProbAgg") == "rcprob aggregate"
        assert variant("RC+ + TempS") == "rc+ temperature"
        assert sensitivity_variant("tau", 2.5) == "tau=2.5"
        assert sensitivity_variant("tau", 5.0) == sensitivity_variant("n0", 50.0) == "n0=50"


class TestPublishedFigures:
    def test_every_table_is_read_completely(self, published):
        sizes = {
            "main": 2 * (6 * 6 - 2 + 5 * 6),  # no fidelity of the ensemble and of the tree
            "per_dataset": 2 * 23 * 5 * 2,
            "primary": 2 * 12,
            "secondary": 2 * 12 * 4,
            "ranks": 2 * 12 * 5,
            "aggregate": 2 * 12,
            "identical": 4,
            "diagnostics": 2 * 8 * 2,
            "use": 2 * 5 * 4,
            "calibration": 2 * 6 * 9,
            "sensitivity": 2 * 10 * 4,
            "search_spaces": 6,
            "datasets": 23,
        }
        assert {name: len(getattr(published, name)) for name in sizes} == sizes

    def test_every_file_is_read(self, paper_folder):
        read = {
            *(f"{name}_{ensemble}" for name in ("main", "per_dataset", "secondary", "ranks") for ensemble in ENSEMBLES),
            *("primary_tests", "aggregate", "identical_inference", "rule_diagnostics", "rule_use"),
            *("calibration", "sensitivity", "search_spaces", "datasets"),
        }
        assert {path.stem for path in paper_folder.glob("*.csv")} == read

    def test_every_number_of_the_files_is_in_a_frame(self, published, paper_folder):
        cells = [cell for row in rows_of(paper_folder / "calibration.csv") for cell in row if "±" in cell]
        assert len(cells) == len(published.calibration)
        assert [mean_and_sd(cell)[0] for cell in cells] == published.calibration["mean"].tolist()

    def test_nothing_is_missing_but_tests_that_were_not_made(self, published):
        frames = {name: getattr(published, name) for name in ("main", "per_dataset", "primary", "ranks", "aggregate")}
        assert {name for name, frame in frames.items() if frame.isna().any(axis=None)} == set()
        untested = published.secondary["verdict"] == "not tested"
        assert (published.secondary["p_holm"].isna() == untested).all()

    def test_headlines(self, published):
        main = published.main.set_index(["ensemble", "variant", "measure"])["mean"]
        assert main["rf", "rcprob", "log_loss"] == 0.4428
        assert main["gbm", "rc+", "n_rules"] == 25.70
        use = published.use.set_index(["ensemble", "variant", "fact"])["value"]
        assert use["gbm", "rcprob", "selected"] == pytest.approx(0.801)

    def test_shapes_are_those_of_the_datasets_here(self, published):
        table = published.datasets.set_index("dataset")
        here = {name: (each.n_samples, each.n_features, each.n_classes, each.ratio) for name, each in PUBLISHED.items()}
        there = table[["n_samples", "n_features", "n_classes", "ratio"]]
        assert {name: tuple(row) for name, row in zip(there.index, there.to_numpy().tolist(), strict=True)} == here

    def test_the_folder_can_be_named_by_the_environment(self, paper_folder, monkeypatch):
        monkeypatch.setenv("RULEKIT_PAPER", str(paper_folder))
        assert len(read_published().main) == 128


class TestPublishedFiguresThatAreNotThere:
    def test_nothing_names_the_folder(self, monkeypatch):
        monkeypatch.delenv("RULEKIT_PAPER", raising=False)
        with pytest.raises(PublishedFiguresError, match="not part of rulekit: name their folder, or set RULEKIT_PAPER"):
            read_published()

    def test_there_is_no_such_folder(self, tmp_path):
        with pytest.raises(PublishedFiguresError, match=r"There is no folder '.*nowhere' with published figures"):
            read_published(tmp_path / "nowhere")

    def test_a_file_is_missing(self, tmp_path):
        with pytest.raises(PublishedFiguresError, match=r"has no file main_rf\.csv"):
            read_published(tmp_path)

    def test_a_file_is_something_else(self, tmp_path):
        for ensemble in ENSEMBLES:
            (tmp_path / f"main_{ensemble}.csv").write_text("Method,Beauty\nRCProb,1 ± 2\n", encoding="utf-8")
        with pytest.raises(PublishedFiguresError, match="not as published: 'Beauty'"):
            read_published(tmp_path)


class TestOurStatisticsOnThePublishedMeans:
    """The published means by dataset, with three decimals, lead to the published tests."""

    @pytest.mark.parametrize("ensemble", ENSEMBLES)
    def test_changes_and_p_values_come_out(self, published, ensemble):
        ours = compare_pair(published.results(), "rcprob", "rc+", ensemble=ensemble)
        primary = published.primary
        theirs = primary[primary["ensemble"] == ensemble].set_index("measure").loc[ours.index]
        assert np.abs(ours["change"] - theirs["change"]).max() < 0.35
        assert np.abs(ours["p"] - theirs["p"]).max() < 0.04
        assert abs(ours.loc["log_loss", "change"] - theirs.loc["log_loss", "change"]) < 0.05

    @pytest.mark.parametrize("ensemble", ENSEMBLES)
    def test_means_and_standard_deviations_come_out(self, published, ensemble):
        ours = compare_pair(published.results(), "rcprob", "rc+", ensemble=ensemble)
        main = published.main.set_index(["ensemble", "variant", "measure"]).loc[ensemble]
        for name, (side, other) in product(ours.index, (("first", "rcprob"), ("second", "rc+"))):
            theirs = main.loc[(other, name)]
            assert ours.loc[name, f"{side}_mean"] == pytest.approx(
                theirs["mean"], abs=0.01 if name == "n_rules" else 5e-4
            )
            assert ours.loc[name, f"{side}_sd"] == pytest.approx(theirs["sd"], abs=0.02)

    @pytest.mark.parametrize("ensemble", ENSEMBLES)
    def test_holm_over_twelve_outcomes_comes_out(self, published, ensemble):
        theirs = published.primary[published.primary["ensemble"] == ensemble].set_index("measure")
        assert sorted(theirs.index) == sorted(FAMILY)
        corrected = holm(theirs["p"].to_numpy(dtype=float))
        # Published p-values have four decimals, and twelve of them may be added up.
        is_predicted = (theirs["p"] > 0).to_numpy()
        assert np.abs(corrected - theirs["p_holm"])[is_predicted].max() < 12 * 5e-5
