"""Rules as a PMML 4.4 RuleSetModel in which the first rule that matches answers."""

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from rulekit import __version__
from rulekit.core.errors import ExportError
from rulekit.export.program import Column, Comparison, Kind, Membership, Program, program_of
from rulekit.export.spelling import Names, column_names
from rulekit.ruleset import RuleSet

NAMESPACE = "http://www.dmg.org/PMML-4_4"
DATA_TYPES: dict[Kind, str] = {"string": "string", "boolean": "boolean", "integer": "integer", "number": "double"}
#: Characters that XML does not allow, escaped or not.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Element = ElementTree.Element


def to_pmml(ruleset: RuleSet, columns: Sequence[str] | None = None) -> str:
    """A PMML 4.4 document with a `RuleSetModel` and a `ScoreDistribution` for each rule.

    Parameters
    ----------
    ruleset : RuleSet
        With the inference mode `decision-list`: where several rules answer, PMML adds up their weights, not their
        probabilities.
    columns : sequence of str, optional
        Other names for the ruleset's features, in order.

    Returns
    -------
    document : str
        XML. The target field is `class`; the output field `rule` is the position of the rule that answers.
    """
    program = program_of(ruleset).guarded()
    if program.adds_up:
        raise ExportError(
            f"Not supported in PMML: the inference mode {type(ruleset.inference).__name__}, which adds up "
            "probabilities: PMML's weightedSum adds up weights. Use decision-list instead, or export to python, sql, c "
            "or onnx."
        )
    names = column_names(program, columns, "PMML", any_case=False)
    root = Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    _add(_add(root, "Header"), "Application", name="rulekit", version=__version__)
    others = Names(names.values())
    target, rule = others.new("class"), others.new("rule")
    _dictionary(root, program, names, target)
    model = _add(root, "RuleSetModel", modelName="rulekit", functionName="classification", algorithmName="RuleSet")
    _mining_schema(model, names, target)
    output = _add(model, "Output")
    _add(output, "OutputField", name=rule, optype="categorical", dataType="string", feature="entityId")
    _rules(model, ruleset, program, names)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _dictionary(root: Element, program: Program, names: dict[Column, str], target: str) -> None:
    dictionary = _add(root, "DataDictionary", numberOfFields=len(names) + 1)
    for column, name in names.items():
        optype = "continuous" if column.labels is None else "categorical"
        field = _add(dictionary, "DataField", name=name, optype=optype, dataType=DATA_TYPES[column.kind])
        for label in column.labels or ():
            _add(field, "Value", value=label)
    field = _add(dictionary, "DataField", name=target, optype="categorical", dataType=DATA_TYPES[program.class_kind])
    for label in program.classes:
        _add(field, "Value", value=label)


def _mining_schema(model: Element, names: dict[Column, str], target: str) -> None:
    schema = _add(model, "MiningSchema")
    for column, name in names.items():
        missing = "asIs" if column.may_be_missing else "returnInvalid"
        unknown = "asMissing" if column.unknown_is_missing else "asIs"
        _add(schema, "MiningField", name=name, missingValueTreatment=missing, invalidValueTreatment=unknown)
    _add(schema, "MiningField", name=target, usageType="target")


def _rules(model: Element, ruleset: RuleSet, program: Program, names: dict[Column, str]) -> None:
    rules = _add(model, "RuleSet", recordCount=ruleset.n_samples)
    _add(rules, "RuleSelectionMethod", criterion="firstHit")
    for rule, clause in zip(ruleset, program.clauses, strict=True):
        element = _add(
            rules,
            "SimpleRule",
            id=rule.position,
            score=program.classes[clause.best],
            recordCount=rule.n_covered,
            nbCorrect=int(rule.counts[clause.best]),
            confidence=clause.probabilities[clause.best],
        )
        if rule.answered_counts is not None:
            _add(element, "Extension", name="answered", value=rule.n_answered)
            _add(element, "Extension", name="answeredCorrect", value=rule.n_right)
        tests = [_test(test, names[test.column]) for test in clause.tests]
        if clause.needs_value:
            tests.append(_compound("or", [_missing(names[column], "isNotMissing") for column in clause.needs_value]))
        element.append(_conjunction(tests))
        for label, probability, count in zip(program.classes, clause.probabilities, rule.counts.tolist(), strict=True):
            _add(
                element,
                "ScoreDistribution",
                value=label,
                recordCount=count,
                confidence=probability,
                probability=probability,
            )


def _test(test: Comparison | Membership, name: str) -> Element:
    """A predicate that a missing value does not satisfy, unless the test includes missing values."""
    core = _compare(test, name) if isinstance(test, Comparison) else _member(test, name)
    return _compound("or", [core, _missing(name, "isMissing")]) if test.or_missing else core


def _compare(test: Comparison, name: str) -> Element:
    operator = "lessOrEqual" if test.is_upper else "greaterThan"
    return _element("SimplePredicate", field=name, operator=operator, value=test.cutoff)


def _member(test: Membership, name: str) -> Element:
    """One comparison per member: there is no agreed way to escape strings in PMML's arrays."""
    operator = "equal" if test.is_inside else "notEqual"
    each = [_element("SimplePredicate", field=name, operator=operator, value=label) for label in test.labels]
    if not each:
        return Element("False") if test.is_inside else _missing(name, "isNotMissing")
    return _compound("or" if test.is_inside else "and", each)


def _missing(name: str, operator: str) -> Element:
    return _element("SimplePredicate", field=name, operator=operator)


def _conjunction(tests: list[Element]) -> Element:
    return _compound("and", tests) if tests else Element("True")


def _compound(operator: str, parts: list[Element]) -> Element:
    if len(parts) == 1:
        return parts[0]
    compound = _element("CompoundPredicate", booleanOperator=operator)
    compound.extend(parts)
    return compound


def _add(parent: Element, tag: str, **attributes: Any) -> Element:
    parent.append(element := _element(tag, **attributes))
    return element


def _element(tag: str, **attributes: Any) -> Element:
    return Element(tag, {name: _attribute(value) for name, value in attributes.items()})


def _attribute(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return repr(value)
    if FORBIDDEN.search(value):
        raise ExportError(f"Not supported in XML: the control characters in {value!r}. Rename it before fit.")
    return value
