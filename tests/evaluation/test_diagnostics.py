"""What rules state against what held-out samples say."""

import math

import numpy as np
import pandas as pd
import pytest
from evaluation.one_by_one import answering
from inference.rulesets import random_ruleset
from ruleset.handmade import BOTH, FIRST, NONE, SECOND, handmade

from rulekit.evaluation import rule_diagnostics, summarise_diagnostics
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList

COLUMNS = ["class", "probability", "support", "n_covered", "n_fired", "held_out_precision", "gap", "group"]
GROUPS = ["0", "1-9", "10-29", "30-99", ">=100"]
SUMMARY = [
    "n_non_default_rules",
    "predicts_1",
    "predicts_at_least_0.999",
    "predicts_at_least_0.99",
    "never_fired",
    "gap_1-9",
    "gap_10-29",
    "gap_30-99",
    "gap_>=100",
]
# Of the held-out samples that fire a rule: right, fired.
PUBLISHED_HITS = {
    "rc+": [(6, 7), (6, 8), (1, 1), (0, 0), (0, 0), (1, 1)],
    "rcprob": [(6, 7), (8, 10), (0, 0), (1, 1)],
}
PUBLISHED_PROBABILITIES = {"rc+": [1.0] * 6, "rcprob": [0.956, 0.875, 0.939, 0.958]}


class TestByHand:
    # Rule 1 says yes and is right twice of four; rule 2 says no and is right once; the default does not count.
    X = (BOTH, FIRST, FIRST, BOTH, SECOND, NONE)
    y = ("yes", "yes", "no", "no", "no", "yes")

    @pytest.fixture
    def frame(self):
        return rule_diagnostics(handmade(), self.X, self.y)

    def test_there_is_a_row_for_each_rule_but_the_default(self, frame):
        assert (frame.index.tolist(), frame.index.name, list(frame.columns)) == ([1, 2], "rule", COLUMNS)

    def test_what_is_known_from_training_is_what_the_ruleset_says(self, frame):
        known = ["class", "probability", "support", "n_covered"]
        expected = [["yes", 0.9375, 30 / 80, 32], ["no", 0.875, 30 / 80, 40]]
        assert frame[known].to_numpy().tolist() == expected
        assert handmade().to_frame()[known].to_numpy().tolist()[:-1] == expected

    def test_a_sample_counts_for_the_first_rule_that_matches_it(self, frame):
        assert frame["n_fired"].tolist() == [4, 1]

    def test_held_out_precision_is_the_share_of_the_rules_class(self, frame):
        assert frame["held_out_precision"].tolist() == [0.5, 1.0]

    def test_the_gap_is_positive_where_the_rule_claims_too_much(self, frame):
        assert frame["gap"].tolist() == [0.9375 - 0.5, 0.875 - 1.0]

    def test_rules_are_grouped_by_held_out_samples(self, frame):
        assert frame["group"].tolist() == ["1-9", "1-9"]

    def test_a_rule_that_never_fires_has_no_precision_and_no_gap(self):
        frame = rule_diagnostics(handmade(), [FIRST, NONE], ["yes", "yes"])
        assert frame.loc[2, ["n_fired", "group"]].tolist() == [0, "0"]
        assert math.isnan(frame.loc[2, "held_out_precision"])
        assert math.isnan(frame.loc[2, "gap"])

    def test_the_default_rule_alone_gives_an_empty_frame_with_the_same_columns(self, frame, default_only):
        empty = rule_diagnostics(default_only, [BOTH], ["yes"])
        assert (len(empty), list(empty.columns)) == (0, COLUMNS)
        assert empty.drop(columns="class").dtypes.equals(frame.drop(columns="class").dtypes)


