"""Writing files: the suffix determines the format."""

import json
import re
import zipfile

import pytest
from plugin.isolation import registry_put_back
from ruleset.handmade import handmade

import rulekit
from rulekit.core.errors import ExportError, UnknownComponentError
from rulekit.core.interfaces import Exporter
from rulekit.export import to_c, to_csv, to_excel, to_json, to_onnx, to_pmml, to_python, to_sql
from rulekit.ruleset import RuleSet

FUNCTIONS = {".json": to_json, ".py": to_python, ".sql": to_sql, ".c": to_c, ".pmml": to_pmml, ".csv": to_csv}


@pytest.mark.parametrize("suffix", FUNCTIONS)
def test_the_suffix_determines_the_format(suffix, tmp_path):
    path = tmp_path / f"rules{suffix}"
    handmade().export(path)
    assert path.read_bytes().decode("utf-8") == FUNCTIONS[suffix](handmade())


def test_an_onnx_file_contains_the_model(tmp_path):
    handmade().export(str(tmp_path / "rules.onnx"))
    assert (tmp_path / "rules.onnx").read_bytes() == to_onnx(handmade()).SerializeToString()


def test_a_workbook_is_a_zip_file(tmp_path):
    handmade().export(tmp_path / "rules.XLSX")
    assert (tmp_path / "rules.XLSX").read_bytes()[:2] == b"PK"


def test_format_overrides_the_suffix_and_options_pass(tmp_path):
    handmade().export(tmp_path / "rules.txt", format="sql", table="patients")
    assert (tmp_path / "rules.txt").read_text() == to_sql(handmade(), table="patients")


def test_json_comes_back(tmp_path):
    handmade().export(tmp_path / "rules.json")
    assert RuleSet.from_dict(json.loads((tmp_path / "rules.json").read_text())) == handmade()


KNOWN = r"Known: json \(.json\), python \(.py\), sql \(.sql\), c \(.c\), pmml \(.pmml\), onnx \(.onnx\)"


def test_an_unknown_suffix_lists_what_is_known(tmp_path):
    with pytest.raises(ExportError, match=rf"No export format has the suffix of '.*rules.docx'. {KNOWN}"):
        handmade().export(tmp_path / "rules.docx")


def test_an_unknown_format_lists_what_is_known(tmp_path):
    with pytest.raises(UnknownComponentError, match=r"No export format named 'java'\. Known: c, csv, excel, json"):
        handmade().export(tmp_path / "rules.txt", format="java")


def test_a_misspelt_format_names_the_nearest(tmp_path):
    with pytest.raises(UnknownComponentError, match=r"No export format named 'pyton'\. Did you mean 'python'\?"):
        handmade().export(tmp_path / "rules.txt", format="pyton")


@pytest.mark.parametrize(
    ("format", "option", "expected"),
    [
        ("sql", "tabel", "'sql' has no option 'tabel'. Did you mean 'table'. Its options: table, keep, columns"),
        ("json", "table", "'json' has no option 'table'. Its options: none"),
    ],
)
def test_an_unknown_option_lists_what_is_known_and_nothing_is_written(format, option, expected, tmp_path):
    with pytest.raises(ExportError, match=expected):
        handmade().export(tmp_path / "rules", format=format, **{option: "x"})
    assert not (tmp_path / "rules").exists()


def test_every_option_of_a_format_reaches_its_function(tmp_path):
    own = {"table": "p", "keep": ["id"], "columns": ["a", "b"]}
    handmade().export(tmp_path / "rules.sql", **own)
    assert (tmp_path / "rules.sql").read_text() == to_sql(handmade(), **own)
    handmade().export(tmp_path / "rules.pmml", columns=["a", "b"])
    assert (tmp_path / "rules.pmml").read_text() == to_pmml(handmade(), ["a", "b"])
    handmade().export(tmp_path / "rules.c", name="triage")
    assert (tmp_path / "rules.c").read_text() == to_c(handmade(), "triage")


