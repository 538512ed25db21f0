"""Writing files: the ending names the format."""

import json

import pytest
from ruleset.handmade import handmade

import rulekit
from rulekit.core.errors import ExportError
from rulekit.export import to_c, to_csv, to_json, to_onnx, to_pmml, to_python, to_sql
from rulekit.export.formats import FORMATS
from rulekit.ruleset import RuleSet

TEXTS = {".json": to_json, ".py": to_python, ".sql": to_sql, ".c": to_c, ".pmml": to_pmml, ".csv": to_csv}


@pytest.mark.parametrize("suffix", TEXTS)
def test_the_ending_names_the_format(suffix, tmp_path):
    path = tmp_path / f"rules{suffix}"
    handmade().export(path)
    assert path.read_bytes().decode("utf-8") == TEXTS[suffix](handmade())


def test_an_onnx_file_holds_the_model(tmp_path):
    handmade().export(str(tmp_path / "rules.onnx"))
    assert (tmp_path / "rules.onnx").read_bytes() == to_onnx(handmade()).SerializeToString()


def test_a_workbook_is_a_zip_file(tmp_path):
    handmade().export(tmp_path / "rules.XLSX")
    assert (tmp_path / "rules.XLSX").read_bytes()[:2] == b"PK"


def test_format_overrides_the_ending_and_options_pass(tmp_path):
    handmade().export(tmp_path / "rules.txt", format="sql", table="patients")
    assert (tmp_path / "rules.txt").read_text() == to_sql(handmade(), table="patients")


def test_json_comes_back(tmp_path):
    handmade().export(tmp_path / "rules.json")
    assert RuleSet.from_dict(json.loads((tmp_path / "rules.json").read_text())) == handmade()


KNOWN = r"Known: json \(.json\), python \(.py\), sql \(.sql\), c \(.c\), pmml \(.pmml\), onnx \(.onnx\)"


def test_an_unknown_ending_lists_what_is_known(tmp_path):
    with pytest.raises(ExportError, match=rf"The ending of '.*rules.docx' names no format. {KNOWN}"):
        handmade().export(tmp_path / "rules.docx")


def test_an_unknown_format_lists_what_is_known(tmp_path):
    with pytest.raises(ExportError, match=rf"There is no format 'java'. {KNOWN}"):
        handmade().export(tmp_path / "rules.txt", format="java")


@pytest.mark.parametrize("name", ["json", "sql", "csv"])
def test_half_a_letter_is_refused_and_nothing_written(name, tmp_path):
    path = tmp_path / "rules"
    ruleset = handmade(("\ud800 half", "age"), ("no", "\ud800"))
    with pytest.raises(ExportError, match="A name or label is no valid text"):
        ruleset.export(path, format=name)
    assert not path.exists()


def test_every_format_has_its_function_in_the_package():
    assert sorted(each.function for each in FORMATS.values()) == sorted(set(rulekit.export.__all__) - {"json_schema"})
