"""Tables say what the numbers say, and are well-formed in every format."""

import pytest
from study import toy

from rulekit.study import tables
from rulekit.study.statistics import (
    average_ranks,
    compare_pair,
    friedman_tests,
    median_changes,
    post_hoc_tests,
    read_rules,
)
from rulekit.study.tables import numbers

SIX = toy.results(toy.SIX)
VARIANTS = ["new", "old", "third"]
BOLD = "Bold: the best variant of each column."


class TestNumbers:
    @pytest.mark.parametrize(
        ("p", "expected"),
        [
            (0.00009999, "<0.0001"),
            (0.0001, "0.0001"),
            (0.03624, "0.0362"),
            (1.0, "1.0000"),
            (float("nan"), "-"),
        ],
    )
    def test_p_values_are_written_as_in_the_paper(self, p, expected):
        assert numbers.p_value(p) == expected

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (-71.93, "-71.9"),
            (17.25, "+17.2"),
            (-0.04, "0.0"),
            (0.0, "0.0"),
            (float("inf"), "+inf"),
            (float("nan"), "-"),
        ],
    )
    def test_changes_have_a_sign_unless_there_is_none(self, value, expected):
        assert numbers.percent(value) == expected

    def test_a_mean_of_one_value_has_no_standard_deviation(self):
        assert numbers.mean_sd(0.5, float("nan"), 4) == "0.5000"

    def test_names_are_listed_with_an_and(self):
        assert numbers.listed(["a", "b", "c"]) == "a, b and c"
        assert numbers.listed(["a"]) == "a"
        assert numbers.listed([]) == ""


class TestOverview:
    def test_has_a_row_for_each_variant_and_says_over_how_many_datasets(self):
        content = tables.overview(SIX, ensemble="rf", variants=VARIANTS, measures=["log_loss", "macro_f1"])
        assert content.headings == ["Variant", "Log-loss ↓", "Macro-F1 ↑"]
        assert content.rows[0] == ["new", "3.5000 ± 1.87", "13.1667 ± 2.48"]
        assert content.notes == ["Over 6 datasets.", BOLD]

    def test_the_best_of_each_column_is_bold_but_for_the_ensemble_itself(self):
        values = {"log_loss": {"ensemble": [0, 0], "new": [1, 2], "old": [1, 2], "third": [3, 4]}}
        values["macro_f1"] = {"ensemble": [9, 9], "new": [3, 3], "old": [4, 5], "third": [1, 1]}
        names = ["ensemble", *VARIANTS]
        content = tables.overview(toy.results(values), ensemble="rf", variants=names, measures=list(values))
        assert content.bold == {(1, 1), (2, 1), (2, 2)}
        assert "| old | **1.5000 ± 0.71** | **4.5000 ± 0.71** |" in content.to_markdown()
        assert r"old & \textbf{1.5000 $\pm$ 0.71} & \textbf{4.5000" in content.to_latex()
        assert "**" not in content.to_csv() + content.to_text()

    def test_what_a_variant_does_not_have_is_a_dash_and_leaves_nothing_out(self):
        results = SIX.assign(fidelity=SIX["macro_f1"].where(SIX["variant"] != "third"))
        content = tables.overview(results, ensemble="rf", variants=VARIANTS, measures=["fidelity"])
        assert content.rows[2] == ["third", "-"]
        assert content.notes == ["Over 6 datasets.", BOLD]

    def test_names_what_was_left_out_and_what_was_shortened(self):
        results = toy.fail(SIX, dataset="b", variant="old")
        content = tables.overview(results, ensemble="rf", variants=VARIANTS, measures=["log_loss", "n_rules"])
        assert content.notes == ["Over 5 datasets.", "No value for every variant, so left out: b (all measures).", BOLD]
        results = toy.fail(SIX, dataset="b", variant="old", fold=1)
        content = tables.overview(results, ensemble="rf", variants=VARIANTS, measures=["log_loss"])
        assert content.notes == ["Over 6 datasets.", "Only folds that all have: b (Log-loss).", BOLD]

    def test_says_so_where_measures_have_different_datasets(self):
        results = SIX.assign(macro_f1=SIX["macro_f1"].where((SIX["dataset"] != "b") | (SIX["variant"] != "old")))
        content = tables.overview(results, ensemble="rf", variants=VARIANTS, measures=["log_loss", "macro_f1"])
        assert content.notes == [
            "Over 6 (Log-loss), 5 (Macro-F1) datasets.",
            "No value for every variant, so left out: b (Macro-F1).",
            BOLD,
        ]


