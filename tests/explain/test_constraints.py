"""Counterfactuals within constraints, against trying everything; and what the ensemble says of them."""

import math

import attrs
import lightgbm
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruleset.handmade import BOTH, handmade
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rulekit
from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.errors import InvalidParameterError, NoCounterfactualError
from rulekit.core.regions import Numbers
from rulekit.core.validation import Categories
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet

NAMES = ("age", "tenure", "rate", "colour")
COLOURS = ("blue", "green", "red")
#: Of the whole numbers, and of the third feature.
HALVES, THRESHOLDS = (0.5, 1.5, 3.5), (0.0, 1.25, 2.0)
SCALES = (1.0, 2.0, 0.5, 1.0)


def keys() -> st.SearchStrategy[ConditionKey]:
    numbers = [
        st.builds(ConditionKey, st.just(feature), st.booleans(), st.sampled_from(limits), st.none(), st.just(False))
        for feature, limits in ((0, HALVES), (1, HALVES), (2, THRESHOLDS))
    ]
    codes = st.frozensets(st.integers(0, 2))
    colours = st.builds(ConditionKey, st.just(3), st.booleans(), st.just(0.0), codes, st.just(False))
    return st.one_of(*numbers, colours)


@st.composite
def rulesets(draw: st.DrawFn) -> RuleSet:
    """Rules on two columns of whole numbers, one of fractions, and one of colours."""
    listed = draw(st.lists(keys(), min_size=2, max_size=6, unique=True))
    antecedent = st.lists(st.integers(0, len(listed) - 1), min_size=1, max_size=3, unique=True).map(tuple)
    antecedents = (*draw(st.lists(antecedent, min_size=1, max_size=4)), ())
    weights = draw(st.lists(st.integers(1, 99), min_size=len(antecedents), max_size=len(antecedents)))
    fraction = np.array(weights) / 100
    conditions = Conditions.of_keys(listed, NAMES, np.float64, Categories({3: COLOURS}), frozenset())
    return RuleSet(
        conditions=attrs.evolve(conditions, whole_features=frozenset({0, 1})),
        antecedents=antecedents,
        probabilities=np.column_stack([fraction, 1 - fraction]),
        counts=np.ones((len(antecedents), 2), dtype=np.int64),
        classes=np.array(["no", "yes"]),
        n_samples=10,
        inference=draw(st.sampled_from([DecisionList(), Aggregate()])),
    )


@st.composite
def constraints(draw: st.DrawFn) -> dict[str, object]:
    """Each kind of constraint, or not."""
    numeric = st.sampled_from(NAMES[:3])
    low = st.sampled_from([None, -1, 0, 1, 1.25])
    ends = st.tuples(low, st.sampled_from([None, 2, 3, 3.5]))
    groups = [(), [("age", "tenure")], [("tenure", "rate")], [("age", "tenure", "rate")]]
    return {
        "immutable": draw(st.lists(st.sampled_from(NAMES), max_size=1)),
        "ranges": draw(
            st.dictionaries(numeric, ends, max_size=2)
            | st.fixed_dictionaries({"colour": st.lists(st.sampled_from(COLOURS))})
        ),
        "directions": draw(st.dictionaries(numeric, st.sampled_from(["increase", "decrease"]), max_size=2)),
        "linked": draw(st.sampled_from(groups)),
    }


SAMPLES = st.tuples(
    st.integers(-1, 5).map(float),
    st.integers(-1, 5).map(float),
    st.sampled_from([-1.0, 0.5, 1.5, 3.0]),
    st.sampled_from(COLOURS),
)


def is_allowed(before: np.ndarray, after: np.ndarray, demands: dict) -> np.ndarray:
    """The constraints, said again, for samples of shape (n_samples, n_features); colours are codes."""
    allowed = np.ones(len(after), dtype=bool)
    for position, name in enumerate(NAMES):
        own, new = before[position], after[:, position]
        keeps = np.ones(len(after), dtype=bool)
        if name in demands["immutable"]:
            keeps[:] = False
        if position < 2:
            keeps &= new == np.round(new)
        if name in demands["ranges"]:
            chosen = demands["ranges"][name]
            if name == "colour":
                keeps &= np.isin(new, [COLOURS.index(label) for label in chosen])
            else:
                low, high = (side if end is None else end for side, end in zip((-9, 9), chosen, strict=True))
                keeps &= (low <= new) & (new <= high)
        if name in demands["directions"]:
            keeps &= (new > own) if demands["directions"][name] == "increase" else (new < own)
        allowed &= (new == own) | keeps
    for group in demands["linked"]:
        positions = [NAMES.index(name) for name in group]
        allowed &= np.ptp(after[:, positions] - before[positions], axis=1) == 0
    return allowed


