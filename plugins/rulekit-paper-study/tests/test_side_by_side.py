"""The published figures beside ours."""

import pandas as pd
import pytest
from rulekit_paper_study.profiles import DOUBTFUL
from rulekit_paper_study.published import Published
from rulekit_paper_study.side_by_side import published_scatter, side_by_side
from study import toy

from rulekit.study.report import Section, write_report
from rulekit.study.statistics import FAMILY
from rulekit.study.tables import Table

ENSEMBLES = ("rf", "gbm")


@pytest.fixture(scope="module")
def ours() -> pd.DataFrame:
    """Results of three datasets with every variant that the published tables have a place for."""
    names = ["ensemble", "rcprob", "rc+", "decision-tree", "rcprob aggregate", "rc+ aggregate"]
    names += ["intrees", "defragtrees", "rcprob temperature", "n0=50", "tau=2.5"]
    values = {
        name: {each: [0.5 + position, 0.6 + position, 0.7 + position] for position, each in enumerate(names)}
        for name in (*FAMILY, "accuracy")
    }
    tables = [toy.results(values, ensemble=ensemble) for ensemble in ENSEMBLES]
    renamed = {"a": "australian", "b": "pima", "c": "credit"}
    return pd.concat(tables, ignore_index=True).replace({"dataset": renamed})


@pytest.fixture(scope="module")
def of_rf(ours: pd.DataFrame) -> pd.DataFrame:
    return ours[ours["ensemble"] == "rf"]


def tables_of(sections: list) -> dict[str, Table]:
    return {part.name: part for section in sections for part in section.parts if isinstance(part, Table)}


def lines_of(sections: list) -> list[str]:
    return [part for section in sections for part in section.parts if isinstance(part, str)]


@pytest.fixture(scope="module")
def everything(published: Published, ours: pd.DataFrame) -> dict[str, Table]:
    return tables_of(side_by_side(published, ours, toy.rulesets(ours), has_figures=False))


