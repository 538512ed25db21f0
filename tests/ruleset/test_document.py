"""A ruleset as a document: exact both ways, and a damaged one is refused as such."""

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruleset.handmade import BOTH, FIRST, NONE, SECOND, handmade

import rulekit
from rulekit.core.conditions import Conditions
from rulekit.core.errors import RuleSetFormatError
from rulekit.core.interfaces import InferenceMode
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet

Document = dict[str, Any]


def through_json(ruleset: RuleSet) -> RuleSet:
    return RuleSet.from_dict(json.loads(json.dumps(ruleset.to_dict(), allow_nan=False)))


LABELS = {
    "strings": st.lists(st.text(max_size=4).map(lambda text: text.rstrip("\0")), min_size=2, max_size=4, unique=True),
    "integers": st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=4, unique=True),
    "floats": st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=4, unique=True),
    "booleans": st.just([False, True]),
}


@st.composite
def labels(draw: st.DrawFn) -> np.ndarray:
    kind = draw(st.sampled_from(sorted(LABELS)))
    values = sorted(draw(LABELS[kind]))
    if kind == "strings" and draw(st.booleans()):
        return np.array(values, dtype=object)
    return np.array(values)


@st.composite
def distributions(draw: st.DrawFn, n_classes: int) -> list[float]:
    weights = draw(
        st.lists(st.floats(0, 1), min_size=n_classes, max_size=n_classes).filter(lambda row: sum(row) > 0.01)
    )
    return [weight / sum(weights) for weight in weights]


@st.composite
def rulesets(draw: st.DrawFn) -> RuleSet:
    """Any ruleset that could come out of a search, and many that could not."""
    n_features = draw(st.integers(1, 4))
    n_conditions = draw(st.integers(0, 6))
    split = st.tuples(st.integers(0, n_features - 1), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
    splits = draw(st.lists(split, min_size=n_conditions, max_size=n_conditions))
    conditions = Conditions(
        features=np.array([feature for feature, _, _ in splits], dtype=np.int64),
        is_upper=np.array([upper for _, upper, _ in splits], dtype=bool),
        thresholds=np.array([threshold for _, _, threshold in splits], dtype=np.float64),
        feature_names=tuple(draw(st.lists(st.text(max_size=5), min_size=n_features, max_size=n_features, unique=True))),
        input_dtype=np.dtype(draw(st.sampled_from([np.float32, np.float64]))),
    )
    antecedent = st.lists(st.integers(0, max(n_conditions - 1, 0)), min_size=1, max_size=3, unique=True).map(tuple)
    antecedents = draw(st.lists(antecedent, max_size=4)) if n_conditions else []
    classes = draw(labels())
    n_rules = len(antecedents) + 1
    row = st.lists(st.integers(0, 1000), min_size=len(classes), max_size=len(classes))
    counts = np.array([draw(row) for _ in range(n_rules)])
    return RuleSet(
        conditions=conditions,
        antecedents=(*antecedents, ()),
        probabilities=np.array([draw(distributions(len(classes))) for _ in range(n_rules)]),
        counts=counts,
        classes=classes,
        n_records=int(counts.sum(axis=1).max()) + draw(st.integers(1, 1000)),
        inference=draw(st.sampled_from([DecisionList(), Aggregate()])),
    )


class TestRoundTrip:
    @given(rulesets())
    def test_json_gives_an_equal_ruleset(self, ruleset):
        assert through_json(ruleset) == ruleset

    @given(rulesets())
    def test_json_keeps_the_labels_and_their_type(self, ruleset):
        back = through_json(ruleset)
        assert (back.classes.dtype, back.classes.tolist()) == (ruleset.classes.dtype, ruleset.classes.tolist())

    @given(rulesets())
    def test_json_keeps_every_bit_of_the_probabilities(self, ruleset):
        assert through_json(ruleset).probabilities.tobytes() == ruleset.probabilities.tobytes()

    @given(rulesets())
    def test_json_keeps_every_bit_of_the_cutoffs(self, ruleset):
        assert through_json(ruleset).conditions.cutoffs.tobytes() == ruleset.conditions.cutoffs.tobytes()

    @given(rulesets(), st.integers(0, 2**32 - 1))
    def test_the_copy_answers_the_same(self, ruleset, seed):
        X = np.random.default_rng(seed).normal(size=(5, len(ruleset.feature_names)))
        np.testing.assert_array_equal(ruleset.predict_proba(X), through_json(ruleset).predict_proba(X))

    @given(rulesets())
    def test_the_text_is_the_same(self, ruleset):
        assert str(through_json(ruleset)) == str(ruleset)

    def test_an_extracted_ruleset(self):
        generator = np.random.default_rng(0)
        X = generator.normal(size=(100, 2))
        ruleset = rulekit.build("rcprob", "gbm", random_state=0).fit(X, X[:, 0] > 0).ruleset_
        assert through_json(ruleset) == ruleset

    def test_the_document_is_plain(self):
        assert handmade().to_dict() == {
            "format": "rulekit-ruleset",
            "version": 1,
            "classes": ["no", "yes"],
            "class_type": "str",
            "feature_names": ["Time", "age"],
            "input_dtype": "float64",
            "n_records": 80,
            "inference": {"name": "decision-list", "parameters": {}},
            "categories": {},
            "unknown_as_missing": False,
            "missing_features": [],
            "conditions": [
                {"feature": 0, "operator": "<=", "threshold": 8.125, "or_missing": False},
                {"feature": 1, "operator": ">", "threshold": 16.5, "or_missing": False},
                {"feature": 0, "operator": "<=", "threshold": 20.0, "or_missing": False},
            ],
            "rules": [
                {"conditions": [0], "probabilities": [0.0625, 0.9375], "counts": [2, 30]},
                {"conditions": [1, 2], "probabilities": [0.875, 0.125], "counts": [30, 10]},
                {"conditions": [], "probabilities": [0.75, 0.25], "counts": [6, 2]},
            ],
        }

    def test_reading_does_not_change_the_document(self):
        document = handmade().to_dict()
        before = copy.deepcopy(document)
        RuleSet.from_dict(document)
        assert document == before

    def test_an_unregistered_inference_mode_says_what_to_do(self):
        class Mine(InferenceMode):
            """Not registered."""

            def infer(self, matches, ruleset):
                raise NotImplementedError

        text = (
            "The inference mode Mine() is not registered, so the document could not name it. "
            "Register its class with rulekit.register('inference', name, class)."
        )
        with pytest.raises(RuleSetFormatError, match=f"^{re.escape(text)}$"):
            handmade(inference=Mine()).to_dict()


def put(*path: Any, value: Any) -> Callable[[Document], Document]:
    """A change of the document: another value at a place."""

    def change(document: Document) -> Document:
        place = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        return document

    return change


def without(*path: Any) -> Callable[[Document], Document]:
    """A change of the document: nothing at a place."""

    def change(document: Document) -> Document:
        place = document
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]
        return document

    return change


