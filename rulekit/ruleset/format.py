"""The format of a ruleset's document, described once: the reader checks by it, and the JSON Schema is made from it."""

from collections.abc import Mapping
from typing import Any, Final

from rulekit.ruleset import limits
from rulekit.ruleset.matching import CHOICES
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
    Object,
    OneOf,
    Plain,
    Value,
    Whole,
    fail,
)

FORMAT: Final = "rulekit-ruleset"
VERSION: Final = 1
#: A fixed list of names: NumPy accepts many other strings as types, some of them of any size.
CLASS_TYPES: Final = (
    *("str", "object", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)
INPUT_DTYPES: Final = ("float32", "float64")
#: Operators that compare with a threshold, and those that look a category up; the first of each pair is positive.
COMPARING: Final = ("<=", ">")
LOOKING_UP: Final = ("in", "not in")

_STRING = Value(frozenset({str}))
_LABEL = Value(LABELS)
_WEIGHT = Value(frozenset({float}))
_FEATURE, _CONDITION = Index("feature"), Index("condition")


def _condition(operators: tuple[str, ...], **limit: Field) -> Object:
    return Object(
        {
            "feature": Field(_FEATURE, "Index of the feature."),
            "operator": Field(Choice(operators)),
            **limit,
            "or_missing": Field(Flag(), "Whether a missing value satisfies the condition."),
            "display": Field(
                Number(),
                "The threshold as it is printed; the exact one decides. For whole_features it is rounded down, and a "
                "lower limit of 36.5 is printed as `>= 37`.",
                is_optional=True,
            ),
        }
    )


_THRESHOLD = Field(Number(), "As given by the ensemble; 1e999 stands for infinity.")
_CODES = Field(List(Whole(), limits.MAX_CATEGORIES, different="codes"), "Codes of the set's categories.")

CONDITION: Final = OneOf(
    "operator", (_condition(COMPARING, threshold=_THRESHOLD), _condition(LOOKING_UP, categories=_CODES))
)

RULE: Final = Object(
    {
        "conditions": Field(
            List(_CONDITION, limits.MAX_CONDITIONS_OF_A_RULE, different="conditions"),
            "Indices of the conditions that must all hold; empty for the default rule.",
        ),
        "probabilities": Field(Distribution(limits.MAX_CLASSES), "Predicted probability of each class."),
        "counts": Field(
            List(Whole(), limits.MAX_CLASSES),
            "Training samples of each class that the rule covers; for the default rule, those that no other rule "
            "covers.",
        ),
        "answered": Field(
            List(Whole(), limits.MAX_CLASSES),
            "Training samples of each class for which the rule is the first that matches; all 0 marks a rule that "
            "never answers. Either all rules have it or none.",
            is_optional=True,
        ),
        "weights": Field(
            List(_WEIGHT, limits.MAX_CLASSES),
            "What the samples of `counts` weigh, if samples or classes had weights in training. Either all rules have "
            "it or none.",
            is_optional=True,
        ),
        "answered_weights": Field(
            List(_WEIGHT, limits.MAX_CLASSES), "What the samples of `answered` weigh, likewise.", is_optional=True
        ),
    }
)

RULESET: Final = Object(
    {
        "format": Field(Choice((FORMAT,))),
        "version": Field(Choice((VERSION,))),
        "classes": Field(
            List(_LABEL, limits.MAX_CLASSES, least=2, different="labels"),
            "Class labels, in the order of all probabilities and counts.",
        ),
        "class_type": Field(Choice(CLASS_TYPES), "NumPy data type of the labels."),
        "feature_names": Field(List(_STRING, limits.MAX_FEATURES, least=1), "Names of the features, in order."),
        "input_dtype": Field(
            Choice(INPUT_DTYPES), "Precision to which a value is rounded before it is compared with a threshold."
        ),
        "n_samples": Field(Whole(low=1), "Number of training samples."),
        "total_weight": Field(_WEIGHT, "What all training samples weigh, if they had weights.", is_optional=True),
        "categories": Field(
            # None would be a missing value, and two equal labels would be ambiguous.
            ByIndex(List(_LABEL, limits.MAX_CATEGORIES, different="labels"), "feature"),
            "Labels of the categorical features, in the order of their codes; the keys are indices of features.",
        ),
        "unknown_as_missing": Field(
            Flag(), "Whether a category that is not listed counts as missing; otherwise it belongs to no set."
        ),
        "missing_features": Field(
            List(_FEATURE, limits.MAX_FEATURES, different="features"),
            "Features whose values may be missing; unexpected_missing says what happens in all others.",
        ),
        "unexpected_missing": Field(
            Choice(CHOICES),
            "What happens to a sample with a missing value in another feature that rules test: it is rejected (error, "
            "if the entry is missing), answered by the default rule, or by the rules' other conditions.",
            is_optional=True,
        ),
        "whole_features": Field(
            List(_FEATURE, limits.MAX_FEATURES, least=1, different="features"),
            "Features that held whole numbers only in training, whose thresholds are printed as whole numbers.",
            is_optional=True,
        ),
        "conditions": Field(List(CONDITION, limits.MAX_CONDITIONS)),
        "rules": Field(List(RULE, limits.MAX_RULES, least=1), "In order; the last is the default rule."),
        "inference": Field(
            # A registered name and plain values: a document cannot create anything else.
            Object({"name": Field(_STRING), "parameters": Field(Plain())}),
            "How the matching rules answer: decision-list (the first one answers), aggregate (normalised sum of all), "
            "or a plugin's mode.",
        ),
    },
    is_closed=False,
)


def json_schema() -> dict[str, Any]:
    """The format as JSON Schema, draft 2020-12.

    JSON Schema cannot relate two parts of a document, such as the conditions of a rule and the list that they are
    indices of: `check_document` checks that too.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:rulekit:ruleset:{VERSION}",
        "title": f"rulekit ruleset, version {VERSION}",
        "description": "An ordered list of IF-THEN rules with class probabilities. The last rule, without conditions, "
        "is the default rule. Indices count from 0.",
        **RULESET.schema(),
    }


def check_document(document: Mapping[str, Any]) -> None:
    """Raise `RuleSetFormatError` unless a document has the format and its parts are consistent."""
    RULESET.check(document, "")
    check_indices(document)
    rules, n_classes = document["rules"], len(document["classes"])
    if len(rules) * n_classes > limits.MAX_PROBABILITIES:
        fail("rules", f"must have at most {limits.MAX_PROBABILITIES} probabilities in all", len(rules) * n_classes)
    for position, rule in enumerate(rules):
        sizes = len(rule["probabilities"]), len(rule["counts"])
        if sizes != (n_classes, n_classes):
            fail(f"rules[{position}]", "must have one probability and one count per class", sizes)
        for key in ("answered", "weights", "answered_weights"):
            if (key in rule) != (key in rules[0]):
                fail(f"rules[{position}]", f"must have {key!r} if and only if the first rule has it", list(rule))
            if len(rule.get(key, rule["counts"])) != n_classes:
                fail(f"rules[{position}].{key}", "must have one count per class", len(rule[key]))


def check_indices(document: Mapping[str, Any]) -> None:
    """Raise `RuleSetFormatError` unless every index of a feature or a condition is one of the document's."""
    n_features, n_conditions = len(document["feature_names"]), len(document["conditions"])
    for key in ("missing_features", "whole_features"):
        _check_within(document.get(key, []), key, _FEATURE, n_features)
    for feature in document["categories"]:
        if int(feature) >= n_features:
            fail("categories", _FEATURE.missing, feature)
    for position, condition in enumerate(document["conditions"]):
        if condition["feature"] >= n_features:
            fail(f"conditions[{position}].feature", _FEATURE.missing, condition["feature"])
    for position, rule in enumerate(document["rules"]):
        _check_within(rule["conditions"], f"rules[{position}].conditions", _CONDITION, n_conditions)


def _check_within(positions: list[int], where: str, index: Index, n_entries: int) -> None:
    if not positions or max(positions) < n_entries:
        return
    for entry, position in enumerate(positions):
        if position >= n_entries:
            fail(f"{where}[{entry}]", index.missing, position)
