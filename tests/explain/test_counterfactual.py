"""The smallest change that changes the predicted class, against trying everything."""

import itertools
import json
import math
import re

import attrs
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ruleset.handmade import BOTH, NONE, SECOND, handmade
from ruleset.test_table import HOSTILE, Tags
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.errors import InvalidParameterError, NoCounterfactualError
from rulekit.core.validation import Categories
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet

COLOURS = ("blue", "green", "red")
THRESHOLDS = (0.0, 1.5, 2.0)


def keys() -> st.SearchStrategy[ConditionKey]:
    """Conditions on two numbers and a colour; the second number and the colour may be missing."""
    first = st.builds(ConditionKey, st.just(0), st.booleans(), st.sampled_from(THRESHOLDS), st.none(), st.just(False))
    second = st.builds(ConditionKey, st.just(1), st.booleans(), st.sampled_from(THRESHOLDS), st.none(), st.booleans())
    codes = st.frozensets(st.integers(0, 2))
    return first | second | st.builds(ConditionKey, st.just(2), st.booleans(), st.just(0.0), codes, st.booleans())


@st.composite
def rulesets(draw: st.DrawFn) -> RuleSet:
    listed = draw(st.lists(keys(), min_size=1, max_size=6, unique=True))
    antecedent = st.lists(st.integers(0, len(listed) - 1), min_size=1, max_size=3, unique=True).map(tuple)
    antecedents = (*draw(st.lists(antecedent, min_size=1, max_size=4)), ())
    weights = draw(st.lists(st.integers(1, 99), min_size=len(antecedents), max_size=len(antecedents)))
    fraction = np.array(weights) / 100
    others = np.array(draw(st.lists(st.sampled_from([0.25, 0.75]), min_size=len(fraction), max_size=len(fraction))))
    conditions = Conditions.of_keys(
        listed, ("a", "b", "colour"), np.float64, Categories({2: COLOURS}), frozenset({1, 2})
    )
    return RuleSet(
        conditions=conditions,
        antecedents=antecedents,
        probabilities=np.column_stack([fraction, (1 - fraction) * others, (1 - fraction) * (1 - others)]),
        counts=np.ones((len(antecedents), 3), dtype=np.int64),
        classes=np.array(["x", "y", "z"]),
        n_samples=10,
        inference=draw(st.sampled_from([DecisionList(), Aggregate()])),
    )


def just_across() -> list[float]:
    return [value for t in THRESHOLDS for value in (t, math.nextafter(t, math.inf))]


@st.composite
def samples(draw: st.DrawFn) -> list[object]:
    number = st.sampled_from([-1.0, 0.0, 0.5, 1.75, 3.0])
    return [draw(number), draw(number | st.just(math.nan)), draw(st.sampled_from([*COLOURS, None]))]


def brute_force(ruleset: RuleSet, sample: list[object], wanted: set[str], fixed: set[int]) -> tuple[int, float] | None:
    """The cheapest of all samples that differ from this one in values on the grid of thresholds."""
    choices = []
    for position, own in enumerate(sample):
        grid = list(COLOURS) if position == 2 else [*just_across(), 0.0]
        choices.append([own] if position in fixed else [own, *grid])
    tried = list(itertools.product(*choices))
    labels = ruleset.predict(np.array(tried, dtype=object))
    costs = [cost(sample, other) for other, label in zip(tried, labels, strict=True) if label in wanted]
    return min(costs, default=None)


def cost(sample: list[object], other: tuple[object, ...]) -> tuple[int, float]:
    changed = [position for position in range(3) if not same(sample[position], other[position])]
    return len(changed), sum(distance(position, sample[position], other[position]) for position in changed)


def same(before: object, after: object) -> bool:
    return before == after or (isinstance(before, float) and math.isnan(before) and before is after)


def distance(position: int, before: object, after: object) -> float:
    return 1.0 if position == 2 or math.isnan(before) else abs(after - before) / (1.0, 2.0)[position]


@settings(max_examples=100, deadline=None)
@given(rulesets(), samples())
def test_the_quick_way_of_matching_one_sample_matches_like_the_slow_one(ruleset, sample):
    numbers = ruleset.as_numbers(np.array([sample], dtype=object))
    columns, missing = numbers.T, np.isnan(numbers.T)
    expected = [bool(ruleset.conditions.hold(each, columns, missing)[0]) for each in range(len(ruleset.conditions))]
    assert ruleset.conditions.hold_for(numbers[0]).tolist() == expected


class TestSmallest:
    @settings(max_examples=100, deadline=None)
    @given(rulesets(), samples(), st.sets(st.integers(0, 2), max_size=1), st.none() | st.sampled_from("xyz"))
    def test_it_costs_as_little_as_the_cheapest_of_all(self, ruleset, sample, fixed, target):
        label = ruleset.predict(np.array([sample], dtype=object))[0]
        assume(target != label)
        wanted = set("xyz") - {label} if target is None else {target}
        names = [ruleset.feature_names[position] for position in fixed]
        expected = brute_force(ruleset, sample, wanted, fixed)
        try:
            found = ruleset.counterfactual(sample, target, immutable=names, scales=[1.0, 2.0, 1.0])
        except NoCounterfactualError:
            assert expected is None
            return
        assert (len(found.changes), found.distance) == pytest.approx(expected)
        assert found.is_smallest
        # It is true: both samples really are of another class, and nothing else has changed.
        for changed in (found.sample, found.nearest):
            assert ruleset.predict(np.array([changed], dtype=object))[0] == found.label in wanted
        assert not fixed & {change.feature_index for change in found.changes}
        for position in {0, 1, 2} - {change.feature_index for change in found.changes}:
            assert same(sample[position], found.sample[position]) or (
                sample[position] is None and found.sample[position] is None
            )