NOT_A_RULESET = "This is not a ruleset: its 'format' should be 'rulekit-ruleset'."
PROBABILITIES = "rules[0].probabilities must lie between 0 and 1 and sum to 1"
SHAPE = "rules[0] needs one probability and one count per class"
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
        "The ruleset has version 2; this rulekit reads version 1. Read it with the rulekit that wrote it, or write it",
    ),
    "no version": (without("version"), "The ruleset has version None; this rulekit reads version 1."),
    "a version as text": (put("version", value="1"), "The ruleset has version '1'; this rulekit reads version 1."),
    **{
        f"no {key}": (without(key), key)
        for key in (
            "classes",
            "class_type",
            "feature_names",
            "input_dtype",
            "n_records",
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
    "an inference mode as text": (put("inference", value="aggregate"), DAMAGED),
    "an unknown operator": (put("conditions", 0, "operator", value="<"), DAMAGED),
    "a feature beyond the last": (
        put("conditions", 0, "feature", value=2),
        ".feature names a feature that does not exist",
    ),
    "a negative feature": (
        put("conditions", 0, "feature", value=-1),
        ".feature names a feature that does not exist",
    ),
    "a feature by name": (put("conditions", 0, "feature", value="Time"), DAMAGED),
    "a feature as text": (put("conditions", 0, "feature", value="1"), DAMAGED),
    "a fraction of a feature": (put("conditions", 0, "feature", value=0.5), DAMAGED),
    "no number as a feature": (put("conditions", 0, "feature", value=float("nan")), DAMAGED),
    "no number as a threshold": (
        put("conditions", 0, "threshold", value=float("nan")),
        "conditions[0].threshold must be a number",
    ),
    "nothing as a threshold": (put("conditions", 0, "threshold", value=None), DAMAGED),
    "text as a threshold": (put("conditions", 0, "threshold", value="8.125"), DAMAGED),
    "a list as a threshold": (put("conditions", 0, "threshold", value=[8.125]), DAMAGED),
    "conditions as a number": (put("conditions", value=3), DAMAGED),
    "a condition as a number": (put("conditions", 0, value=3), DAMAGED),
    "a condition beyond the last": (
        put("rules", 0, "conditions", value=[3]),
        ".conditions names a condition that does not exist",
    ),
    "a negative condition": (
        put("rules", 0, "conditions", value=[-1]),
        ".conditions names a condition that does not exist",
    ),
    "a fraction of a condition": (
        put("rules", 0, "conditions", value=[0.5]),
        ".conditions names a condition that does not exist",
    ),
    "a condition as text": (put("rules", 0, "conditions", value="0"), "rules[0].conditions must be a list"),
    "a truth value as a condition": (put("rules", 0, "conditions", value=[True]), DAMAGED),
    "no rules": (put("rules", value=[]), DAMAGED),
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
    "text as a probability": (put("rules", 0, "probabilities", value=["0.25", "0.75"]), DAMAGED),
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
    "text as a count": (put("rules", 0, "counts", value=["2", "30"]), DAMAGED),
    "more records in a rule than there are": (put("rules", 0, "counts", value=[2, 3000]), DAMAGED),
    "no records": (put("n_records", value=0), DAMAGED),
    "a fraction of a record": (put("n_records", value=80.5), DAMAGED),
    "records as text": (put("n_records", value="80"), DAMAGED),
    "no number of records": (put("n_records", value=float("nan")), DAMAGED),
    "infinitely many records": (put("n_records", value=float("inf")), DAMAGED),
    "one class": (put("classes", value=["no"]), "one probability and one count per class"),
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
    "classes as text": (put("classes", value="no"), DAMAGED),
    "classes of another type": (put("class_type", value="int64"), DAMAGED),
    "classes that become truth values": (put("class_type", value="bool"), DAMAGED),
    "an unsupported type of classes": (put("class_type", value="M8[s]"), "Class labels of type 'M8[s]'"),
    "an unknown type of classes": (put("class_type", value="label"), DAMAGED),
    "a type of classes that is no text": (put("class_type", value=["<U3"]), DAMAGED),
    "feature names as text": (put("feature_names", value="ab"), DAMAGED),
    "numbers as feature names": (put("feature_names", value=[1, 2]), DAMAGED),
    "too few feature names": (put("feature_names", value=["Time"]), ".feature names a feature that does not exist"),
    "an unknown type of input": (put("input_dtype", value="float16"), DAMAGED),
    "a type of input that cannot be hashed": (put("input_dtype", value=[]), DAMAGED),
}


class TestDamage:
    @pytest.mark.parametrize(("damage", "text"), DAMAGES.values(), ids=DAMAGES)
    def test_is_refused_and_said(self, damage, text):
        with pytest.raises(RuleSetFormatError, match=re.escape(text)):
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


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a document."""
    steps = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [inner for step, value in steps for inner in ((*path, step), *places(value, (*path, step)))]


class TestAnyDamage:
    """Whatever stands at any place: it is refused as a ruleset, or read without a change."""

    @staticmethod
    def read(document: Any) -> RuleSet | None:
        try:
            return RuleSet.from_dict(document)
        except RuleSetFormatError:
            return None

    @settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def test_is_refused_or_read_exactly(self, data):
        document = handmade().to_dict()
        place = data.draw(st.sampled_from(places(document)))
        document = put(*place, value=data.draw(plain))(document)
        ruleset = self.read(copy.deepcopy(document))
        assert ruleset is None or ruleset.to_dict() == document

    @settings(max_examples=100)
    @given(st.data())
    def test_a_missing_part_is_refused(self, data):
        document = handmade().to_dict()
        keys = [place for place in places(document) if isinstance(place[-1], str)]
        assert self.read(without(*data.draw(st.sampled_from(keys)))(document)) is None

    @settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
    @given(plain)
    def test_anything_else_is_no_ruleset(self, document):
        assert self.read(document) is None


class TestWhatIsReadCanBeUsed:
    RECORDS = (BOTH, FIRST, SECOND, NONE)

    def test_it_predicts(self):
        ruleset = RuleSet.from_dict(handmade().to_dict())
        np.testing.assert_array_equal(handmade().predict_proba(self.RECORDS), ruleset.predict_proba(self.RECORDS))

    def test_it_explains(self):
        ruleset = RuleSet.from_dict(handmade().to_dict())
        assert str(ruleset.explain(BOTH)) == str(handmade().explain(BOTH))

    def test_more_entries_than_this_version_knows_are_no_damage(self):
        assert RuleSet.from_dict({**handmade().to_dict(), "comment": "by hand"}) == handmade()

    def test_a_frozen_ruleset_can_be_evolved(self):
        assert attrs.evolve(handmade(), n_records=90).to_dict()["n_records"] == 90
