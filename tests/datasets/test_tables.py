"""A file of one's own is read as it is, or refused with a reason."""

import pandas as pd
import pytest

from rulekit.core.errors import MissingExtraError
from rulekit.datasets import DatasetError, UnknownDatasetError, load


@pytest.fixture
def write(tmp_path):
    """Writes a CSV file."""

    def write(text):
        path = tmp_path / "patients.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


class TestCsv:
    def test_texts_numbers_and_missing_values_are_kept(self, write):
        dataset = load(write("age,sex,target\n20.5,f,ill\n,m,well\n30,,ill\n"))
        assert dataset.X["age"].fillna(-1).tolist() == [20.5, -1, 30]
        assert dataset.X["sex"].fillna("?").tolist() == ["f", "m", "?"]
        assert dataset.y.tolist() == ["ill", "well", "ill"]

    def test_numbers_are_the_nearest_to_what_the_file_says(self, write):
        numbers = [
            "0.1",
            "0.30000000000000004",
            "1.7976931348623157e308",
            "2.2250738585072011e-308",
            "9007199254740993.0",
        ]
        read = load(write("x,target\n" + "".join(f"{number},0\n" for number in numbers))).X["x"]
        assert read.tolist() == [float(number) for number in numbers]

    @pytest.mark.parametrize(("label", "read"), [("3", 3), ("0.5", 0.5), ("True", True), ("ill", "ill")])
    def test_labels_are_of_any_type(self, write, label, read):
        assert load(write(f"x,target\n1,{label}\n")).y.tolist() == [read]

    def test_name_and_source_come_from_the_path(self, write):
        path = write("x,target\n1,0\n")
        dataset = load(str(path))
        assert (dataset.name, dataset.source) == ("patients", str(path))

    def test_the_target_can_be_another_column(self, write):
        dataset = load(write("x,ill,z\n1,no,2\n"), target="ill")
        assert (dataset.X.columns.tolist(), dataset.y.tolist()) == (["x", "z"], ["no"])

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", r"could not be read as a CSV file: No columns to parse from file\.$"),
            ("x,target\n", r"has no samples or no feature: 0 samples, 1 features\.$"),
            ("target\n1\n", r"has no samples or no feature: 1 samples, 0 features\.$"),
            (
                "x,target\n1,2,3\n",
                r"could not be read as a CSV file: line 2 has 3 values, but 2 columns have a name\. Its",
            ),
            (",target\n1,2\n", "has columns without a name, at position 1. If that is a column of row numbers, "),
            ("x,x,target\n1,2,0\n", r"has several columns called 'x'\. Rename them, so that rules are unambiguous"),
            (
                "x,target\n1,0\n2,\n3,NA\n",
                r": 2 of 3 samples have no value in the target column 'target'\. Remove them",
            ),
            ("x,Target\n1,0\n", r"has no column 'target'\. Did you mean 'Target'\? Its columns: x, Target\. Name the"),
        ],
    )
    def test_what_cannot_be_used_is_rejected(self, write, text, message):
        with pytest.raises(DatasetError, match=rf"patients\.csv ?{message}"):
            load(write(text))

    def test_bytes_that_are_no_text_are_rejected(self, tmp_path):
        (tmp_path / "x.csv").write_bytes(b"x,target\n\xff\xfe,0\n")
        with pytest.raises(DatasetError, match=r"x\.csv could not be read as a CSV file: "):
            load(tmp_path / "x.csv")

    def test_a_file_that_is_not_there_names_the_nearest_beside_it(self, write):
        path = write("x,target\n1,0\n")
        with pytest.raises(
            UnknownDatasetError, match=r"File not found: .*patient\.csv\. Did you mean 'patients\.csv'\?$"
        ):
            load(path.with_name("patient.csv"))


class TestParquet:
    @pytest.fixture
    def table(self):
        pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'rulekit-rcprob[parquet]'")
        return pd.DataFrame({"sex": pd.Categorical(["f", "m", None]), "target": ["ill", "well", "ill"]})

    def test_categories_are_kept(self, table, tmp_path):
        table.to_parquet(tmp_path / "patients.parquet")
        dataset = load(tmp_path / "patients.parquet")
        assert dataset.X["sex"].cat.categories.tolist() == ["f", "m"]

    def test_the_content_and_not_the_file_makes_the_fingerprint(self, table, tmp_path):
        table = table.assign(sex=["f", "m", None], age=[1, 2, 3])
        table.to_parquet(tmp_path / "patients.parquet")
        table.to_csv(tmp_path / "patients.csv", index=False)
        one, other = load(tmp_path / "patients.parquet"), load(tmp_path / "patients.csv")
        assert one.fingerprint == other.fingerprint

    def test_an_index_with_a_name_is_a_column(self, table, tmp_path):
        table.assign(age=[1, 2, 3]).set_index("age").to_parquet(tmp_path / "patients.parquet")
        assert load(tmp_path / "patients.parquet").X.columns.tolist() == ["age", "sex"]

    def test_row_numbers_are_not(self, table, tmp_path):
        table.set_index(pd.Index([5, 6, 7])).to_parquet(tmp_path / "patients.parquet")
        assert load(tmp_path / "patients.parquet").X.columns.tolist() == ["sex"]

    def test_another_kind_of_file_is_rejected(self, table, tmp_path):
        (tmp_path / "x.parquet").write_text("x,target\n1,0\n", encoding="utf-8")
        with pytest.raises(DatasetError, match=r"x\.parquet could not be read as a Parquet file: "):
            load(tmp_path / "x.parquet")

    def test_without_pyarrow_the_extra_is_named(self, tmp_path, monkeypatch):
        monkeypatch.setattr("rulekit.datasets.tables.find_spec", lambda name: None)
        (tmp_path / "x.parquet").write_bytes(b"")
        with pytest.raises(MissingExtraError, match=r"pip install 'rulekit-rcprob\[parquet\]'\.$"):
            load(tmp_path / "x.parquet")