@pytest.fixture(scope="module")
def fitted():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = rulekit.build("rcprob", RandomForestClassifier(20, max_depth=4, random_state=0)).fit(X[::2], y[::2])
    return model, X[1::2][:25]


class TestExtracted:
    def test_the_changed_sample_is_predicted_to_be_of_the_other_class(self, fitted):
        model, X = fitted
        for _, sample in X.iterrows():
            found = model.counterfactual(sample)
            assert model.ruleset_.predict([found.sample])[0] == found.label != model.predict(sample.to_frame().T)[0]

    def test_no_single_feature_is_sufficient_where_two_are_changed(self, fitted):
        model, X = fitted
        ruleset = model.ruleset_
        several = 0
        for _, sample in X.iterrows():
            found = ruleset.counterfactual(sample)
            if len(found.changes) < 2:
                continue
            several += 1
            for row in range(len(ruleset.conditions)):
                for value in (ruleset.conditions.cutoffs[row], np.nextafter(ruleset.conditions.cutoffs[row], np.inf)):
                    changed = sample.to_numpy(copy=True)
                    changed[ruleset.conditions.features[row]] = value
                    assert ruleset.predict([changed])[0] == found.before
        assert several > 0

    def test_readable_values_are_short_and_near(self, fitted):
        model, X = fitted
        for _, sample in X.iterrows():
            for change in model.counterfactual(sample).changes:
                scale = model.feature_scales_[change.feature_index]
                assert abs(change.after - change.nearest) <= 0.05 * scale
                assert len(f"{change.after:g}") <= len(repr(change.nearest))

    def test_a_model_measures_in_standard_deviations(self, fitted):
        model, X = fitted
        found = model.counterfactual(X.iloc[0])
        steps = [
            abs(change.nearest - change.before) / model.feature_scales_[change.feature_index]
            for change in found.changes
        ]
        assert found.distance == pytest.approx(sum(steps))


SENTENCES = """\
Changing 1 value changes the predicted class from yes to no (probability 0.875):
  Time   8 -> 8.2
Rule 2 is then the first to answer: IF age > 16.5 and Time <= 20 THEN no (p = 0.875, covers 40 of 80 samples)"""


class TestShown:
    def test_its_sentences(self):
        assert str(handmade().counterfactual(BOTH)) == SENTENCES

    def test_it_is_plain_as_data(self):
        document = handmade().counterfactual(BOTH).to_dict()
        assert json.loads(json.dumps(document, allow_nan=False)) == document

    @pytest.mark.parametrize("name", HOSTILE)
    def test_a_hostile_name_adds_no_tag(self, name):
        hostile = Tags(handmade((name, "age"), ("no", name)).counterfactual(BOTH)._repr_html_())
        assert hostile.tags == Tags(handmade().counterfactual(BOTH)._repr_html_()).tags

    def test_the_nearest_value_lies_just_across(self):
        assert handmade().counterfactual(BOTH).nearest == (math.nextafter(8.125, math.inf), 20.0)

    def test_after_too_few_boxes_there_is_a_note_that_there_may_be_a_smaller_change(self):
        found = handmade(inference=Aggregate()).counterfactual(NONE, max_boxes=1)
        assert (found.is_smallest, found.label) == (False, "yes")
        assert "; there may be a smaller change:" in str(found)


class TestRejected:
    def test_an_unknown_class(self):
        with pytest.raises(
            InvalidParameterError, match=r"^target must be one of the classes \['no', 'yes'\], got 'si'"
        ):
            handmade().counterfactual(BOTH, "si")

    def test_the_class_that_it_has(self):
        with pytest.raises(
            InvalidParameterError, match=r"^target is 'yes', which is already the predicted class of the sample\."
        ):
            handmade().counterfactual(BOTH, "yes")

    def test_an_unknown_feature(self):
        message = r"^immutable names unknown features: 'Age'\. The ruleset has the features 'Time', 'age'\.$"
        with pytest.raises(InvalidParameterError, match=message):
            handmade().counterfactual(BOTH, immutable=["Age"])

    @pytest.mark.parametrize("scales", [[1.0], [1.0, 0.0], [1.0, math.nan], [[1.0, 1.0]]])
    def test_scales_that_measure_nothing(self, scales):
        with pytest.raises(InvalidParameterError, match=r"^scales must be 2 positive numbers, one per feature"):
            handmade().counterfactual(BOTH, scales=scales)

    def test_several_samples(self):
        with pytest.raises(ValueError, match=r"^Expected one sample, got 2\. Pass one row, such as X\.iloc\[0\]\.$"):
            handmade().counterfactual([BOTH, SECOND])

    def test_a_class_that_no_rule_predicts(self):
        never = attrs.evolve(handmade(), probabilities=np.array([[0.75, 0.25]] * 3))
        with pytest.raises(NoCounterfactualError, match=r"^No change of the sample leads to a class other than 'no'"):
            never.counterfactual(BOTH)

    def test_what_cannot_be_reached_with_fixed_features(self):
        for immutable in (["Time"], "Time"):
            message = (
                rf"^No change of the sample leads to class 'no' with immutable={re.escape(repr(immutable))}: .* Relax"
            )
            with pytest.raises(NoCounterfactualError, match=message):
                handmade().counterfactual(BOTH, "no", immutable=immutable)
