"""A report is a folder that says what the results say, however incomplete they are."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from study import toy

from rulekit.core.errors import InvalidParameterError
from rulekit.study.report import Section, write_report

SIX = toy.results(toy.SIX)
TWO = SIX[SIX["variant"] != "third"]
PLANNED = [
    toy.key(dataset, variant=variant, fold=fold)
    for dataset in "abcdefg"
    for variant in ("new", "old", "third")
    for fold in (0, 1)
]


def report(results: pd.DataFrame, folder: Path, formats: Sequence[str] = (), **options: object) -> str:
    path = write_report(results, toy.rulesets(results), toy.predictions(results), folder, formats=formats, **options)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("report") / "made" / "here"
    failed = toy.fail(SIX, dataset="b", variant="third", fold=0)
    text = report(
        failed,
        folder,
        name="toy",
        formats=["svg"],
        planned=PLANNED,
        versions=[{"rulekit": "1.0", "plugins": []}],
        sections=[Section("More", ["A last word."])],
    )
    return folder, text


class TestACompleteReport:
    def test_says_how_many_cells_are_done_failed_and_missing(self, written):
        assert "42 cells: 35 done, 1 failed, 6 missing." in written[1]
        assert "| b | rf | third | 0 | 0 | ValueError: no |" in written[1]

    def test_says_what_it_was_made_with(self, written):
        assert "Made with rulekit 1.0, plugins none." in written[1]

    def test_has_every_kind_of_table(self, written):
        names = {path.name for path in (written[0] / "tables").iterdir()}
        stems = [
            *("status", "failures", "quality-rf", "structure-rf", "paired-rf-new-old", "paired-rf-new-third"),
            *("friedman-rf", "ranks-rf", "changes-rf", "rule-diagnostics", "rule-use"),
            *("by-dataset-log-loss-rf", "by-dataset-macro-f1-rf", "by-dataset-n-rules-rf"),
        ]
        assert names == {f"{stem}.{suffix}" for stem in stems for suffix in ("csv", "tex")}

    def test_has_every_kind_of_figure(self, written):
        names = {path.stem for path in (written[0] / "figures").iterdir()}
        assert names == {
            *("log-loss-new-old", "log-loss-new-third", "critical-difference-rf", "trade-off-rf"),
            *("reliability-rf", "predicted-rf"),
        }

    def test_every_figure_that_is_linked_is_there_and_every_one_there_is_linked(self, written):
        links = set(re.findall(r"\]\((figures/[^)]+)\)", written[1]))
        assert links == {f"figures/{path.name}" for path in (written[0] / "figures").iterdir()}

    def test_has_the_numbers_counted_by_hand(self, written):
        tests = pd.read_csv(written[0] / "tables" / "paired-rf-new-old.csv", index_col="measure")
        assert tests["p"].tolist() == [2 / 64, 4 / 64, 10 / 64]
        assert "| Log-loss ↓ | 3.5000 ± 1.87 | 7.0000 ± 3.74 | -50.0 |" in written[1]

    def test_ends_with_the_sections_that_were_added(self, written):
        assert written[1].endswith("## More\n\nA last word.\n")


class TestIncompleteResults:
    def test_one_dataset(self, tmp_path):
        text = report(SIX[SIX["dataset"] == "a"], tmp_path, formats=["svg"])
        assert "cannot be significant with 1 dataset " in text
        assert "not significant" not in text
        assert "No critical-difference diagram of rf: it needs 3 variants and 6 datasets" in text

    def test_one_variant(self, tmp_path):
        text = report(SIX[SIX["variant"] == "new"], tmp_path, formats=["svg"])
        assert "new against" not in text
        assert "Mean ± standard deviation" in text

    def test_a_variant_that_only_failed(self, tmp_path):
        text = report(toy.fail(SIX, variant="old"), tmp_path, formats=["svg"])
        assert "0 (6 left out)" in text

    def test_nothing_but_failures(self, tmp_path):
        text = report(toy.fail(SIX, ensemble="rf"), tmp_path, formats=["svg"])
        assert "36 cells: 0 done, 36 failed, 0 missing." in text
        assert "against" not in text

    def test_a_variant_that_one_ensemble_does_not_have_yet(self, tmp_path):
        gbm = toy.results(toy.SIX, ensemble="gbm")
        text = report(pd.concat([TWO, gbm[gbm["variant"] == "old"]], ignore_index=True), tmp_path, reference="new")
        assert "new against old, rf" in text
        assert "new against old, gbm" not in text
        assert "by dataset, mean ± standard deviation over the folds, gbm" in text

    def test_no_rulesets_and_no_predictions(self, tmp_path):
        path = write_report(TWO, [], [], tmp_path, formats=())
        assert "No rulesets are stored." in path.read_text(encoding="utf-8")

    def test_without_formats_there_are_no_figures_and_the_rest_is_as_before(self, tmp_path):
        text = report(TWO, tmp_path)
        assert "## Figures" not in text
        assert list((tmp_path / "figures").iterdir()) == []
        assert "new against old, rf" in text

    def test_nothing_but_the_ensemble(self, tmp_path):
        results = toy.results({"log_loss": {"ensemble": [1, 2]}})
        with pytest.raises(InvalidParameterError, match="no variant besides the ensemble itself"):
            report(results, tmp_path)


class TestWhatIsReported:
    def test_the_ensemble_is_in_the_means_but_not_in_the_tests(self, tmp_path):
        values = {"log_loss": {"new": [1, 2], "ensemble": [1, 1], "old": [2, 3]}}
        text = report(toy.results(values), tmp_path)
        assert "| ensemble | 1.0000 ± 0.00 |" in text
        assert "new against old" in text
        assert "against ensemble" not in text

    def test_rcprob_is_the_reference_where_there_is_one(self, tmp_path):
        text = report(toy.results({"log_loss": {"a": [1, 2], "rcprob": [1, 1]}}), tmp_path)
        assert "**rcprob against a, rf**" in text

    def test_the_reference_and_the_variants_can_be_chosen(self, tmp_path):
        text = report(SIX, tmp_path, reference="old", variants=["third", "old"])
        assert "old against third, rf" in text
        assert "| Variant | Log-loss ↓ | Macro-F1 ↑ |\n| --- | ---: | ---: |\n| third |" in text
        assert "against new" not in text

    def test_only_primary_measures_are_tested(self, tmp_path):
        text = report(SIX, tmp_path, primary=["n_rules"], measures=["log_loss"])
        rows = [line for line in text.partition("**new against old, rf**")[2].splitlines() if line.startswith("|")]
        assert [row.split(" | ")[-1] for row in rows[2:4]] == ["not significant |", "descriptive |"]
        friedman = text.partition("**Friedman's test")[2].splitlines()
        assert [row.split(" ")[1] for row in friedman[2:5]] == ["Measure", "---", "Rules"]
        assert "| n_rules" not in text

    def test_a_dataset_apart_is_in_the_tables_by_dataset_only(self, tmp_path):
        text = report(TWO, tmp_path, apart={"f": "It is doubtful.", "z": "It is not there."})
        assert "z is reported separately" not in text
        assert "f is reported separately, in the tables by dataset only. It is doubtful." in text
        assert "Over 5 datasets." in text
        assert "| f | **6.0000 ± 0.35** |" in text

    def test_names_that_would_share_a_file_get_two(self, tmp_path):
        values = {"log_loss": {"new": [1, 2], "a=1": [1, 1], "a 1": [2, 3]}}
        report(toy.results(values), tmp_path)
        names = {path.name for path in (tmp_path / "tables").iterdir()}
        assert {"paired-rf-new-a-1.csv", "paired-rf-new-a-1-2.csv"} <= names

    def test_a_second_report_overwrites_the_first(self, tmp_path):
        first = report(TWO, tmp_path)
        assert report(TWO, tmp_path) == first

    def test_the_results_are_not_changed(self, tmp_path):
        before = TWO.copy()
        report(TWO, tmp_path)
        pd.testing.assert_frame_equal(TWO, before)

    def test_a_column_without_a_value_is_left_out(self, tmp_path):
        assert "Brier" not in report(TWO.assign(brier=np.nan), tmp_path)
