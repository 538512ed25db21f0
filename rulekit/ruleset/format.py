"""The format of a ruleset's document, described once: the reader checks by it, and the JSON Schema is made from it."""

from collections.abc import Mapping
from typing import Any, Final

from rulekit.ruleset import limits
from rulekit.ruleset.shape import (
    LABELS,
    ByIndex,
    Choice,
    Distribution,
    Field,
    Flag,
    Index,
    List,
    Number,
    OneOf,
    Plain,
    Record,
    Value,
    Whole,
    fail,
)

FORMAT: Final = "rulekit-ruleset"
VERSION: Final = 1
#: By name: NumPy reads many other strings as types, some of them of any size.
CLASS_TYPES: Final = (
    *("str", "object", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)
INPUT_DTYPES: Final = ("float32", "float64")
#: Operators that compare with a threshold, and those that look a category up; the first of each holds inside.
COMPARING: Final = ("<=", ">")
LOOKING_UP: Final = ("in", "not in")

_STRING = Value(frozenset({str}))
_LABEL = Value(LABELS)
_FEATURE, _CONDITION = Index("feature"), Index("condition")


def _condition(operators: tuple[str, ...], **limit: Field) -> Record:
    return Record(
        {
            "feature": Field(_FEATURE, "Position of the column."),
            "operator": Field(Choice(operators)),
            **limit,
            "or_missing": Field(Flag(), "Whether the condition also holds where the value is missing."),
            "display": Field(Number(), "The limit as people read it; the exact one is what counts.", is_optional=True),
        }
    )


_THRESHOLD = Field(Number(), "As the ensemble states it; 1e999 stands for infinity.")
_CODES = Field(List(Whole(), limits.MAX_CATEGORIES, different="codes"), "Codes of the set's categories.")

CONDITION: Final = OneOf(
    "operator", (_condition(COMPARING, threshold=_THRESHOLD), _condition(LOOKING_UP, categories=_CODES))
)

RULE: Final = Record(
    {
        "conditions": Field(
            List(_CONDITION, limits.MAX_CONDITIONS_OF_A_RULE, different="conditions"),
            "Positions of the conditions that must all hold; empty for the default rule.",
        ),
        "probabilities": Field(Distribution(limits.MAX_CLASSES), "Stated probability of each class."),
        "counts": Field(
            List(Whole(), limits.MAX_CLASSES),
            "Training samples of each class that satisfy the conditions; for the default rule, those that no rule "
            "covers.",
        ),
    }
)

RULESET: Final = Record(
    {
        "format": Field(Choice((FORMAT,))),
        "version": Field(Choice((VERSION,))),
        "classes": Field(
            List(_LABEL, limits.MAX_CLASSES, least=2, different="labels"),
            "Class labels, in the order of all probabilities and counts.",
        ),
        "class_type": Field(Choice(CLASS_TYPES), "NumPy's type of the labels."),
        "feature_names": Field(List(_STRING, limits.MAX_FEATURES, least=1), "Columns of the samples, in order."),
        "input_dtype": Field(
            Choice(INPUT_DTYPES), "What a value is rounded to before it is compared with a threshold."
        ),
        "n_samples": Field(Whole(low=1), "Size of the training set."),
        "categories": Field(
            # None would be a missing value, and of two equal labels nobody could tell which is meant.
            ByIndex(List(_LABEL, limits.MAX_CATEGORIES, different="labels"), "feature"),
            "Labels of categorical columns by code; the keys are positions of columns.",
        ),
        "unknown_as_missing": Field(
            Flag(), "Whether a category that is not listed counts as missing; otherwise it is in no set."
        ),
        "missing_features": Field(
            List(_FEATURE, limits.MAX_FEATURES, different="features"),
            "Columns whose values may be missing; elsewhere missing values are refused.",
        ),
        "conditions": Field(List(CONDITION, limits.MAX_CONDITIONS)),
        "rules": Field(List(RULE, limits.MAX_RULES, least=1), "In order; the last is the default rule."),
        "inference": Field(
            # A registered name and plain values: nothing else can be made from a document.
            Record({"name": Field(_STRING), "parameters": Field(Plain())}),
            "How the rules that match answer: decision-list (the first does), aggregate (the normalised sum of all), "
            "or a plugin's mode.",
        ),
    },
    is_closed=False,
)


def json_schema() -> dict[str, Any]:
    """The format as JSON Schema, draft 2020-12.

    What relates two parts of a document, such as a rule's conditions and the list that they are positions in, is beyond
    JSON Schema: `check_document` checks that too.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:rulekit:ruleset:{VERSION}",
        "title": f"rulekit ruleset, version {VERSION}",
        "description": "An ordered list of IF-THEN rules with class probabilities. The last rule, without conditions, "
        "is the default. Positions count from 0.",
        **RULESET.schema(),
    }


def check_document(document: Mapping[str, Any]) -> None:
    """Raise `RuleSetFormatError`, which says where, unless a document has the format and its parts fit together."""
    RULESET.check(document, "")
    conditions, rules = document["conditions"], document["rules"]
    n_features, n_classes = len(document["feature_names"]), len(document["classes"])
    _check_within(document["missing_features"], "missing_features", _FEATURE, n_features)
    for feature in document["categories"]:
        if int(feature) >= n_features:
            fail("categories", _FEATURE.missing, feature)
    for position, condition in enumerate(conditions):
        if condition["feature"] >= n_features:
            fail(f"conditions[{position}].feature", _FEATURE.missing, condition["feature"])
    if len(rules) * n_classes > limits.MAX_PROBABILITIES:
        fail("rules", f"must be at most {limits.MAX_PROBABILITIES} probabilities in all", len(rules) * n_classes)
    for position, rule in enumerate(rules):
        sizes = len(rule["probabilities"]), len(rule["counts"])
        if sizes != (n_classes, n_classes):
            fail(f"rules[{position}]", "needs one probability and one count per class", sizes)
        _check_within(rule["conditions"], f"rules[{position}].conditions", _CONDITION, len(conditions))


def _check_within(positions: list[int], where: str, index: Index, n_entries: int) -> None:
    if not positions or max(positions) < n_entries:
        return
    for entry, position in enumerate(positions):
        if position >= n_entries:
            fail(f"{where}[{entry}]", index.missing, position)
