"""Thresholds as they are printed: short, and no training sample changes sides."""

import json
import math

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruleset.handmade import handmade
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.core.columns import ColumnFacts, neighbours
from rulekit.core.conditions import Conditions
from rulekit.core.errors import RuleSetFormatError
from rulekit.ruleset.numbers import fewest_digits, shortest, with_displays

NUMBERS = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))


class TestFewestDigits:
    @pytest.mark.parametrize(
        ("value", "low", "high", "expected"),
        [
            (957.45, 947.0, 967.0, 960.0),
            (16.5, 16.0, 17.0, 16.5),
            (8.125, 8.0, 8.25, 8.1),
            (50.0, 49.0, 51.0, 50.0),
            (0.10360000282, 0.1, 0.11, 0.104),
            (-0.1249, -0.13, -0.12, -0.125),
            (16.999998, 16.0, 17.0, 16.9),  # `x < 17`, as XGBoost writes it
            (1.0000000180025095e-35, 0.0, 1.0, 0.0),  # `x <= 0`, as LightGBM writes it
            (0.0031, -1.0, 1.0, 0.0),
            (400.0, -5.0, 805.0, 400.0),
            (5.0, 5.0, 6.0, 5.0),
            (16.5, 16.0, math.inf, 20.0),
            (2.37, -math.inf, 3.0, 2.0),
            (0.5, -math.inf, math.inf, 0.5),
            (1e300, 9e299, 2e300, 1e300),
            (math.inf, 3.0, math.inf, math.inf),
        ],
    )
    def test_examples(self, value, low, high, expected):
        assert fewest_digits(value, low, high) == expected

    @settings(deadline=None)
    @given(st.tuples(NUMBERS, NUMBERS, NUMBERS).map(sorted).filter(lambda ends: ends[0] < ends[1] < ends[2]))
    def test_it_lies_strictly_between_and_nothing_shorter_does(self, ends):
        low, value, high = ends
        found = fewest_digits(value, low, high)
        assert low < found < high or found == low == pytest.approx(value, rel=1e-6, abs=1e-6 * (high - low))
        decimals = len(shortest(found).partition(".")[2])
        if low < found and decimals > 0:
            unit = 10.0 ** (1 - decimals)
            assert math.floor(high / unit - 1e-9) <= math.floor(low / unit + 1e-9)


def conditions_on(thresholds: list[float], dtype: type = np.float64) -> Conditions:
    return Conditions(
        features=np.zeros(len(thresholds), dtype=np.int64),
        is_upper=np.arange(len(thresholds)) % 2 == 0,
        thresholds=np.array(thresholds, dtype=np.float64),
        feature_names=("x",),
        input_dtype=np.dtype(dtype),
    )


COLUMNS = st.lists(st.floats(-1e4, 1e4) | st.integers(-5, 5).map(float), min_size=1, max_size=12)
THRESHOLDS = st.lists(st.floats(-1e4, 1e4) | st.integers(-5, 5).map(float), min_size=1, max_size=6)


class TestSamples:
    @settings(deadline=None)
    @given(COLUMNS, THRESHOLDS, st.sampled_from([np.float32, np.float64]))
    def test_every_sample_stays_on_its_side(self, column, thresholds, dtype):
        """The rounded thresholds, taken literally, divide the samples as the exact ones do."""
        column = np.array([*column, np.nan])
        exact = conditions_on(thresholds, dtype)
        conditions = with_displays(exact, ColumnFacts.of(column[:, None], exact.cutoffs_by_feature))
        exact = column[:, None] <= conditions.cutoffs
        np.testing.assert_array_equal(exact, column[:, None] <= conditions.displays)

    @settings(deadline=None)
    @given(COLUMNS, THRESHOLDS)
    def test_neighbours_are_those_of_a_loop(self, column, thresholds):
        below, above = neighbours(np.array(thresholds), np.array([*column, np.nan]))
        assert below.tolist() == [max((x for x in column if x <= t), default=-math.inf) for t in thresholds]
        assert above.tolist() == [min((x for x in column if x > t), default=math.inf) for t in thresholds]

    def test_of_an_extracted_ruleset(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = rulekit.build("rcprob", RandomForestClassifier(20, max_depth=4, random_state=0)).fit(X, y)
        conditions = model.ruleset_.conditions
        rounded = attrs.evolve(conditions, thresholds=conditions.displays, input_dtype=np.dtype(np.float64))
        as_shown = attrs.evolve(model.ruleset_, conditions=rounded)
        np.testing.assert_array_equal(model.ruleset_.matches(X), as_shown.matches(X))
        lengths = [(len(shortest(shown)), len(shortest(exact))) for shown, exact in _thresholds(conditions)]
        assert all(shown <= exact for shown, exact in lengths)
        assert sum(shown for shown, _ in lengths) < 0.8 * sum(exact for _, exact in lengths)


def _thresholds(conditions: Conditions) -> list[tuple[float, float]]:
    return list(zip(conditions.displays.tolist(), conditions.thresholds.tolist(), strict=True))


class TestDocument:
    @pytest.fixture
    def rounded(self):
        conditions = attrs.evolve(handmade().conditions, displays=np.array([8.1, np.nan, 20.0]))
        return attrs.evolve(handmade(), conditions=conditions)

    def test_it_is_written_where_it_is_known(self, rounded):
        assert [entry.get("display") for entry in rounded.to_dict()["conditions"]] == [8.1, None, 20.0]

    def test_it_comes_back(self, rounded):
        back = rulekit.RuleSet.from_dict(json.loads(json.dumps(rounded.to_dict(), allow_nan=False)))
        assert (back, str(back)) == (rounded, str(rounded))

    def test_it_decides_nothing(self, rounded):
        assert rounded.predict([[8.11, 10.0]]).tolist() == handmade().predict([[8.11, 10.0]]).tolist() == ["yes"]

    def test_rulesets_that_show_other_thresholds_are_not_equal(self, rounded):
        assert rounded != handmade()

    @pytest.mark.parametrize("value", ["8.1", None, [8.1]])
    def test_anything_but_a_number_is_rejected(self, rounded, value):
        document = rounded.to_dict()
        document["conditions"][0]["display"] = value
        with pytest.raises(RuleSetFormatError, match="damaged"):
            rulekit.RuleSet.from_dict(document)
