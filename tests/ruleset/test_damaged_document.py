"""A damaged document is rejected as such, and nothing in it is lost or guessed."""

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruleset.handmade import handmade

from rulekit.core.errors import RuleSetFormatError
from rulekit.ruleset import RuleSet

Document = dict[str, Any]


def put(*path: Any, value: Any) -> Callable[[Document], Document]:
    """A change of the document: another value at a position."""

    def change(document: Document) -> Document:
        position = document
        for step in path[:-1]:
            position = position[step]
        position[path[-1]] = value
        return document

    return change


def without(*path: Any) -> Callable[[Document], Document]:
    """A change of the document: nothing at a position."""

    def change(document: Document) -> Document:
        position = document
        for step in path[:-1]:
            position = position[step]
        del position[path[-1]]
        return document

    return change


NOT_A_RULESET = "This is not a ruleset: 'format' must be 'rulekit-ruleset'."
PROBABILITIES = "rules[0].probabilities must lie between 0 and 1 and sum to 1"
SHAPE = "rules[0] must have one probability and one count per class"
DAMAGED = "The ruleset is damaged: "
DAMAGES: dict[str, tuple[Callable[[Document], Any], str]] = {
    "no document": (lambda document: None, NOT_A_RULESET),
    "a list": (lambda document: [document], NOT_A_RULESET),
    "a string": (json.dumps, NOT_A_RULESET),
    "an empty document": (lambda document: {}, NOT_A_RULESET),
    "another format": (put("format", value="pmml"), NOT_A_RULESET),
    "no format": (without("format"), NOT_A_RULESET),
    "a later version": (
        put("version", value=2),
        "The ruleset has version 2; this rulekit reads version 1. Read it with the rulekit that wrote it, or export",
    ),
    "an array as a format": (put("format", value=np.array(["rulekit-ruleset"] * 2)), NOT_A_RULESET),
    "an array as a version": (put("version", value=np.array([1, 1])), "The ruleset has version array([1, 1]);"),
    "a boolean as a version": (put("version", value=True), "The ruleset has version True;"),
    "an array as an operator": (
        put("conditions", 0, "operator", value=np.array(["<=", ">"])),
        "operator must be one of",
    ),
    "not a class": (
        lambda document: {**document, "classes": [], "rules": [{"conditions": [], "probabilities": [], "counts": []}]},
        f"{DAMAGED}classes must have at least 2 entries; got [].",
    ),
    "not a feature": (
        lambda document: {**document, "feature_names": [], "conditions": [], "rules": document["rules"][-1:]},
        f"{DAMAGED}feature_names must have at least 1 entry; got [].",
    ),
    "no version": (without("version"), "The ruleset has version None; this rulekit reads version 1."),
    "a version as a string": (put("version", value="1"), "The ruleset has version '1'; this rulekit reads version 1."),
    **{
        f"no {key}": (without(key), key)
        for key in (
            "classes",
            "class_type",
            "feature_names",
            "input_dtype",
            "n_samples",
            "inference",
            "conditions",
            "rules",
        )
    },
    "no feature of a condition": (without("conditions", 0, "feature"), "feature"),
    "no operator": (without("conditions", 0, "operator"), "operator"),
    "no threshold": (without("conditions", 0, "threshold"), "threshold"),
    "no conditions of a rule": (without("rules", 0, "conditions"), "conditions"),
    "no probabilities of a rule": (without("rules", 0, "probabilities"), "probabilities"),
    "no counts of a rule": (without("rules", 0, "counts"), "counts"),
    "no name of the inference mode": (without("inference", "name"), "name"),
    "no parameters of the inference mode": (without("inference", "parameters"), "parameters"),
    "an unknown inference mode": (put("inference", "name", value="vote"), "No inference mode named 'vote'"),
    "an unknown parameter of the inference mode": (put("inference", "parameters", value={"a": 1}), DAMAGED),
    "an inference mode as a string": (put("inference", value="aggregate"), DAMAGED),
    "an unknown operator": (put("conditions", 0, "operator", value="<"), DAMAGED),
    "a feature beyond the last": (
        put("conditions", 0, "feature", value=2),
        ".feature refers to a feature that does not exist",
    ),
    "a negative feature": (
        put("conditions", 0, "feature", value=-1),
        ".feature refers to a feature that does not exist",
    ),
    "a feature by name": (put("conditions", 0, "feature", value="Time"), DAMAGED),
    "a feature as a string": (put("conditions", 0, "feature", value="1"), DAMAGED),
    "a fraction of a feature": (put("conditions", 0, "feature", value=0.5), DAMAGED),
    "no number as a feature": (put("conditions", 0, "feature", value=float("nan")), DAMAGED),
    "no number as a threshold": (
        put("conditions", 0, "threshold", value=float("nan")),
        "conditions[0].threshold must be a number",
    ),
    "nothing as a threshold": (put("conditions", 0, "threshold", value=None), DAMAGED),
    "a string as a threshold": (put("conditions", 0, "threshold", value="8.125"), DAMAGED),
    "a list as a threshold": (put("conditions", 0, "threshold", value=[8.125]), DAMAGED),
    "conditions as a number": (put("conditions", value=3), DAMAGED),
    "a condition as a number": (put("conditions", 0, value=3), DAMAGED),
    "a condition beyond the last": (
        put("rules", 0, "conditions", value=[3]),
        ".conditions[0] refers to a condition that does not exist",
    ),
    "a negative condition": (
        put("rules", 0, "conditions", value=[-1]),
        ".conditions[0] refers to a condition that does not exist",
    ),
    "a fraction of a condition": (
        put("rules", 0, "conditions", value=[0.5]),
        ".conditions[0] refers to a condition that does not exist",
    ),
    "a condition as a string": (put("rules", 0, "conditions", value="0"), "rules[0].conditions must be a list"),
    "a boolean as a condition": (put("rules", 0, "conditions", value=[True]), DAMAGED),
    "no rules": (put("rules", value=[]), "rules must have at least 1 entry; got []"),
    "samples of thousands of digits": (put("n_samples", value=10**5000), "n_samples must be a whole number"),
    "rules as a document": (put("rules", value={"1": {}}), DAMAGED),
    "no default": (
        lambda document: {**document, "rules": document["rules"][:-1]},
        "the last rule must be the only one without conditions",
    ),
    "two defaults": (
        put("rules", 0, "conditions", value=[]),
        "the last rule must be the only one without conditions",
    ),
    "a probability above 1": (put("rules", 0, "probabilities", value=[-0.5, 1.5]), PROBABILITIES),
    "probabilities that sum to less": (put("rules", 0, "probabilities", value=[0.5, 0.4]), PROBABILITIES),
    "no number as a probability": (
        put("rules", 0, "probabilities", value=[float("nan"), 1.0]),
        "rules[0].probabilities[0]",
    ),
    "infinity as a probability": (
        put("rules", 0, "probabilities", value=[float("inf"), 1.0]),
        "rules[0].probabilities[0]",
    ),
    "strings as probabilities": (put("rules", 0, "probabilities", value=["0.25", "0.75"]), DAMAGED),
    "nothing as a probability": (put("rules", 0, "probabilities", value=[None, 1.0]), DAMAGED),
    "too few probabilities": (put("rules", 0, "probabilities", value=[1.0]), DAMAGED),
    "too few probabilities everywhere": (
        lambda document: {**document, "rules": [{**rule, "probabilities": [1.0]} for rule in document["rules"]]},
        SHAPE,
    ),
    "too many counts everywhere": (
        lambda document: {**document, "rules": [{**rule, "counts": [1, 2, 3]} for rule in document["rules"]]},
        SHAPE,
    ),
    "a negative count": (
        put("rules", 0, "counts", value=[-1, 3]),
        "rules[0].counts[0] must be a whole number between 0 and",
    ),
    "a fraction as a count": (put("rules", 0, "counts", value=[1.5, 3]), DAMAGED),
    "no number as a count": (put("rules", 0, "counts", value=[float("nan"), 3]), DAMAGED),
    "infinity as a count": (put("rules", 0, "counts", value=[float("inf"), 3]), DAMAGED),
    "a huge count": (put("rules", 0, "counts", value=[10**30, 3]), DAMAGED),
    "strings as counts": (put("rules", 0, "counts", value=["2", "30"]), DAMAGED),
    "more samples in a rule than there are": (put("rules", 0, "counts", value=[2, 3000]), DAMAGED),
    "no samples": (put("n_samples", value=0), DAMAGED),
    "a fraction of a sample": (put("n_samples", value=80.5), DAMAGED),
    "samples as a string": (put("n_samples", value="80"), DAMAGED),
    "no number of samples": (put("n_samples", value=float("nan")), DAMAGED),
    "infinitely many samples": (put("n_samples", value=float("inf")), DAMAGED),
    "one class": (put("classes", value=["no"]), "classes must have at least 2 entries; got ['no']"),
    "three classes": (put("classes", value=["no", "or", "yes"]), SHAPE),
    "the same class twice": (put("classes", value=["no", "no"]), DAMAGED),
    "classes that their type cuts off": (put("class_type", value="<U1"), DAMAGED),
    "classes cut off to the same": (
        lambda document: {**document, "classes": ["yes", "yesterday"], "class_type": "<U3"},
        DAMAGED,
    ),
    "classes in classes": (
        lambda document: {**document, "classes": [["no", "maybe"], ["yes", "surely"]], "class_type": "object"},
        DAMAGED,
    ),
    "nothing as a class": (
        lambda document: {**document, "classes": ["no", None], "class_type": "object"},
        DAMAGED,
    ),
    "documents as classes": (
        lambda document: {**document, "classes": [{}, {"a": 1}], "class_type": "object"},
        DAMAGED,
    ),
    "classes as a string": (put("classes", value="no"), DAMAGED),
    "classes of another type": (put("class_type", value="int64"), DAMAGED),
    "classes that become booleans": (put("class_type", value="bool"), DAMAGED),
    "booleans as numbers for classes": (
        lambda document: {**document, "classes": [False, True], "class_type": "int64"},
        "class_type is 'int64', but the class labels are [False, True].",
    ),
    "numbers as booleans for classes": (
        lambda document: {**document, "classes": [0, 1], "class_type": "bool"},
        "class_type is 'bool', but the class labels are [0, 1].",
    ),
    "an unsupported type of classes": (put("class_type", value="M8[s]"), "class_type must be one of str, object, "),
    "an unknown type of classes": (put("class_type", value="label"), DAMAGED),
    "a type of classes that is not a string": (put("class_type", value=["<U3"]), DAMAGED),
    "feature names as a string": (put("feature_names", value="ab"), DAMAGED),
    "numbers as feature names": (put("feature_names", value=[1, 2]), DAMAGED),
    "too few feature names": (put("feature_names", value=["Time"]), ".feature refers to a feature that does not exist"),
    "an unknown type of input": (put("input_dtype", value="float16"), DAMAGED),
    "a type of input that cannot be hashed": (put("input_dtype", value=[]), DAMAGED),
}