class TestPerDataset:
    def test_has_mean_and_deviation_of_the_folds(self):
        content = tables.per_dataset(SIX, "n_rules", ensemble="rf", variants=["new", "old"])
        assert content.headings == ["Dataset", "new", "old"]
        assert content.rows[0] == ["a", "19.00 ± 0.35", "20.00 ± 0.35"]
        assert content.numbers["n_folds"].tolist() == [2] * 12

    def test_says_how_many_folds_where_some_are_lacking(self):
        results = toy.fail(toy.fail(SIX, dataset="a", variant="new", fold=0), dataset="c", variant="new")
        results = results.assign(log_loss=results["log_loss"].where(SIX["dataset"] != "c"))
        rows = tables.per_dataset(results, "log_loss", ensemble="rf", variants=["new"]).rows
        assert rows[1] == ["b", "2.0000 ± 0.35"]
        assert rows[2] == ["c", "-"]
        results = toy.fail(SIX, dataset="a", variant="new", fold=0)
        rows = tables.per_dataset(results, "log_loss", ensemble="rf", variants=["new"]).rows
        assert rows[0] == ["a", "1.2500 (1 of 2 folds)"]

    def test_the_best_of_each_dataset_is_bold_among_those_with_all_folds(self):
        results = toy.fail(SIX, dataset="a", variant="new", fold=0)
        content = tables.per_dataset(results, "log_loss", ensemble="rf", variants=VARIANTS)
        assert {(0, 2), (1, 1)} <= content.bold
        assert len(content.bold) == 6


class TestComparisons:
    def test_a_pair_by_every_measure(self):
        tests = compare_pair(SIX, "new", "old", ensemble="rf")
        content = tables.paired_table(tests, "new", "old", ensemble="rf")
        assert content.rows[0] == [
            *("Log-loss ↓", "3.5000 ± 1.87", "7.0000 ± 3.74", "-50.0", "-50.0 to -50.0", "+1.00", "6/0/0", "6"),
            *("0.0312", "0.0312", "0.0312", "better"),
        ]
        assert content.rows[1][-4:] == ["0.0625", "-", "-", "descriptive"]
        assert content.numbers.columns[0] == "measure"

    def test_a_pair_that_cannot_be_significant_says_so(self):
        tests = compare_pair(toy.fail(SIX, dataset="b", variant="old"), "new", "old", ensemble="rf")
        row = tables.paired_table(tests, "new", "old", ensemble="rf").rows[0]
        assert row[5:8] == ["+1.00", "5/0/0", "5 (1 left out)"]
        assert row[8:] == ["0.0625", "0.0625", "0.0625", "cannot be significant with 5 datasets"]

    def test_friedman_and_each_variant_against_the_reference(self):
        options = {"ensemble": "rf", "measures": ["log_loss"], "variants": VARIANTS}
        wide = toy.results({"log_loss": {"new": range(8), "old": range(10, 18), "third": range(20, 28)}})
        friedman, post_hoc = friedman_tests(wide, **options), post_hoc_tests(wide, "old", **options)
        content = tables.friedman_table(friedman, post_hoc, "old", ensemble="rf")
        assert content.headings == ["Measure", "Friedman p", "new", "third", "Datasets"]
        assert content.rows == [["Log-loss ↓", "0.0003", "W (0.0156)", "B (0.0156)", "8"]]
        assert len(content.numbers) == 2

    def test_where_nothing_was_tested_there_is_a_dash(self):
        few = SIX[SIX["dataset"] != "a"]
        options = {"ensemble": "rf", "measures": ["log_loss"], "variants": VARIANTS}
        content = tables.friedman_table(
            friedman_tests(few, **options), post_hoc_tests(few, "new", **options), "new", ensemble="rf"
        )
        assert content.rows == [["Log-loss ↓", "-", "-", "-", "5"]]

    def test_ranks_and_changes(self):
        ranks = tables.rank_table(average_ranks(SIX, ensemble="rf"), ensemble="rf")
        assert ranks.rows[1] == ["Macro-F1 ↑", "1.17", "1.83", "3.00"]
        changes = median_changes(SIX, "new", ensemble="rf", variants=VARIANTS)
        assert tables.change_table(changes, "new", ensemble="rf").rows[0] == ["Log-loss ↓", "-50.0", "-84.5"]


class TestRules:
    def test_stated_probabilities_and_use(self):
        facts = read_rules(toy.rulesets(SIX))
        diagnostics, use = tables.diagnostics_table(facts), tables.use_table(facts)
        assert list(diagnostics.rows[1]) == ["rf", "old", "24", "50.0", "50.0", "50.0", "0.2500", "-", "-", "-"]
        assert list(use.rows[0]) == ["rf", "new", "2.00", "1.50", "50.0", "25.0"]


PLANNED = [
    toy.key(dataset, variant=variant, fold=fold) for dataset in "abcdefg" for variant in VARIANTS for fold in (0, 1)
]


class TestStatus:
    def test_counts_what_is_done_failed_and_missing(self):
        status = tables.status_frame(toy.fail(SIX, dataset="b", variant="old", fold=0), PLANNED)
        assert status.to_numpy().tolist() == [
            ["rf", "new", 12, 0, 2],
            ["rf", "old", 11, 1, 2],
            ["rf", "third", 12, 0, 2],
        ]
        assert tables.status_line(status) == "42 cells: 35 done, 1 failed, 6 missing."
        assert tables.status_table(status).rows[1] == ["rf", "old", "11", "1", "2"]

    def test_without_a_plan_nothing_is_missing(self):
        assert tables.status_line(tables.status_frame(SIX)) == "36 cells: 36 done, 0 failed, 0 missing."

    def test_failures_are_listed_with_the_first_line_of_their_errors(self):
        failed = toy.fail(SIX, "ValueError: no\nsecond line", dataset="b", variant="old", fold=0)
        content = tables.failure_table(failed)
        assert [list(row) for row in content.rows] == [["b", "rf", "old", "0", "0", "ValueError: no"]]
