"""Rules as tables for spreadsheets: what people read, and beside it what is exact."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from typing import TYPE_CHECKING, Any

from rulekit.core.errors import ExportError, MissingExtraError
from rulekit.ruleset import Condition, Rule, RuleSet
from rulekit.ruleset.labels import foreign_labels, plain

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

#: A spreadsheet takes a text that begins with one of these for a formula, and runs it.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
#: Letters that a cell of Excel holds.
LONGEST = 32767
#: What XML has no place for, or would change: a cell of Excel holds `_x`, four digits and `_` instead.
UNWRITABLE = "\0-\x1f\ud800-\udfff\ufffe\uffff"
#: That, and a low line that would begin such digits.
ESCAPED = re.compile(f"[{UNWRITABLE}]|_(?=x[0-9A-Fa-f]{{4}}[_{UNWRITABLE}])")
CONDITION_HEADER = ("rule", "feature", "position", "operator", "threshold", "cutoff", "categories", "or_missing")

#: The part of a workbook that says when it was made, and the dates in it.
PROPERTIES = "docProps/core.xml"
WRITTEN = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</)")


def to_csv(ruleset: RuleSet) -> str:
    """One line per rule: class, probabilities, precision, coverage, counts, the conditions as text, and all as JSON.

    Texts that a spreadsheet would run as a formula begin with an apostrophe. The last column, `exact`, is an object
    with the rule's class, probabilities and conditions to the last digit, and is never changed.

    Parameters
    ----------
    ruleset : RuleSet
        With any inference mode.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    for row in _rows(ruleset):
        writer.writerow([_harmless(value) for value in row])
    return text.getvalue()


def to_excel(ruleset: RuleSet) -> Workbook:
    """A workbook with the sheets `rules`, one row per rule as in `to_csv`, and `conditions`, one row per condition.

    Parameters
    ----------
    ruleset : RuleSet
        With any inference mode.

    Returns
    -------
    workbook : openpyxl.Workbook
        Every text is a text, also one that begins like a formula. Numbers have the 16 digits that the library writes;
        the column `exact` of the rules and the column `cutoff` of the conditions are texts and have all digits.
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
    """The file of a workbook with a fixed date wherever the library would put the present one."""
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
        raise ExportError(f"A table cannot hold {foreign}. Make them text before fit.")
    return [_header(ruleset), *(_row(rule) for rule in ruleset)]


def _header(ruleset: RuleSet) -> list[str]:
    labels = plain(ruleset.classes)
    fractions, counts = [f"probability of {label}" for label in labels], [f"samples of {label}" for label in labels]
    return [
        "rule",
        "class",
        "probability",
        "precision",
        "coverage",
        "support",
        *fractions,
        *counts,
        "conditions",
        "exact",
    ]


def _row(rule: Rule) -> list[Any]:
    facts = [rule.position, rule.label, rule.probability, rule.precision, rule.coverage, rule.support]
    texts = rule.antecedent or "(otherwise)", json.dumps(_exact(rule), allow_nan=False)
    return [*plain(facts), *rule.probabilities.tolist(), *rule.counts.tolist(), *texts]


def _exact(rule: Rule) -> dict[str, Any]:
    conditions = [
        {
            "feature": condition.feature,
            "position": condition.feature_index,
            "operator": condition.operator,
            **_limit(condition),
            "or_missing": condition.or_missing,
        }
        for condition in rule.conditions
    ]
    return {
        "class": plain([rule.label])[0],
        "probabilities": rule.probabilities.tolist(),
        "conditions": conditions,
    }


def _limit(condition: Condition) -> dict[str, Any]:
    limits = condition.exact_limit()
    if "categories" in limits:
        return {"categories": list(plain(limits["categories"]))}
    # JSON has no infinity; a text is better than a word that most readers refuse.
    return {name: value if abs(value) != float("inf") else str(value) for name, value in limits.items()}


def _condition_row(rule: Rule, condition: Condition) -> list[Any]:
    limit = _limit(condition)
    categories = json.dumps(limit["categories"], ensure_ascii=False) if "categories" in limit else None
    cutoff = str(limit["cutoff"]) if "cutoff" in limit else None
    position = (rule.position, condition.feature, condition.feature_index, condition.operator)
    return [*position, limit.get("threshold"), cutoff, categories, condition.or_missing]


def _harmless(value: Any) -> Any:
    """A text that no spreadsheet runs; numbers are numbers, whatever their sign."""
    is_formula = isinstance(value, str) and value.startswith(FORMULA_STARTS)
    if isinstance(value, float):
        return repr(value)
    return f"'{value}" if is_formula else value


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
                    f"Rule {values[0]} is too long for a cell of Excel, {LONGEST} letters. Write csv instead."
                )
            cell.value = escaped
            cell.data_type = "s"  # set by hand, because a text that begins with = would become a formula
            cell.quotePrefix = value.startswith(FORMULA_STARTS)
    sheet.freeze_panes = "A2"