def costs(before: np.ndarray, after: np.ndarray) -> list[tuple[int, float]]:
    """How many features change, and by how much in all."""
    amounts = np.abs(after - before) / SCALES
    amounts[:, 3] = before[3] != after[:, 3]
    return list(zip((amounts > 0).sum(axis=1).tolist(), amounts.sum(axis=1).tolist(), strict=True))


def brute_force(ruleset: RuleSet, sample: np.ndarray, wanted: int, demands: dict) -> tuple[int, float] | None:
    """The cheapest of all allowed samples on a grid of whole numbers, thresholds, ends of ranges and linked amounts."""
    # Features that are linked may have to go beyond their own thresholds.
    whole = np.arange(-7.0, 12.0) if demands["linked"] else np.arange(-1.0, 6.0)
    across = [value for t in THRESHOLDS for value in (t, math.nextafter(t, math.inf))]
    ends = [float(end) for end in demands["ranges"].get("rate", ()) if end is not None]
    linked = [sample[2] + amount for amount in range(-7, 8)] if demands["linked"] else []
    rates = np.unique([sample[2], *across, *ends, *linked])
    grid = np.stack(np.meshgrid(whole, whole, rates, np.arange(3.0)), axis=-1).reshape(-1, 4)
    tried = grid[is_allowed(sample, grid, demands)]
    if not len(tried):
        return None
    return min(costs(sample, tried[ruleset.answer(tried).argmax(axis=1) == wanted]), default=None)


class TestSmallest:
    @settings(max_examples=100, deadline=None)
    @given(rulesets(), SAMPLES, constraints())
    def test_it_is_allowed_and_nothing_smaller_that_is_allowed_suffices(self, ruleset, sample, demands):
        numbers = ruleset.as_numbers(np.array([sample], dtype=object))
        wanted = 1 - int(ruleset.answer(numbers).argmax())
        expected = brute_force(ruleset, numbers[0], wanted, demands)
        try:
            found = ruleset.counterfactual(list(sample), scales=SCALES, **demands)
        except NoCounterfactualError:
            assert expected is None
            return
        assert found.is_smallest
        assert (len(found.changes), found.distance) == pytest.approx(expected)
        changed = ruleset.as_numbers(np.array([found.sample, found.nearest], dtype=object))
        assert is_allowed(numbers[0], changed, demands).all()
        assert ruleset.answer(changed).argmax(axis=1).tolist() == [wanted, wanted]
        assert found.label == ruleset.classes[wanted]

    def test_linked_fractions_change_by_the_same_amount(self):
        """No grid has these: the amount is that of the feature that must go furthest, to the last digit."""
        ruleset = handmade()
        found = ruleset.counterfactual([8.3, 20.1], "yes", linked=[("Time", "age")])
        assert [change.nearest for change in found.changes] == [8.125, pytest.approx(20.1 - (8.3 - 8.125))]
        assert ruleset.predict([found.sample])[0] == "yes"

    def test_the_sample_may_lie_outside_of_the_range_and_stay_there(self):
        found = handmade().counterfactual(BOTH, "no", ranges={"age": (30, 40)})
        assert [change.feature for change in found.changes] == ["Time"]
        assert found.sample[1] == 20.0

    def test_a_missing_value_neither_increases_nor_moves_with_others(self):
        conditions = attrs.evolve(handmade().conditions, missing_features=frozenset({0, 1}))
        ruleset = attrs.evolve(handmade(), conditions=conditions)
        sample = [math.nan, 10.0]
        assert ruleset.counterfactual(sample, "yes").sample[0] == 0.0
        for demands in ({"directions": {"Time": "increase"}}, {"linked": [("Time", "age")]}):
            with pytest.raises(NoCounterfactualError):
                ruleset.counterfactual(sample, "yes", **demands)


class TestWhole:
    @pytest.mark.parametrize(
        ("intervals", "value", "expected"),
        [
            (((0.5, 3.5),), 7.0, 3.0),
            (((0.5, 3.5),), -7.0, 1.0),
            (((0.0, 3.0),), 0.0, 1.0),
            (((0.5, 3.5),), 2.25, 2.25),
            (((0.2, 0.8),), 7.0, None),
            (((-math.inf, 0.2), (4.5, math.inf)), 2.0, 0.0),
            (((-math.inf, 0.2), (4.5, math.inf)), 3.0, 5.0),
            (((4.5, math.inf),), math.nan, 5.0),
        ],
    )
    def test_the_nearest_whole_number(self, intervals, value, expected):
        assert Numbers(intervals, missing=False).nearest_whole(value) == expected


