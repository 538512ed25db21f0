"""Separators and decimals are guessed and said; what the file does not say can be given."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.errors import InvalidParameterError
from rulekit.datasets import DatasetError, TableWarning, load
from rulekit.datasets.content import Content
from rulekit.datasets.csv_files import guessed_separator

CELLS = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters=",;|"), min_size=1, max_size=5)


@pytest.fixture
def write(tmp_path):
    def write(text, name="patients.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


class TestSeparator:
    @pytest.mark.parametrize("separator", [";", "\t", "|"])
    def test_is_guessed_and_said(self, write, separator):
        path = write("a,target\n1.5,no\n2.5,yes\n".replace(",", separator))
        with pytest.warns(TableWarning, match=r"patients\.csv are taken to be separated by "):
            found = load(path)
        assert (found.X["a"].tolist(), found.y.tolist()) == ([1.5, 2.5], ["no", "yes"])

    def test_that_is_given_is_not_said(self, write):
        assert load(write("a;target\n1.5;no\n"), separator=";").X["a"].tolist() == [1.5]

    def test_of_a_file_of_tabs_is_known_by_its_name(self, write):
        assert load(write("a;b\ttarget\n1\tno\n", "patients.tsv")).X.columns.tolist() == ["a;b"]

    def test_is_one_character(self, write):
        with pytest.raises(InvalidParameterError, match="separator must be one character, such as ';', got '::'"):
            load(write("a,target\n1,no\n"), separator="::")

    @settings(max_examples=60, deadline=None)
    @given(st.sampled_from(",;\t|"), st.integers(2, 4).flatmap(lambda n: st.lists(st.tuples(*[CELLS] * n), min_size=2)))
    def test_is_found_whatever_the_cells_are(self, separator, rows):
        text = io.StringIO()
        csv.writer(text, delimiter=separator, quoting=csv.QUOTE_MINIMAL).writerows(rows)
        assert guessed_separator(Content("a table", "csv", text.getvalue().encode())) == separator

    def test_of_a_broken_file_is_that_of_its_names(self):
        assert guessed_separator(Content("a table", "csv", b"a,b,target\n1,2,x,9\n1,2;3\n")) == ","


class TestDecimal:
    def test_comma_is_guessed_and_said(self, write):
        path = write("a;b;target\n1,5;2;no\n-2,25;3;yes\n")
        with pytest.warns(TableWarning) as caught:
            found = load(path)
        assert found.X["a"].tolist() == [1.5, -2.25]
        assert "Numbers of" in str(caught[1].message)
        assert "are taken to have a decimal comma, such as 1,5." in str(caught[1].message)

    @pytest.mark.filterwarnings("ignore::rulekit.datasets.errors.TableWarning")
    def test_comma_is_not_guessed_beside_points(self, write):
        assert load(write("a;b;target\n1,5;2.5;no\n2,5;3.5;yes\n")).X["a"].tolist() == ["1,5", "2,5"]


class TestMissing:
    def test_strings_can_be_named(self, write):
        found = load(write("a,b,target\n1,x,no\n?,?,yes\n-99,y,yes\n"), missing=["?", "-99"])
        assert found.X["a"].isna().tolist() == [False, True, True]
        assert found.X["b"].isna().tolist() == [False, True, False]

    def test_strings_in_parquet_and_excel_too(self, tmp_path):
        table = pd.DataFrame({"a": [1.0, -99.0, 2.0], "b": ["x", "?", "y"], "target": ["no", "yes", "no"]})
        table.to_parquet(tmp_path / "t.parquet")
        table.to_excel(tmp_path / "t.xlsx", index=False)
        for name in ("t.parquet", "t.xlsx"):
            found = load(tmp_path / name, missing=["?", "-99"])
            assert found.X.isna().to_numpy().tolist() == [[False] * 2, [True] * 2, [False] * 2], name

    def test_question_marks_are_pointed_out(self, write):
        with pytest.warns(TableWarning, match=r"read as strings: 'b' \('\?' in row 3\)\..*--missing '\?'"):
            load(write("a,b,target\n1,x,no\n2,?,yes\n"))

    def test_a_string_among_numbers_is_pointed_out(self, write):
        rows = "".join(f"{number},no\n" for number in range(30))
        with pytest.warns(TableWarning, match=r"read as strings: 'a' \('unknown' in row 32\)\."):
            load(write(f"a,target\n{rows}unknown,yes\n"))

    def test_strings_with_some_numbers_are_not(self, write):
        assert load(write("a,target\n1,no\n2,no\nthree,yes\nfour,yes\n")).X["a"].tolist() == ["1", "2", "three", "four"]


class TestColumns:
    def test_can_be_named(self, write):
        found = load(write("1,2,no\n3,4,yes\n"), columns=["a", "b", "target"])
        assert (found.X["a"].tolist(), found.y.tolist()) == ([1, 3], ["no", "yes"])

    @pytest.mark.parametrize("columns", [["a", "target"], ["a", "b", "target", "c"]])
    def test_must_have_as_many_names(self, write, columns):
        message = f"line 1 has 3 values, but {len(columns)} columns have a name"
        with pytest.raises(DatasetError, match=message):
            load(write("1,2,no\n3,4,yes\n"), columns=columns)

    def test_must_have_names_of_their_own(self, write):
        with pytest.raises(DatasetError, match="has several columns called 'a'"):
            load(write("1,2,no\n"), columns=["a", "a", "target"])

    def test_of_parquet_have_names(self, tmp_path):
        pd.DataFrame({"a": [1], "target": [0]}).to_parquet(tmp_path / "t.parquet")
        with pytest.raises(DatasetError, match="is a Parquet file, whose columns have names"):
            load(tmp_path / "t.parquet", columns=["a", "target"])


class TestExcel:
    def test_holds_the_table_of_the_csv_file(self, tmp_path):
        table = pd.DataFrame({"n": [1, 2], "x": [0.1, None], "s": ["a", "b"], "target": [0, 1]})
        table.to_excel(tmp_path / "t.xlsx", index=False)
        table.to_csv(tmp_path / "t.csv", index=False)
        one, other = load(tmp_path / "t.xlsx"), load(tmp_path / "t.csv")
        pd.testing.assert_frame_equal(one.X, other.X)
        assert (one.y.tolist(), one.fingerprint) == (other.y.tolist(), other.fingerprint)

    def test_may_have_no_row_of_names(self, tmp_path):
        pd.DataFrame([[1, "no"], [2, "yes"]]).to_excel(tmp_path / "t.xlsx", index=False, header=False)
        assert load(tmp_path / "t.xlsx", columns=["a", "target"]).X["a"].tolist() == [1, 2]

    def test_says_which_sheet_is_read(self, tmp_path):
        with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
            for name in ("first", "second"):
                pd.DataFrame({"a": [name], "target": ["no"]}).to_excel(book, sheet_name=name, index=False)
        with pytest.warns(TableWarning, match="has 2 sheets; the first one, 'first', is read"):
            assert load(tmp_path / "t.xlsx").X["a"].tolist() == ["first"]

    def test_without_names_or_cells_is_rejected(self, tmp_path):
        pd.DataFrame().to_excel(tmp_path / "t.xlsx", index=False)
        with pytest.raises(DatasetError, match="its first sheet is empty"):
            load(tmp_path / "t.xlsx")
        pd.DataFrame({"": [1], "target": [0]}).to_excel(tmp_path / "u.xlsx", index=False)
        with pytest.raises(DatasetError, match="has columns without a name, at position 1"):
            load(tmp_path / "u.xlsx")


def test_a_mark_of_byte_order_is_no_part_of_the_first_name(tmp_path):
    pd.DataFrame({"a": [1], "target": [0]}).to_csv(tmp_path / "t.csv", index=False, encoding="utf-8-sig")
    assert load(tmp_path / "t.csv").X.columns.tolist() == ["a"]
    assert not np.isnan(load(tmp_path / "t.csv").X.to_numpy()).any()
