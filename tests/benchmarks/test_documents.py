import json

import pytest

from benchmarks import documents
from benchmarks.measures import EXTRACTION, SWAP
from benchmarks.rows import Row

ROWS = [
    Row("training", "numba", "pima RF rc+", EXTRACTION.name, 1 / 3, 2.5, "0.1 s / 0.3 s"),
    Row("swap", "", "pima RF rc+", SWAP.name, None, detail="≥ not measured"),
]


def test_rows_come_back_as_they_were_written(tmp_path):
    documents.write(tmp_path / "run.json", ROWS)
    assert documents.read(tmp_path / "run.json") == ROWS


def test_a_file_names_machine_versions_and_verdicts(tmp_path):
    documents.write(tmp_path / "run.json", ROWS)
    content = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert {"system", "processor", "cores"} <= set(content["machine"])
    assert {"python", "numpy", "scikit-learn"} <= set(content["versions"])
    assert [row["is_met"] for row in content["rows"]] == [True, None]


@pytest.mark.parametrize("text", ["{}", "[1]", "not JSON", '{"format": "rulekit-benchmarks", "version": 1}'])
def test_another_file_is_refused_by_name(tmp_path, text):
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(documents.DocumentError, match=r"other\.json is not a file that"):
        documents.read(tmp_path / "other.json")