def table(n_samples: int = 300) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 91, n_samples),
            "amount": rng.exponential(4000, n_samples).round().astype(int),
            "owner": rng.random(n_samples) < 0.5,
        }
    )
    is_yes = (X["age"] > 36) & (X["amount"] <= 5000) | X["owner"]
    return X, pd.Series(np.where(is_yes ^ (rng.random(n_samples) < 0.1), "yes", "no"))


@pytest.fixture(scope="module")
def model():
    X, y = table()
    with rulekit.using_engine("numpy"):
        return rulekit.build("rclist", RandomForestClassifier(15, max_depth=4, random_state=0), random_state=0).fit(
            X, y
        )


class TestEnsemble:
    def test_what_it_predicts_for_the_changed_sample_is_told(self, model):
        X, _ = table()
        for row in range(20):
            found = model.counterfactual(X.iloc[[row]])
            changed = pd.DataFrame([found.sample], columns=X.columns)
            np.testing.assert_array_equal(found.ensemble, model.ensemble_.predict_proba(changed)[0])
            assert found.ensemble_label == model.ensemble_.predict(changed)[0]
            assert found.ensemble_agrees == (found.ensemble_label == found.label)
            assert f"The ensemble {'agrees' if found.ensemble_agrees else 'disagrees'}" in str(found)
            assert found.to_dict()["ensemble"]["agrees"] == found.ensemble_agrees
            assert "The ensemble" in found._repr_html_()

    def test_a_frame_may_have_its_columns_in_another_order_and_more_of_them(self, model):
        X, _ = table()
        for row in range(5):
            given = X.iloc[[row]][["owner", "amount", "age"]].assign(note="new")
            assert model.counterfactual(given).to_dict() == model.counterfactual(X.iloc[[row]]).to_dict()

    def test_a_change_with_which_it_agrees_is_preferred_to_a_smaller_one(self, model):
        X, _ = table()
        n_preferred = 0
        for row in range(40):
            found = model.counterfactual(X.iloc[row])
            smallest = model.ruleset_.counterfactual(X.iloc[row], scales=model.feature_scales_)
            assert (len(smallest.changes), smallest.distance) <= (len(found.changes), found.distance)
            if found.n_passed_over:
                n_preferred += 1
                sample = pd.DataFrame([smallest.sample], columns=X.columns)
                assert model.ensemble_.predict(sample)[0] != smallest.label
                assert (found.ensemble_agrees, found.is_smallest) == (True, False)
                assert "A smaller change suffices for the rules, but not for the ensemble." in str(found)
            else:
                assert found.sample == smallest.sample
        assert n_preferred > 0

    def test_if_it_never_agrees_the_smallest_change_is_returned_and_says_so(self, model):
        X, _ = table()
        contrary = attrs.evolve(model.ruleset_, probabilities=model.ruleset_.probabilities[:, ::-1].copy())
        flipped = type(model).__new__(type(model))
        vars(flipped).update(vars(model), ruleset_=contrary)
        told = [flipped.counterfactual(X.iloc[row]) for row in range(30)]
        never = [found for found in told if not found.ensemble_agrees]
        assert never
        for found in never:
            assert found.n_disagreeing >= 1
            assert "The ensemble disagrees" in str(found)

    def test_a_frame_keeps_its_categories(self):
        X, y = table()
        X["job"] = pd.Categorical(np.where(X["age"] % 3 == 0, "cook", "smith"))
        ensemble = lightgbm.LGBMClassifier(n_estimators=5, min_child_samples=5, verbose=-1, random_state=0)
        with rulekit.using_engine("numpy"):
            own = rulekit.build("rcprob", ensemble).fit(X, np.where(X["job"] == "cook", "yes", y))
        n_changed = 0
        for row in range(10):
            found = own.counterfactual(X.iloc[[row]])
            changed = X.iloc[[row]].copy()
            for change in found.changes:
                column = X.columns[change.feature_index]
                dtype = X[column].dtype
                changed[column] = pd.Series([change.after], index=changed.index).astype(dtype)
                n_changed += column == "job"
            np.testing.assert_array_equal(found.ensemble, own.ensemble_.predict_proba(changed)[0])
            assert own.counterfactual(dict(X.iloc[row])).ensemble is None
        assert n_changed > 0

    def test_a_pipeline_is_asked_about_its_transformed_columns(self):
        X, y = table()
        pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(5, max_depth=3, random_state=0))
        with rulekit.using_engine("numpy"):
            own = rulekit.build("rcprob", pipeline, columns="transformed").fit(X, y)
        found = own.counterfactual(X.iloc[[0]])
        assert found.ensemble.tolist() == own.ensemble_[-1].predict_proba([found.sample])[0].tolist()

    def test_a_pipeline_whose_rules_are_about_its_table_is_asked_as_a_whole(self):
        X, y = table()
        pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(5, max_depth=3, random_state=0))
        with rulekit.using_engine("numpy"):
            own = rulekit.build("rcprob", pipeline).fit(X, y)
        found = own.counterfactual(X.iloc[[0]])
        changed = pd.DataFrame([found.sample], columns=X.columns)
        assert found.ensemble.tolist() == own.ensemble_.predict_proba(changed)[0].tolist()

    def test_a_ruleset_alone_has_none(self):
        found = handmade().counterfactual(BOTH)
        assert (found.ensemble, found.ensemble_agrees, found.to_dict()["ensemble"]) == (None, None, None)
        assert "ensemble" not in str(found)