@pytest.mark.parametrize(
    ("n_fired", "group"),
    [
        (0, "0"), (1, "1-9"), (9, "1-9"), (10, "10-29"), (29, "10-29"), (30, "30-99"), (99, "30-99"), (100, ">=100"),
        (250, ">=100"),
    ],
)  # fmt: skip
def test_groups_hold_both_their_ends(n_fired, group):
    frame = rule_diagnostics(handmade(), [*[FIRST] * n_fired, NONE], ["yes"] * (n_fired + 1))
    assert frame.loc[1, ["n_fired", "group"]].tolist() == [n_fired, group]


def test_groups_are_ordered():
    group = rule_diagnostics(handmade(), [FIRST], ["yes"])["group"]
    assert group.cat.categories.tolist() == GROUPS
    assert group.cat.ordered


@pytest.mark.parametrize("seed", range(10))
def test_equals_a_slow_loop(seed):
    ruleset, drawn = random_ruleset(seed, DecisionList())
    expected = []
    for position, rule in enumerate(ruleset[:-1]):
        labels = [y for x, y in zip(drawn.X, drawn.y, strict=True) if answering(ruleset, x) == position]
        precision = labels.count(rule.label) / len(labels) if labels else math.nan
        expected.append([len(labels), precision, rule.probability - precision])
    actual = rule_diagnostics(ruleset, drawn.X, drawn.y)[["n_fired", "held_out_precision", "gap"]]
    np.testing.assert_array_equal(actual.to_numpy(), expected)


def test_does_not_depend_on_the_inference_mode():
    (first, drawn), (together, _) = (random_ruleset(0, mode) for mode in (DecisionList(), Aggregate()))
    frames = [rule_diagnostics(each, drawn.X, drawn.y) for each in (first, together)]
    pd.testing.assert_frame_equal(*frames)


@pytest.mark.parametrize("method", PUBLISHED_HITS)
class TestPublishedCase:
    @pytest.fixture
    def frame(self, method, published):
        return rule_diagnostics(*published(method))

    def test_rules_fire_and_are_right_as_published(self, method, frame):
        right = (frame["held_out_precision"] * frame["n_fired"]).fillna(0.0).round().astype(int)
        assert list(zip(right, frame["n_fired"], strict=True)) == PUBLISHED_HITS[method]

    def test_rules_state_what_is_published(self, method, frame):
        assert frame["probability"].round(3).tolist() == PUBLISHED_PROBABILITIES[method]

    def test_the_summary_follows_from_the_published_figures(self, method, frame):
        gaps = {"1-9": [], "10-29": []}
        for predicted, (right, fired) in zip(frame["probability"], PUBLISHED_HITS[method], strict=True):
            if fired:
                gaps["1-9" if fired < 10 else "10-29"].append(predicted - right / fired)
        summary = summarise_diagnostics(frame)
        assert summary["predicts_1"] == {"rc+": 1.0, "rcprob": 0.0}[method]
        assert summary["never_fired"] == {"rc+": 2 / 6, "rcprob": 1 / 4}[method]
        assert summary["gap_1-9"] == pytest.approx(np.mean(gaps["1-9"]))
        assert math.isnan(summary["gap_10-29"]) == (not gaps["10-29"])


class TestInput:
    @pytest.mark.parametrize("n_labels", [1, 3])
    def test_lengths_that_differ_are_named(self, n_labels):
        with pytest.raises(ValueError, match=f"X has 2 samples and y has {n_labels} labels"):
            rule_diagnostics(handmade(), [FIRST, NONE], ["yes"] * n_labels)

    def test_unknown_labels_are_named(self):
        with pytest.raises(ValueError, match=r"The true labels \['maybe'\] are not among the classes of the model"):
            rule_diagnostics(handmade(), [FIRST, NONE], ["yes", "maybe"])

    def test_other_columns_are_rejected(self):
        with pytest.raises(ValueError, match="X has 3 columns, but the rules were extracted from 2"):
            rule_diagnostics(handmade(), np.zeros((2, 3)), ["yes", "no"])

    def test_tables_and_labels_of_other_types_give_the_same(self):
        X, y = pd.DataFrame([FIRST, SECOND], columns=["Time", "age"]), pd.Series([1, 0], index=["a", "b"])
        frame = rule_diagnostics(handmade(labels=(0, 1)), X, y)
        assert frame[["class", "held_out_precision"]].to_numpy().tolist() == [[1, 1.0], [0, 1.0]]


