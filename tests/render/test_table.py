"""One table, well-formed in every format."""

import csv
import io
from textwrap import dedent

import numpy as np
import pandas as pd
import pytest

from rulekit.render.table import Table


def table(**changes: object) -> Table:
    content = {
        "name": "some",
        "title": "Some 50 %",
        "headings": ["Variant", "Log-loss ↓"],
        "rows": [["a|b_", "0.5 ± 0.10"], ["c", "-"]],
        "numbers": pd.DataFrame({"variant": ["a|b_", "c"], "mean": [0.5, np.nan]}),
    }
    return Table(**(content | changes))


class TestMarkdown:
    def test_has_title_lines_and_notes(self):
        assert table(notes=["One.", "Two."]).to_markdown() == (
            "**Some 50 %**\n\n"
            "| Variant | Log-loss ↓ |\n"
            "| --- | ---: |\n"
            "| a\\|b\\_ | 0.5 ± 0.10 |\n"
            "| c | - |\n\n"
            "One. Two.\n"
        )

    def test_characters_without_a_meaning_in_markdown_are_unchanged(self):
        written = table(rows=[["a_b", "<0.0001"], ["<b>", "*"]]).to_markdown()
        assert "| a_b | <0.0001 |" in written
        assert "| \\<b> | \\* |" in written

    def test_a_table_without_rows_is_still_a_table(self):
        assert "| --- | --- |" in table(rows=[]).to_markdown()


class TestLatex:
    def test_is_a_labelled_table_with_signs_escaped(self):
        written = table(rows=[["a_b & c", "-3.7 ± 0.10"], ["x-1", "<0.0001"]]).to_latex()
        assert r"\label{tab:some}" in written
        assert r"\caption{Some 50 \%.}" in written
        assert r"Variant & Log-loss $\downarrow$ \\" in written
        assert r"a\_b \& c & $-$3.7 $\pm$ 0.10 \\" in written
        assert r"x-1 & $<$0.0001 \\" in written

    def test_a_backslash_is_not_escaped_twice(self):
        assert r"\textbackslash{}\{ \& b" in table(rows=[[r"\{ & b", "1"]]).to_latex()


class TestColumns:
    """Markdown and LaTeX align the same columns to the right."""

    def test_of_numbers_are_on_the_right(self):
        content = table(headings=["a", "b", "c"], rows=[["x", "+1", "B (0.1)"], ["1", "-", ""]])
        assert "| --- | ---: | --- |" in content.to_markdown()
        assert r"\begin{tabular}{lrl}" in content.to_latex()

    def test_that_are_named_are_on_the_right_whatever_they_hold(self):
        content = table(rows=[["0", "x"]], numeric=frozenset({"Log-loss ↓"}))
        assert "| --- | ---: |" in content.to_markdown()
        assert r"\begin{tabular}{lr}" in content.to_latex()

    def test_a_long_last_one_is_broken_into_lines(self):
        assert r"\begin{tabular}{lp{0.45\linewidth}}" in table(wraps_last=True).to_latex()


class TestText:
    def test_has_title_columns_and_notes(self):
        expected = """\
            Some 50 %
            Variant  Log-loss ↓
            -------  ----------
            a|b_     0.5 ± 0.10
            c        -
            One. Two."""
        assert table(notes=["One.", "Two."]).to_text() == dedent(expected)


class TestHtml:
    def test_has_caption_and_headings_only_where_there_are_some(self):
        assert table().to_html().startswith("<table><caption style='text-align:left'>Some 50 %</caption><thead><tr><th")
        assert table(title="", headings=["", ""], rows=[["a<b", "c"]]).to_html() == (
            "<table><tbody><tr><td style='text-align:left'>a&lt;b</td><td style='text-align:left'>c</td></tr>"
            "</tbody></table>"
        )


class TestCsv:
    def test_has_the_cells_where_there_are_no_numbers(self):
        written = table(numbers=None, rows=[["a,b", 'say "1"']]).to_csv()
        assert list(csv.reader(io.StringIO(written))) == [["Variant", "Log-loss ↓"], ["a,b", 'say "1"']]

    def test_keeps_every_digit(self):
        written = table(numbers=pd.DataFrame({"x": [1 / 3]})).to_csv()
        assert float(written.splitlines()[1]) == 1 / 3

    @pytest.mark.parametrize("name", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0"])
    def test_no_name_is_a_formula(self, name):
        """Names of variants and datasets reached spreadsheets as formulas."""
        cells = table(numbers=None, headings=[name, "b"], rows=[[name, "-0.5"], [name, "-"]]).to_csv()
        assert list(csv.reader(io.StringIO(cells, newline=""))) == [
            [f"'{name}", "b"],
            [f"'{name}", "-0.5"],
            [f"'{name}", "-"],
        ]
        numbers = pd.DataFrame({name: pd.Series([name]), "mean": [-0.5], "category": pd.Categorical([name])})
        written = table(numbers=numbers).to_csv()
        assert list(csv.reader(io.StringIO(written, newline=""))) == [
            [f"'{name}", "mean", "category"],
            [f"'{name}", "-0.5", f"'{name}"],
        ]
        assert numbers.iloc[0].tolist() == [name, -0.5, name]


def test_a_row_of_another_width_is_rejected():
    with pytest.raises(ValueError, match=r"Every row of the table 'some' must have 2 cells, one per heading"):
        table(rows=[["only one"]])
