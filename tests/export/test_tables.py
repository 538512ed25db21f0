"""Tables for spreadsheets: exact, and nothing in them runs."""

import csv
import datetime
import io
import json
import math
import re
import sys
from itertools import islice
from typing import Any

import numpy as np
import openpyxl
import pytest
from export.worlds import HOSTILE, PLAIN, answers, codes, rulesets, samples
from hypothesis import given, settings
from hypothesis import strategies as st
from ruleset.handmade import handmade

from rulekit.core.errors import ExportError, MissingExtraError, RuleSetFormatError
from rulekit.core.interfaces import InferenceMode
from rulekit.export import to_csv, to_excel, to_json, to_python
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet


def lines_of(ruleset: RuleSet) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(ruleset))))


def saved_and_opened(ruleset: RuleSet) -> openpyxl.Workbook:
    content = io.BytesIO()
    to_excel(ruleset).save(content)
    return openpyxl.load_workbook(content)


def holds(condition: dict[str, Any], value: Any, code: float) -> bool:
    """A slow twin that reads a condition from its cells alone; sets by label, others by number."""
    if math.isnan(code):
        return condition["or_missing"]
    if condition["operator"] in ("in", "not in"):
        return (value in condition["categories"]) == (condition["operator"] == "in")
    return (code <= float(condition["cutoff"])) == (condition["operator"] == "<=")


def first_that_holds(rules: list[dict[str, Any]], row: list[Any], coded: np.ndarray) -> list[float]:
    return next(
        rule["probabilities"]
        for rule in rules
        if all(holds(each, row[each["position"]], coded[each["position"]]) for each in rule["conditions"])
    )


def rules_of_csv(ruleset: RuleSet) -> list[dict[str, Any]]:
    return [json.loads(line["exact"]) for line in lines_of(ruleset)]


def rules_of_excel(ruleset: RuleSet) -> list[dict[str, Any]]:
    """Probabilities from the cells with all digits, conditions from the sheet that lists them."""
    workbook = saved_and_opened(ruleset)
    _, *rows = workbook["rules"].iter_rows(values_only=True)
    header, *conditions = workbook["conditions"].iter_rows(values_only=True)
    named = [dict(zip(header, row, strict=True)) for row in conditions]
    for each in named:
        each["categories"] = json.loads(each["categories"]) if each["categories"] else None
    return [{**json.loads(row[-1]), "conditions": [each for each in named if each["rule"] == row[0]]} for row in rows]


def names_every_code(ruleset: RuleSet) -> bool:
    """Whether no set has a code without a label: in the table it could be taken for a label."""
    conditions = ruleset.conditions
    labels = conditions.categories.by_feature
    keys = [conditions.key(row) for row in range(len(conditions))]
    return not any(key.codes and key.feature in labels and max(key.codes) >= len(labels[key.feature]) for key in keys)


@pytest.mark.parametrize("read", [rules_of_csv, rules_of_excel])
def test_the_exact_cells_give_the_same_probabilities(read):
    chosen = rulesets(PLAIN, modes=(DecisionList,), accept=names_every_code)
    for seed, ruleset in enumerate(chosen):
        # A table of rules does not say what happens to a sample with an unexpected missing value.
        ruleset = ruleset.with_unexpected_missing("error")
        rows = samples(ruleset, seed, n_random=5)
        rules = read(ruleset)
        found = [first_that_holds(rules, row, coded) for row, coded in zip(rows, codes(ruleset, rows), strict=True)]
        assert np.array(found, dtype=float).tobytes() == answers(ruleset, rows)[1].tobytes()


def test_nothing_in_a_csv_file_runs():
    for ruleset in rulesets(HOSTILE):
        for row in csv.reader(io.StringIO(to_csv(ruleset))):
            for cell in row:
                assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) or is_number(cell)


def is_number(cell: str) -> bool:
    """As a spreadsheet reads it: digits, with a sign perhaps."""
    try:
        return not cell[1:].startswith((" ", "+", "-")) and bool(repr(float(cell)))
    except ValueError:
        return False