WRONG = {
    "unknown in ranges": ({"ranges": {"Age": (1, 2)}}, r"^ranges names unknown features: 'Age'\. The ruleset has"),
    "unknown in directions": ({"directions": {"Age": "increase"}}, "^directions names unknown features: 'Age'"),
    "unknown in linked": ({"linked": [("Age", "rate")]}, "^linked names unknown features: 'Age'"),
    "upside down": ({"ranges": {"rate": (2, 1)}}, r"^ranges\['rate'\] must be two numbers, the smaller one first"),
    "not two": ({"ranges": {"rate": (2,)}}, r"^ranges\['rate'\] must be two numbers"),
    "not numbers": ({"ranges": {"rate": ("a", "b")}}, r"^ranges\['rate'\] must be two numbers"),
    "no number": ({"ranges": {"rate": (math.nan, 1)}}, r"^ranges\['rate'\] must be two numbers"),
    "no whole number": (
        {"ranges": {"age": (1.2, 1.8)}},
        r"^ranges\['age'\] is \(1\.2, 1\.8\), which contains no",
    ),
    "no label": ({"ranges": {"colour": ["pink"]}}, r"^ranges\['colour'\] must list categories of 'colour', .* 'pink'"),
    "no direction": ({"directions": {"age": "up"}}, r"^directions\['age'\] must be 'increase' or 'decrease', got 'up'"),
    "categories in a direction": ({"directions": {"colour": "increase"}}, r"'colour' holds categories\. Use ranges"),
    "linked to nothing": ({"linked": [("age",)]}, "^linked must be groups of at least two features"),
    "one pair instead of a list": ({"linked": ("age", "tenure")}, "^linked must be groups of at least two features"),
    "linked to itself": ({"linked": [("age", "age")]}, "^linked must be groups of at least two features"),
    "linked twice": ({"linked": [("age", "tenure"), ("age", "rate")]}, "^linked has a feature twice"),
    "linked categories": ({"linked": [("age", "colour")]}, "'colour' holds categories. Link numbers only"),
}


class TestRejected:
    @pytest.fixture
    def ruleset(self):
        listed = [
            ConditionKey(0, True, 1.5, None, False),
            ConditionKey(3, True, 0.0, frozenset({1}), False),
            ConditionKey(2, True, 1.25, None, False),
        ]
        conditions = Conditions.of_keys(listed, NAMES, np.float64, Categories({3: COLOURS}), frozenset())
        return RuleSet(
            conditions=attrs.evolve(conditions, whole_features=frozenset({0})),
            antecedents=((0, 1), (2,), ()),
            probabilities=np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]]),
            counts=np.ones((3, 2), dtype=np.int64),
            classes=np.array(["no", "yes"]),
            n_samples=10,
            inference=DecisionList(),
        )

    @pytest.mark.parametrize("case", WRONG)
    def test_a_constraint_that_contradicts_the_features_or_itself(self, ruleset, case):
        wrong, message = WRONG[case]
        with pytest.raises(InvalidParameterError, match=message):
            ruleset.counterfactual([1.0, 1.0, 1.0, "blue"], **wrong)

    def test_demands_that_nothing_meets_are_repeated(self, ruleset):
        message = (
            r"^No change of the sample leads to class 'yes' with ranges={'age': \(2, None\)}, directions=.*: no "
            r"reachable rule predicts it\. Relax the constraints\.$"
        )
        with pytest.raises(NoCounterfactualError, match=message):
            ruleset.counterfactual(
                [5.0, 1.0, 1.0, "blue"], "yes", ranges={"age": (2, None)}, directions={"rate": "increase"}
            )