def diagnosed(*rules):
    """A frame with these (probability, n_fired, gap)."""
    return pd.DataFrame(rules, columns=["probability", "n_fired", "gap"])


class TestSummary:
    RULES = (
        (1.0, 0, math.nan),
        (math.nextafter(1.0, 0), 1, 0.5),
        (0.999, 9, -0.25),
        (math.nextafter(0.999, 0), 10, 0.125),
        (0.99, 29, 0.375),
        (0.5, 30, 0.0),
        (0.5, 100, -0.5),
        (1.0, 0, math.nan),
    )

    def test_is_right_by_hand(self):
        expected = [8.0, 2 / 8, 4 / 8, 6 / 8, 2 / 8, 0.125, 0.25, 0.0, -0.5]
        assert summarise_diagnostics(diagnosed(*self.RULES)) == dict(zip(SUMMARY, expected, strict=True))

    @pytest.mark.parametrize("cut", [0, 1, 5, 8])
    def test_every_rule_counts_once_in_whichever_frame_it_is(self, cut):
        parts = [diagnosed(*self.RULES[:cut]), diagnosed(*self.RULES[cut:])]
        assert summarise_diagnostics(parts) == summarise_diagnostics(diagnosed(*self.RULES))

    def test_frames_may_come_from_a_generator(self):
        frames = (diagnosed(rule) for rule in self.RULES)
        assert summarise_diagnostics(frames) == summarise_diagnostics(diagnosed(*self.RULES))

    def test_a_group_without_rules_has_no_gap(self):
        summary = summarise_diagnostics(diagnosed((0.5, 3, 0.25)))
        assert summary["gap_1-9"] == 0.25
        assert all(math.isnan(summary[name]) for name in ["gap_10-29", "gap_30-99", "gap_>=100"])

    def test_frames_without_rules_have_no_shares(self, default_only):
        summary = summarise_diagnostics([rule_diagnostics(default_only, [BOTH], ["yes"])] * 2)
        assert summary.pop("n_non_default_rules") == 0.0
        assert all(math.isnan(value) for value in summary.values())

    def test_a_frame_that_went_through_a_file_gives_the_same(self, tmp_path):
        frame = rule_diagnostics(handmade(), [FIRST, BOTH, NONE], ["yes", "no", "yes"])
        frame.to_csv(tmp_path / "rules.csv")
        again = pd.read_csv(tmp_path / "rules.csv", index_col="rule")
        pd.testing.assert_series_equal(pd.Series(summarise_diagnostics(again)), pd.Series(summarise_diagnostics(frame)))

    def test_methods_stand_side_by_side_as_in_the_published_table(self):
        summary = summarise_diagnostics(diagnosed(*self.RULES))
        table = pd.DataFrame({"RC+": summary, "RCProb": summary})
        assert (table.index.tolist(), list(table.columns)) == (SUMMARY, ["RC+", "RCProb"])

    def test_every_value_is_a_plain_float(self):
        assert {type(value) for value in summarise_diagnostics(diagnosed(*self.RULES)).values()} == {float}

    def test_nothing_to_summarise_is_rejected(self):
        with pytest.raises(ValueError, match="pass at least one data frame returned by rule_diagnostics"):
            summarise_diagnostics([])

    @pytest.mark.parametrize(
        ("frames", "message"),
        [
            (pd.DataFrame({"probability": [1.0]}), r"got a DataFrame without \['n_fired', 'gap'\]"),
            ({"RC+": diagnosed((0.5, 3, 0.25))}, r"got a str without \['probability', 'n_fired', 'gap'\]"),
        ],
    )
    def test_other_frames_are_rejected(self, frames, message):
        with pytest.raises(ValueError, match=message):
            summarise_diagnostics(frames)
