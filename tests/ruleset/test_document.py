"""A ruleset as a document: exact in both directions."""

import copy
import json
import re

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


def through_json(ruleset: RuleSet) -> RuleSet:
    return RuleSet.from_dict(json.loads(json.dumps(ruleset.to_dict(), allow_nan=False)))


LABELS = {
    "strings": st.lists(
        st.text(max_size=4).map(lambda string: string.rstrip("\0")), min_size=2, max_size=4, unique=True
    ),
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
        n_samples=int(counts.sum(axis=1).max()) + draw(st.integers(1, 1000)),
        inference=draw(st.sampled_from([DecisionList(), Aggregate()])),
    )


class TestRoundTrip:
    @settings(suppress_health_check=[HealthCheck.too_slow])
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
    def test_it_prints_the_same(self, ruleset):
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
            "n_samples": 80,
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

        message = (
            "The inference mode Mine() is not registered, so a document cannot refer to it by name. "
            "Register its class with rulekit.register('inference', name, class)."
        )
        with pytest.raises(RuleSetFormatError, match=f"^{re.escape(message)}$"):
            handmade(inference=Mine()).to_dict()


class TestWhatIsReadCanBeUsed:
    SAMPLES = (BOTH, FIRST, SECOND, NONE)

    def test_it_predicts(self):
        ruleset = RuleSet.from_dict(handmade().to_dict())
        np.testing.assert_array_equal(handmade().predict_proba(self.SAMPLES), ruleset.predict_proba(self.SAMPLES))

    def test_it_explains(self):
        ruleset = RuleSet.from_dict(handmade().to_dict())
        assert str(ruleset.explain(BOTH)) == str(handmade().explain(BOTH))

    def test_more_entries_than_this_version_knows_are_not_damage(self):
        assert RuleSet.from_dict({**handmade().to_dict(), "comment": "by hand"}) == handmade()

    def test_a_frozen_ruleset_can_be_evolved(self):
        assert attrs.evolve(handmade(), n_samples=90).to_dict()["n_samples"] == 90