def test_a_label_that_begins_like_a_formula_gets_an_apostrophe_and_is_exact_beside_it():
    line = lines_of(handmade(labels=("=1+1", "@x")))[0]
    assert line["class"] == "'@x"
    assert json.loads(line["exact"])["class"] == "@x"


def test_negative_numbers_stay_numbers():
    assert lines_of(handmade(labels=(-2, -1)))[0]["class"] == "-1"


def test_nothing_in_a_workbook_runs():
    for ruleset in islice(rulesets(HOSTILE), 60):
        for sheet in saved_and_opened(ruleset):
            assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "b"}


def test_strings_in_a_workbook_are_unchanged():
    workbook = saved_and_opened(handmade(feature_names=("=cmd|' /C calc'!A0", "-age")))
    assert workbook["conditions"]["B2"].value == "=cmd|' /C calc'!A0"
    assert workbook["conditions"]["B3"].value == "-age"


def as_excel_reads(cell: str) -> str:
    """From left to right, `_x` with four digits and `_` is the character of that number."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found.group(1), 16)), cell)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("a\1b", "a_x0001_b"),
        ("\0\x1a\x1f", "_x0000__x001A__x001F_"),
        ("\ufffe\uffff", "_xFFFE__xFFFF_"),
        ("\ud800 half", "_xD800_ half"),
        ("_x0041_", "_x005F_x0041_"),
        ("mean_x", "mean_x"),
        ("a_x12_b", "a_x12_b"),
    ],
)
def test_what_a_workbook_cannot_hold_is_escaped_as_excel_does(name, cell):
    found = saved_and_opened(handmade(feature_names=(name, "age")))["conditions"]["B2"].value
    assert found == cell
    assert as_excel_reads(found) == name


@settings(deadline=None, max_examples=50)
@given(st.text("_x04A\x01\x1f\n", min_size=1, max_size=16))
def test_every_name_comes_back_from_a_workbook(name):
    assert as_excel_reads(to_excel(handmade(feature_names=(name, "age")))["conditions"]["B2"].value) == name


def test_a_string_that_becomes_too_long_is_rejected_and_not_cut():
    with pytest.raises(ExportError, match="more than 32767 characters in a cell, as for rule 1"):
        to_excel(handmade(feature_names=("\1" * 6000, "age")))


@pytest.mark.parametrize("target", [to_csv, to_excel, to_json, to_python])
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]"),
        np.array([1, 2], dtype="timedelta64[s]"),
        np.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]),
        np.array([1, 2], dtype=np.longdouble),
        np.array([b"no", b"yes"]),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_that_are_neither_strings_nor_numbers_are_rejected_with_what_to_do(target, labels):
    with pytest.raises((ExportError, RuleSetFormatError), match="Convert them to strings before fit"):
        target(handmade(labels=labels))


def test_the_table_has_readable_columns():
    header, first, *_ = to_csv(handmade()).split("\r\n")
    assert header == (
        "rule,class,probability,precision,coverage,support,probability of no,probability of yes,"
        "samples of no,samples of yes,conditions,exact"
    )
    assert first.startswith("1,yes,0.9375,0.9375,0.4,0.375,0.0625,0.9375,2,30,Time <= 8.125,")


def test_a_rule_that_no_cell_can_hold_is_rejected():
    with pytest.raises(ExportError, match=r"more than 32767 characters in a cell, as for rule 1. Use csv instead"):
        to_excel(handmade(feature_names=("x" * 32767, "age")))


def test_any_inference_mode_can_be_tabled():
    class Other(InferenceMode):
        def infer(self, matches, ruleset):
            return np.tile(ruleset.probabilities[-1], (matches.shape[1], 1))

    assert to_csv(handmade(inference=Other())) == to_csv(handmade())


def test_names_the_extra_where_openpyxl_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rulekit-rcprob\[excel\]'"):
        to_excel(handmade())