class Sentences(Exporter):
    """One sentence per rule."""

    suffix = ".txt"

    def __init__(self, mark="."):
        self.mark = mark

    def export(self, ruleset):
        return "".join(f"{rule}{self.mark}\n" for rule in ruleset).encode()


class TestARegisteredFormat:
    @pytest.fixture(autouse=True)
    def registered(self):
        with registry_put_back():
            rulekit.register("export", "sentences", Sentences)
            yield

    @pytest.mark.parametrize(("name", "format"), [("rules.txt", None), ("rules.TXT", None), ("rules", "sentences")])
    def test_is_found_by_its_suffix_or_its_name(self, name, format, tmp_path):
        handmade().export(tmp_path / name, format)
        assert (tmp_path / name).read_text() == "".join(f"{rule}.\n" for rule in handmade())

    def test_takes_its_options(self, tmp_path):
        handmade().export(tmp_path / "rules.txt", mark="!")
        assert (tmp_path / "rules.txt").read_text().count("!\n") == len(handmade())

    def test_is_listed_where_a_suffix_is_unknown(self, tmp_path):
        with pytest.raises(ExportError, match=r"excel \(.xlsx\), sentences \(.txt\). Choose one with format="):
            handmade().export(tmp_path / "rules.docx")

    def test_does_not_take_the_suffix_of_a_format_that_was_there_before(self, tmp_path):
        class Other(Sentences):
            suffix = ".json"

        rulekit.register("export", "other", Other)
        handmade().export(tmp_path / "rules.json")
        assert RuleSet.from_json((tmp_path / "rules.json").read_bytes()) == handmade()

    def test_with_the_longer_suffix_is_meant(self, tmp_path):
        class Longer(Sentences):
            suffix = ".rules.json"

        rulekit.register("export", "longer", Longer)
        handmade().export(tmp_path / "my.rules.json")
        assert (tmp_path / "my.rules.json").read_text() == "".join(f"{rule}.\n" for rule in handmade())

    def test_without_a_suffix_is_found_by_its_name_only(self, tmp_path):
        class Nameless(Sentences):
            suffix = ""

        rulekit.register("export", "nameless", Nameless)
        with pytest.raises(ExportError, match=r"sentences \(.txt\), nameless. Choose one"):
            handmade().export(tmp_path / "rules")
        handmade().export(tmp_path / "rules", "nameless")


@pytest.mark.parametrize("name", ["json", "sql", "csv"])
def test_a_lone_surrogate_is_rejected_and_nothing_is_written(name, tmp_path):
    path = tmp_path / "rules"
    ruleset = handmade(("\ud800 half", "age"), ("no", "\ud800"))
    with pytest.raises(ExportError, match="A name or label is not valid Unicode"):
        ruleset.export(path, format=name)
    assert not path.exists()


def test_every_format_has_its_function_in_the_package():
    names = [each.name for each in rulekit.list_components("export") if each.origin.startswith("rulekit-rcprob ")]
    assert sorted(f"to_{name}" for name in names) == sorted(set(rulekit.export.__all__) - {"json_schema"})


def test_a_workbook_is_the_same_at_any_time(tmp_path):
    """It used to contain three kinds of dates: of its creation, of its last change, and of each part."""
    handmade().export(tmp_path / "rules.xlsx")
    with zipfile.ZipFile(tmp_path / "rules.xlsx") as parts:
        assert {part.date_time for part in parts.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        dates = re.findall(rb"[0-9-]{10}T[0-9:]{8}Z", parts.read("docProps/core.xml"))
    assert dates == [b"1980-01-01T00:00:00Z"] * 2


def test_a_workbook_without_dates_holds_the_same_cells(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    handmade().export(tmp_path / "rules.xlsx")
    read, made = openpyxl.load_workbook(tmp_path / "rules.xlsx"), to_excel(handmade())
    for name in made.sheetnames:
        assert list(read[name].values) == list(made[name].values)