class TestDamage:
    @pytest.mark.parametrize(("damage", "message"), DAMAGES.values(), ids=DAMAGES)
    def test_is_rejected_with_a_message(self, damage, message):
        with pytest.raises(RuleSetFormatError, match=re.escape(message)):
            RuleSet.from_dict(damage(handmade().to_dict()))


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["<U1", "object", "<="]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


def positions(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every position in a document."""
    steps = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [inner for step, value in steps for inner in ((*path, step), *positions(value, (*path, step)))]


class TestAnyDamage:
    """Whatever is at any position: it is rejected, or read without a change."""

    @staticmethod
    def read(document: Any) -> RuleSet | None:
        try:
            return RuleSet.from_dict(document)
        except RuleSetFormatError:
            return None

    @settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def test_is_rejected_or_read_exactly(self, data):
        document = handmade().to_dict()
        position = data.draw(st.sampled_from(positions(document)))
        document = put(*position, value=data.draw(plain))(document)
        ruleset = self.read(copy.deepcopy(document))
        assert ruleset is None or ruleset.to_dict() == document

    @settings(max_examples=100)
    @given(st.data())
    def test_a_missing_part_is_rejected(self, data):
        document = handmade().to_dict()
        keys = [position for position in positions(document) if isinstance(position[-1], str)]
        assert self.read(without(*data.draw(st.sampled_from(keys)))(document)) is None

    @settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
    @given(plain)
    def test_anything_else_is_not_a_ruleset(self, document):
        assert self.read(document) is None
