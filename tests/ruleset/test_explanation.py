"""Why a record gets its answer."""

from textwrap import dedent

import numpy as np
import pandas as pd
import polars as pl
import pytest
from ruleset.handmade import BOTH, FIRST, NAMES, NONE, SECOND, handmade

from rulekit.inference.aggregate import Aggregate

TEXT = """\
    class yes, probability 0.938
    Rule 1 fired:
      Time <= 8.125   (value 8)
    It covers 32 of 80 training records (precision 0.938) and states yes with 0.938.
    Also matches: rule 2: IF age > 16.5 and Time <= 20 THEN no (p = 0.875, 40 of 80 records)"""
DEFAULT_TEXT = """\
    class no, probability 0.750
    No rule matches; the default (rule 3) answers.
    It covers 8 of 80 training records (precision 0.750) and states no with 0.750."""
FRAME = pd.DataFrame([BOTH, FIRST, SECOND, NONE], columns=list(NAMES))

FORMS = {
    "series": FRAME.iloc[2],
    "series in another order": FRAME.iloc[2][["age", "Time"]],
    "series with more": pd.Series({"id": 7.0, "Time": 9.0, "age": 20.0}),
    "dict": {"age": 20.0, "Time": 9.0},
    "dict with more": {"id": 7.0, "age": 20.0, "Time": 9.0},
    "array": np.array(SECOND),
    "list": SECOND,
    "array of one row": np.array([SECOND]),
    "frame of one row": FRAME.iloc[[2]],
    "frame of one row, another order": FRAME.iloc[[2]][["age", "Time"]],
    "polars frame of one row": pl.DataFrame([SECOND], schema=list(NAMES), orient="row"),
    "polars frame of one row, another order": pl.DataFrame([SECOND[::-1]], schema=list(NAMES[::-1]), orient="row"),
    "row of polars as a dict": pl.DataFrame([SECOND], schema=list(NAMES), orient="row").row(0, named=True),
}


class TestForms:
    @pytest.mark.parametrize("record", FORMS.values(), ids=FORMS)
    def test_a_record_may_be(self, record):
        assert handmade().explain(record).rule == handmade()[1]

    @pytest.mark.parametrize("record", FORMS.values(), ids=FORMS)
    def test_its_values_are_kept_by_name(self, record):
        explanation = handmade().explain(record)
        assert explanation.values == {"Time": 9.0, "age": 20.0}  # noqa: PD011 - not those of pandas


class TestWhatItSays:
    def test_the_rule_that_fired(self):
        assert handmade().explain(BOTH).rule == handmade()[0]

    def test_the_rules_that_match_too(self):
        assert handmade().explain(BOTH).others == (handmade()[1],)

    def test_no_others_where_none_matches(self):
        assert handmade().explain(FIRST).others == ()

    def test_the_default_where_nothing_matches(self):
        assert handmade().explain(NONE).rule.is_default

    def test_the_class(self):
        assert handmade().explain(BOTH).label == "yes"

    @pytest.mark.parametrize(("labels", "expected"), [((0, 1), int), ((False, True), bool), (("no", "yes"), str)])
    def test_the_class_is_a_plain_value_as_in_a_rule(self, labels, expected):
        assert type(handmade(labels=labels).explain(BOTH).label) is expected

    def test_the_probabilities(self):
        assert handmade().explain(BOTH).probabilities.tolist() == [0.0625, 0.9375]

    def test_the_probabilities_are_those_of_the_inference_mode(self):
        ruleset = handmade(inference=Aggregate())
        assert ruleset.explain(BOTH).probabilities.tolist() == ruleset.predict_proba([BOTH])[0].tolist()

    def test_the_class_is_what_is_predicted(self):
        ruleset = handmade(inference=Aggregate())
        assert ruleset.explain(BOTH).label == ruleset.predict([BOTH])[0]

    def test_each_condition_with_its_value(self):
        checks = [(str(condition), value) for condition, value in handmade().explain(SECOND).checks]
        assert checks == [("age > 16.5", 20.0), ("Time <= 20", 9.0)]

    def test_every_condition_that_it_shows_holds(self):
        assert all(condition.holds(value) for condition, value in handmade().explain(SECOND).checks)

    def test_columns_of_one_name_are_not_mixed_up(self):
        """Values were kept by name only, so that a condition showed the value of the other column."""
        checks = handmade(("same", "same")).explain([8.0, 20.0]).checks
        assert [value for _, value in checks] == [8.0]

    def test_its_text(self):
        assert str(handmade().explain(BOTH)) == dedent(TEXT)

    def test_its_text_where_the_default_answers(self):
        assert str(handmade().explain(NONE)) == dedent(DEFAULT_TEXT)


class TestWrongRecords:
    @pytest.mark.parametrize(
        "records",
        [FRAME.iloc[:2], FRAME.iloc[:3], FRAME.to_numpy()[:2], FRAME.to_numpy()[:3], pl.from_pandas(FRAME)[:2]],
        ids=["frame of two", "frame of three", "array of two", "array of three", "polars frame of two"],
    )
    def test_several_rows_are_refused_with_what_to_do(self, records):
        with pytest.raises(ValueError, match=r"^explain takes one record .* Pass one row, such as X\.iloc\[0\]\.$"):
            handmade().explain(records)

    def test_an_empty_frame_is_refused(self):
        with pytest.raises(ValueError, match=r"^explain takes one record"):
            handmade().explain(FRAME.iloc[:0])

    def test_too_few_values_are_refused(self):
        text = r"^explain takes one record with 2 values, got an array of shape \(1,\)\."
        with pytest.raises(ValueError, match=text):
            handmade().explain([8.0])

    def test_a_single_number_is_refused(self):
        with pytest.raises(ValueError, match=r"^explain takes one record with 2 values, got an array of shape \(\)\."):
            handmade().explain(8.0)

    def test_names_that_a_dict_lacks_are_listed(self):
        with pytest.raises(ValueError, match=r"^The record lacks a value for 'age'\.$"):
            handmade().explain({"Time": 8.0, "Age": 20.0})

    def test_names_that_a_series_lacks_are_listed(self):
        """A Series of other columns was read by position, and explained as if it were a record."""
        with pytest.raises(ValueError, match=r"^The record lacks a value for 'age'\.$"):
            handmade().explain(pd.Series({"Time": 8.0, "Age": 20.0}))

    def test_names_that_a_frame_lacks_are_listed(self):
        with pytest.raises(ValueError, match=r"lacks a value for 'age'|Missing: 'age'"):
            handmade().explain(pd.DataFrame({"Time": [8.0], "Age": [20.0]}))

    def test_names_that_a_polars_frame_lacks_are_listed(self):
        with pytest.raises(ValueError, match=r"lacks a value for 'age'|Missing: 'age'"):
            handmade().explain(pl.DataFrame({"Time": [8.0], "Age": [20.0]}))

    def test_a_series_that_numbers_its_values_goes_by_position(self):
        assert handmade().explain(pd.Series(BOTH)).rule == handmade()[0]

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_values_that_are_no_numbers_are_refused(self, value):
        with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
            handmade().explain([value, 1.0])

    def test_text_is_refused(self):
        with pytest.raises(ValueError, match="could not convert string to float: 'old'"):
            handmade().explain({"Time": 8.0, "age": "old"})