class TestSideBySide:
    def test_has_a_table_for_everything_that_is_published(self, everything):
        per_ensemble = [
            *("expected", "published main", "published primary", "published secondary", "published ranks"),
            *("published aggregate", "published diagnostics", "published use", "published calibration"),
            *("published sensitivity", "published by dataset log_loss", "published by dataset n_rules"),
        ]
        expected = {f"{name} {ensemble}" for name in per_ensemble for ensemble in ENSEMBLES} | {"published identical"}
        assert expected - set(everything) == set()

    def test_means_are_beside_the_published_ones_and_those_of_the_same_datasets(self, everything):
        rows = [row for row in everything["published main rf"].rows if row[:2] == ["Log-loss ↓", "rcprob"]]
        # australian 0.426 and pima 0.562 are published; credit is apart.
        assert rows == [["Log-loss ↓", "rcprob", "0.4428 ± 0.37", "0.4940 ± 0.10", "1.5500 ± 0.07", "2"]]

    def test_datasets_apart_come_last_and_are_marked(self, everything):
        rows = everything["published by dataset log_loss rf"].rows
        assert [row[0] for row in rows] == ["australian", "pima", "credit (apart)"]
        assert rows[0] == ["australian", "1.532", "2.500", "0.426", "1.500"]

    def test_expectations_say_whether_they_hold(self, everything):
        rows = everything["expected rf"].rows
        assert rows[0] == ["Datasets on which RCProb has the lower log-loss", ">= 85", "91.3", "100.0", "yes"]
        assert rows[1][1:] == ["<= -50", "-71.9", "-39.2", "no"]

    def test_expectations_name_the_datasets_on_which_rcprob_loses(self, published, of_rf):
        worse = of_rf["variant"].eq("rcprob") & of_rf["dataset"].eq("pima")
        ours = of_rf.assign(log_loss=of_rf["log_loss"].mask(worse, 9.0))
        (note,) = tables_of(side_by_side(published, ours, [], has_figures=False))["expected rf"].notes
        told = "published htru2 and mammographic; ours pima, of 2 datasets."
        assert note == f"Datasets on which RCProb has the higher log-loss: {told}"

    def test_tests_are_beside_the_published_ones(self, everything):
        row = everything["published primary rf"].rows[0]
        assert row[:3] == ["Log-loss ↓", "-71.9", "<0.0001"]
        assert row[4:] == ["-39.2", "1.0000", "2/0/0", "2"]

    def test_all_five_methods_have_a_place_in_means_tests_ranks_and_use(self, everything):
        methods = {"rcprob", "rc+", "decision-tree", "intrees", "defragtrees"}
        assert methods < {row[1] for row in everything["published main rf"].rows}
        for name, left_out in (("secondary", {"rcprob"}), ("ranks", set()), ("use", set())):
            headings = everything[f"published {name} rf"].headings
            for method in methods - left_out:
                assert {f"{method} published", f"{method} ours"} <= set(headings), (name, method)
        assert everything["published ranks rf"].notes == ["Published ranks are among 5 methods, ours among 5."]

    def test_ranks_among_fewer_methods_are_said_not_to_compare(self, published, of_rf):
        few = of_rf[of_rf["variant"].isin(["rcprob", "rc+", "decision-tree"])]
        content = tables_of(side_by_side(published, few, [], has_figures=False))["published ranks rf"]
        assert content.rows[0][:3] == ["Log-loss ↓", "1.39", "1.00"]
        assert content.notes == ["Published ranks are among 5 methods, ours among 3: they are not to be compared."]

    def test_calibration_is_not_beside_what_the_main_study_says_of_the_datasets(self, everything):
        content = everything["published calibration rf"]
        assert content.headings == ["Measure", "Variant", "Published", "Ours", "Our datasets"]
        assert {len(row) for row in content.rows} == {5}
        assert ["Log-loss ↓", "rcprob temperature", "0.2215 ± 0.26"] in [row[:3] for row in content.rows]
        assert "same_mean" not in content.numbers

    @pytest.mark.parametrize("profile", ["calibration", "sensitivity"])
    def test_a_study_of_its_own_is_compared_with_its_own_table(self, published, ours, profile):
        sections = side_by_side(published, ours, toy.rulesets(ours), profile=profile, has_figures=False)
        assert [section.title for section in sections] == [f"Published and ours: {profile}"]
        assert list(tables_of(sections)) == [f"published {profile} {ensemble}" for ensemble in ENSEMBLES]

    def test_the_main_study_says_where_the_others_are(self, published, of_rf):
        lines = lines_of(side_by_side(published, of_rf, [], profile="small", has_figures=False))
        for other in ("calibration", "sensitivity"):
            line = f"A study of its own, with a report of its own: `rulekit study run paper --profile {other}`."
            assert line in lines

    def test_identical_rulesets_are_counted(self, everything):
        content = everything["published identical"]
        # All toy rulesets of one variant are the same: four cells without the dataset that is apart.
        assert content.rows[0][:4] == ["rf", "rc+", "233", "4"]

    def test_sensitivity_shows_one_setting_under_both_names(self, everything):
        settings = [row[0] for row in everything["published sensitivity rf"].rows]
        assert settings == ["n0=50", "tau=2.5", "tau=5"]

    def test_says_what_is_missing(self, published, of_rf):
        only = of_rf[of_rf["variant"].isin(["rcprob", "rc+"])]
        lines = lines_of(side_by_side(published, only, [], has_figures=False))
        assert "Aggregate inference, rf: the results have no rc+ aggregate and rcprob aggregate." in lines
        assert "Rule diagnostics, rf: the results have no rc+ and rcprob." in lines
        assert any(line.startswith("Calibration, rf: the results have no calibrated variant") for line in lines)
        assert any(line.startswith("Sensitivity, rf: the results have no variants n0=") for line in lines)
        assert any(
            line.startswith("Identical rulesets, rf: the results have no rulesets of both rc+") for line in lines
        )

    def test_one_method_alone_is_no_reason_to_crash(self, published, of_rf):
        for name in ("rcprob", "ensemble"):
            sections = side_by_side(published, of_rf[of_rf["variant"] == name], [], has_figures=False)
            assert "Primary tests, rf: the results have no" in " ".join(lines_of(sections))

    def test_a_measure_that_was_not_taken_is_left_out(self, published, of_rf):
        sections = side_by_side(published, of_rf.drop(columns=["brier", "fidelity"]), [], has_figures=False)
        assert "Brier score ↓" not in [row[0] for row in tables_of(sections)["published main rf"].rows]
        assert "Brier score by dataset, rf: the results have no rc+ and rcprob." in lines_of(sections)

    def test_other_datasets_are_no_reason_to_crash(self, published, of_rf):
        elsewhere = of_rf.assign(dataset=of_rf["dataset"] + "2")
        sections = side_by_side(published, elsewhere, [], has_figures=False)
        assert tables_of(sections)["published main rf"].rows[0][3] == "-"
        assert "Rules by dataset, rf: the results have no dataset of the published study." in lines_of(sections)

    def test_other_ensembles_are_named(self, published, ours):
        sections = side_by_side(published, ours.assign(ensemble="xgboost"), [], has_figures=False)
        assert lines_of(sections) == ["The results have no ensemble called rf or gbm."]

    @pytest.mark.parametrize("formats", [["svg"], []])
    def test_the_report_shows_the_published_figure_if_it_shows_any(self, published, of_rf, tmp_path, formats):
        few = of_rf[of_rf["variant"].isin(["rcprob", "rc+"])]
        sections = [Section("Published", [published_scatter(published)])]
        path = write_report(few, [], [], tmp_path, apart=DOUBTFUL, sections=sections, formats=formats)
        text = path.read_text(encoding="utf-8")
        assert "credit is reported separately" in text
        assert ("](figures/published-log-loss.svg)" in text) == bool(formats)
