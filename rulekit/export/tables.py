"""Rules as tables for spreadsheets: rounded columns to read, and exact ones beside them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from typing import TYPE_CHECKING, Any

from rulekit.core.errors import ExportError, MissingExtraError
from rulekit.render.escaping import is_formula, spreadsheet
from rulekit.ruleset import Condition, Rule, RuleSet
from rulekit.ruleset.labels import foreign_labels, plain

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

#: Most characters that an Excel cell holds.
LONGEST = 32767
#: Characters that XML does not allow, or would change: Excel writes `_x`, four digits and `_` instead.
UNWRITABLE = "\0-\x1f\ud800-\udfff\ufffe\uffff"
#: These characters, and an underscore that would begin such an escape.
ESCAPED = re.compile(f"[{UNWRITABLE}]|_(?=x[0-9A-Fa-f]{{4}}[_{UNWRITABLE}])")
CONDITION_HEADER = ("rule", "feature", "position", "operator", "threshold", "cutoff", "categories", "or_missing")

#: The part of a workbook with the dates on which it was made and changed, and these dates.
PROPERTIES = "docProps/core.xml"
WRITTEN = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</)")


def to_csv(ruleset: RuleSet) -> str:
    """One row per rule: class, probabilities, answered and covered samples, printed conditions, and exact JSON.

    Strings that a spreadsheet would run as a formula get an apostrophe in front. The last column, `exact`, is a JSON
    object with the rule's class, probabilities and conditions to the last digit, and is never changed.

    Parameters
    ----------
    ruleset : RuleSet
        With any inference mode.
    """
    written = io.StringIO()
    writer = csv.writer(written)
    for row in _rows(ruleset):
        writer.writerow([repr(value) if isinstance(value, float) else spreadsheet(value) for value in row])
    return written.getvalue()


def to_excel(ruleset: RuleSet) -> Workbook:
    """A workbook with the sheets `rules`, one row per rule as in `to_csv`, and `conditions`, one row per condition.

    Parameters
    ----------
    ruleset : RuleSet
        With any inference mode.

    Returns
    -------
    workbook : openpyxl.Workbook
        Strings stay strings, even if they begin like a formula. Numbers have the 16 digits that the library writes; the
        column `exact` of the rules and the column `cutoff` of the conditions are strings with all digits.
    """
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise MissingExtraError(
            "Excel files need openpyxl, which is not installed: pip install 'rulekit-rcprob[excel]'."
        ) from error
    workbook = Workbook()
    rules, conditions = workbook.active, workbook.create_sheet("conditions")
    rules.title = "rules"
    _fill(rules, _rows(ruleset))
    listed = [_condition_row(rule, condition) for rule in ruleset for condition in rule.conditions]
    _fill(conditions, [list(CONDITION_HEADER), *listed])
    return workbook


def without_dates(workbook: Workbook) -> bytes:
    """The bytes of a workbook, with a fixed date wherever the library would write the current one."""
    saved, content = io.BytesIO(), io.BytesIO()
    workbook.save(saved)
    with zipfile.ZipFile(saved) as dated, zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as fixed:
        for name in dated.namelist():
            part = dated.read(name)
            if name == PROPERTIES:
                part = WRITTEN.sub(rb"\g<1>1980-01-01T00:00:00Z\g<2>", part)
            fixed.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _rows(ruleset: RuleSet) -> list[list[Any]]:
    """The header, then each rule."""
    if foreign := foreign_labels(ruleset):
        raise ExportError(f"Not supported in a table: {foreign}. Convert them to strings before fit.")
    return [_header(ruleset), *(_row(rule) for rule in ruleset)]


def _header(ruleset: RuleSet) -> list[str]:
    labels = plain(ruleset.classes)
    probabilities = [f"probability of {label}" for label in labels]
    counts = [f"samples of {label}" for label in labels]
    answered = [f"answered samples of {label}" for label in labels] if ruleset.knows_answered else []
    return [
        "rule",
        "class",
        "probability",
        *(("answered", "answered of its class", "inside rule") if ruleset.knows_answered else ()),
        "precision",
        "coverage",
        "support",
        *probabilities,
        *answered,
        *counts,
        "conditions",
        "exact",
    ]


def _row(rule: Rule) -> list[Any]:
    answered: list[Any] = []
    if rule.answered_counts is not None:
        answered = [rule.n_answered, rule.n_right, rule.inside]
    facts = [rule.position, rule.label, rule.probability, *answered, rule.precision, rule.coverage, rule.support]
    counts = [*(() if rule.answered_counts is None else rule.answered_counts.tolist()), *rule.counts.tolist()]
    strings = rule.antecedent or "(otherwise)", json.dumps(_exact(rule), allow_nan=False)
    return [*plain(facts), *rule.probabilities.tolist(), *counts, *strings]


def _exact(rule: Rule) -> dict[str, Any]:
    return {
        "class": plain([rule.label])[0],
        "probabilities": rule.probabilities.tolist(),
        "conditions": [_facts(condition) for condition in rule.conditions],
    }


def _facts(condition: Condition) -> dict[str, Any]:
    """A condition in types that JSON has: infinity becomes a string."""
    facts = {name: str(value) if value in (math.inf, -math.inf) else value for name, value in condition.facts().items()}
    return facts | ({"categories": list(plain(facts["categories"]))} if "categories" in facts else {})


def _condition_row(rule: Rule, condition: Condition) -> list[Any]:
    facts = _facts(condition)
    if "categories" in facts:
        facts["categories"] = json.dumps(facts["categories"], ensure_ascii=False)
    else:
        facts["cutoff"] = str(facts["cutoff"])
    return [rule.position, *(facts.get(name) for name in CONDITION_HEADER[1:])]


def _fill(sheet: Worksheet, rows: list[list[Any]]) -> None:
    for row, values in enumerate(rows, start=1):
        for column, value in enumerate(values, start=1):
            cell = sheet.cell(row, column)
            if not isinstance(value, str):
                cell.value = value
                continue
            escaped = ESCAPED.sub(lambda found: f"_x{ord(found.group()):04X}_", value)
            if len(escaped) > LONGEST:
                raise ExportError(
                    f"Not supported in Excel: more than {LONGEST} characters in a cell, as for rule {values[0]}. "
                    "Use csv instead."
                )
            cell.value = escaped
            cell.data_type = "s"  # set explicitly, because a string that begins with = would become a formula
            cell.quotePrefix = is_formula(value)
    sheet.freeze_panes = "A2"
