"""Why a sample gets its prediction."""

import json

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pytest
from ruleset.handmade import BOTH, COUNTS, FIRST, NAMES, NONE, SECOND, handmade
from ruleset.test_table import HOSTILE, Tags

from rulekit.core.interfaces import InferenceMode
from rulekit.inference.aggregate import Aggregate

SENTENCES = """\
Predicted class: yes (probability 0.938)
Rule 1 answers, because it is the first rule whose conditions all hold:
  Time <= 8.125   (value 8, holds by 0.125)
It predicts yes with probability 0.938.
It covers 32 of 80 training samples, 30 of them of class yes (precision 0.938, 95 % interval 0.814 to 0.987).
Rule 2 also matches, but disagrees: IF age > 16.5 and Time <= 20 THEN no (p = 0.875, covers 40 of 80 samples)"""
SECOND_SENTENCES = """\
Predicted class: no (probability 0.875)
Rule 2 answers, because it is the first rule whose conditions all hold:
  age > 16.5   (value 20, holds by 3.5)
  Time <= 20   (value 9, holds by 11)
It predicts no with probability 0.875.
It covers 40 of 80 training samples, 30 of them of class no (precision 0.750, 95 % interval 0.602 to 0.864).
Rule 1 does not match: it requires Time <= 8.125 (value 9, fails by 0.875)."""
DEFAULT_SENTENCES = """\
Predicted class: no (probability 0.750)
No rule matches, so the default rule (rule 3) answers.
It predicts no with probability 0.750.
It rests on 8 of 80 training samples, 6 of them of class no (precision 0.750, 95 % interval 0.408 to 0.944).
Rule 1 does not match: it requires Time <= 8.125 (value 9, fails by 0.875).
Rule 2 does not match: it requires age > 16.5 (value 10, fails by 6.5)."""
TOGETHER_SENTENCES = """\
Predicted class: yes (probability 0.531)
2 rules answer together (inference mode Aggregate):
Rule 1 predicts yes with probability 0.938; without it, the probability of yes would be 0.125:
  Time <= 8.125   (value 8, holds by 0.125)
Rule 2 predicts no with probability 0.875; without it, the probability of yes would be 0.938:
  age > 16.5   (value 20, holds by 3.5)
  Time <= 20   (value 8, holds by 12)"""
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
    @pytest.mark.parametrize("sample", FORMS.values(), ids=FORMS)
    def test_a_sample_may_be(self, sample):
        assert handmade().explain(sample).rule == handmade()[1]

    @pytest.mark.parametrize("sample", FORMS.values(), ids=FORMS)
    def test_its_values_are_kept_by_name(self, sample):
        explanation = handmade().explain(sample)
        assert explanation.values == {"Time": 9.0, "age": 20.0}  # noqa: PD011 - not those of pandas


class TestContent:
    def test_the_rule_that_answers(self):
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
        """Values were kept by name only, and a condition showed the value of the other column."""
        checks = handmade(("same", "same")).explain([8.0, 20.0]).checks
        assert [value for _, value in checks] == [8.0]

    def test_its_sentences(self):
        assert str(handmade().explain(BOTH)) == SENTENCES

    def test_its_sentences_where_rules_were_tried_before(self):
        assert str(handmade().explain(SECOND)) == SECOND_SENTENCES

    def test_its_sentences_where_rules_answer_together(self):
        assert str(handmade(inference=Aggregate()).explain(BOTH)) == TOGETHER_SENTENCES

    def test_its_sentences_where_the_default_answers(self):
        assert str(handmade().explain(NONE)) == DEFAULT_SENTENCES

    @staticmethod
    def of_rules(*rows: int):
        """A ruleset of rules with one condition each, 0 for `Time <= 8.125` and 1 for `age > 16.5`, and a default."""
        of_rule = [*rows, 2]
        ruleset = handmade()
        return attrs.evolve(
            ruleset,
            antecedents=(*((row,) for row in rows), ()),
            probabilities=ruleset.probabilities[of_rule],
            counts=ruleset.counts[of_rule],
        )

    @pytest.mark.parametrize(
        ("n_before", "first"), [(5, "Rule 1 does not match: it"), (6, "Rule 1 does"), (9, "Rules 1 to 4 do")]
    )
    def test_of_many_rules_before_the_nearest_are_listed(self, n_before, first):
        lines = str(self.of_rules(*[1] * n_before, 0).explain(FIRST)).splitlines()[5:]
        assert lines[0].startswith(first)
        listed = [f"Rule {rule} does not match: it requires age" for rule in range(n_before - 4, n_before + 1)]
        assert [line.partition(" >")[0] for line in lines[-5:]] == listed

    @pytest.mark.parametrize(
        ("others", "last"),
        [
            ([0], "1 more rule matches, and agrees."),
            ([1], "1 more rule matches, but disagrees."),
            ([1, 0], "2 more rules match; 1 of them agrees."),
            ([1, 1, 1], "3 more rules match; 0 of them agree."),
        ],
    )
    def test_of_many_other_rules_the_first_are_listed(self, others, last):
        lines = str(self.of_rules(0, *[0] * 5, *others).explain(BOTH)).splitlines()
        assert [line.partition(":")[0] for line in lines[-6:-1]] == [
            f"Rule {rule} also matches, and agrees" for rule in range(2, 7)
        ]
        assert lines[-1] == last


class LastMatch(InferenceMode):
    """The last rule that matches answers, or the default rule where `default_wins`."""

    def __init__(self, default_wins=False):
        self.default_wins = default_wins

    def infer(self, matches, ruleset):
        return ruleset.probabilities[self.answering(matches, None, ruleset).argmax(axis=0)]

    def answering(self, matches, X, ruleset):
        positions = np.where(matches, np.arange(len(matches))[:, None], -1).max(axis=0, initial=-1)
        if self.default_wins:
            positions[:] = -1
        return np.arange(len(matches) + 1)[:, None] == np.where(positions < 0, len(matches), positions)


LAST_SENTENCES = """\
Predicted class: no (probability 0.875)
1 rule answers (inference mode LastMatch):
Rule 2 predicts no with probability 0.875; without it, the probability of no would be 0.062:
  age > 16.5   (value 20, holds by 3.5)
  Time <= 20   (value 8, holds by 12)
Rule 1 also matches, but disagrees: IF Time <= 8.125 THEN yes (p = 0.938, covers 32 of 80 samples)"""
DEFAULT_WINS_SENTENCES = """\
Predicted class: no (probability 0.750)
The default rule (rule 3) answers, although other rules match (inference mode LastMatch).
It predicts no with probability 0.750.
It rests on 8 of 80 training samples, 6 of them of class no (precision 0.750, 95 % interval 0.408 to 0.944).
Rule 1 also matches, but disagrees: IF Time <= 8.125 THEN yes (p = 0.938, covers 32 of 80 samples)"""


class TestAModeThatChoosesAmongMatchingRules:
    """Explanations took every matching rule for an answering one unless the mode was a decision list."""

    def test_is_explained_by_the_rule_that_it_names(self):
        explanation = handmade(inference=LastMatch()).explain(BOTH)
        assert str(explanation) == LAST_SENTENCES
        assert (explanation.rule.position, explanation.together, explanation.tried) == (2, (), ())
        assert [other.position for other in explanation.others] == [1]

    def test_may_name_the_default_rule(self):
        assert str(handmade(inference=LastMatch(True)).explain(FIRST)) == DEFAULT_WINS_SENTENCES

    def test_has_the_rule_that_answers_in_tables(self):
        explanations = handmade(inference=LastMatch()).explain(FRAME)
        assert explanations.to_frame()["rule"].tolist() == [2, 1, 2, 3]
        assert str(explanations).startswith("4 samples, answered by LastMatch; the rule is the first of those that ans")

    def test_has_the_rule_that_answers_after_a_change(self):
        assert handmade(inference=LastMatch()).counterfactual(NONE, "yes").rule.position == 1

    def test_as_html_shows_the_conditions_of_that_rule(self):
        words = Tags(handmade(inference=LastMatch()).explain(BOTH)._repr_html_()).text
        assert "age > 16.5" in words


class FirstOfMine(InferenceMode):
    """The first rule that matches answers, as the mode declares."""

    combination = "first"

    def infer(self, matches, ruleset):
        padded = np.vstack([matches, np.ones(matches.shape[1], dtype=bool)])
        return ruleset.probabilities[padded.argmax(axis=0)]


@pytest.mark.parametrize("sample", [BOTH, FIRST, SECOND, NONE], ids=["both", "first", "second", "none"])
def test_a_mode_that_declares_the_first_match_is_explained_like_a_decision_list(sample):
    own, known = handmade(inference=FirstOfMine()), handmade()
    assert str(own.explain(sample)) == str(known.explain(sample))
    assert str(own.counterfactual(sample)) == str(known.counterfactual(sample))


class TestAsData:
    def test_it_is_plain(self):
        document = handmade().explain(SECOND).to_dict()
        assert json.loads(json.dumps(document, allow_nan=False)) == document

    def test_the_margin_is_exact(self):
        assert [check["margin"] for check in handmade().explain(SECOND).to_dict()["checks"]] == [3.5, 11.0]

    def test_the_rules_tried_before(self):
        assert handmade().explain(SECOND).to_dict()["tried"] == [
            {
                "rule": 1,
                "failed": {
                    "feature": "Time",
                    "condition": "Time <= 8.125",
                    "value": 9.0,
                    "holds": False,
                    "margin": -0.875,
                },
            }
        ]

    def test_whether_the_others_agree(self):
        assert [other["agrees"] for other in handmade().explain(BOTH).to_dict()["others"]] == [False]

    def test_what_would_be_without_a_rule(self):
        assert handmade(inference=Aggregate()).explain(BOTH).to_dict()["without"] == {"1": 0.125, "2": 0.9375}

    def test_without_a_rule_the_answer_is_that_of_the_others(self):
        ruleset = handmade(inference=Aggregate())
        for position, without in enumerate(ruleset.explain(BOTH).without):
            kept = [rule for rule in range(3) if rule != position]
            rest = attrs.evolve(
                ruleset,
                antecedents=tuple(ruleset.antecedents[rule] for rule in kept),
                probabilities=ruleset.probabilities[kept],
                counts=ruleset.counts[kept],
            )
            assert rest.predict_proba([BOTH])[0, 1] == without


class TestAnsweredSamples:
    """The interval beside a predicted probability is that of what the probability is about."""

    def sentences(self, ruleset, sample):
        lines = str(ruleset.explain(sample)).splitlines()
        predicts = next(position for position, line in enumerate(lines) if line.startswith("It predicts"))
        return [line for line in lines[predicts:] if line.startswith(("It ", "Earlier"))]

    def test_a_rule_with_earlier_ones_has_the_precision_of_what_it_answers_and_then_that_of_its_region(self):
        overlapping = attrs.evolve(handmade(answered=COUNTS), counts=np.array([[2, 30], [30, 20], [6, 2]]))
        assert self.sentences(overlapping, SECOND) == [
            "It predicts no with probability 0.875.",
            "It answers 40 of 80 training samples, 30 of them of class no "
            "(precision 0.750, 95 % interval 0.602 to 0.864).",
            "It covers 50 of them, 30 of class no (precision 0.600), but earlier rules answer 10 of these.",
        ]

    def test_a_rule_that_answers_all_that_it_covers_says_so(self):
        assert self.sentences(handmade(answered=COUNTS), BOTH)[1:] == [
            "It answers 32 of 80 training samples, 30 of them of class yes "
            "(precision 0.938, 95 % interval 0.814 to 0.987).",
            "It covers no other training sample.",
        ]

    def test_the_default_rule_has_no_region(self):
        assert self.sentences(handmade(answered=COUNTS), NONE)[1:] == [
            "It answers 8 of 80 training samples, 6 of them of class no "
            "(precision 0.750, 95 % interval 0.408 to 0.944).",
        ]

    def test_a_rule_that_answered_nothing_has_no_interval(self):
        ruleset = handmade(answered=[[32, 0], [0, 0], [30, 18]])
        assert self.sentences(ruleset, SECOND)[1:] == [
            "It answers none of the training samples, so they do not tell how precise its answers are.",
            "It covers 40 of them, 30 of class no (precision 0.750), but earlier rules answer 40 of these.",
        ]

    def test_neither_has_a_default_rule_that_answered_nothing(self):
        ruleset = handmade(answered=[[32, 8], [20, 20], [0, 0]])
        assert self.sentences(ruleset, NONE)[1:] == [
            "It answers none of the training samples, so they do not tell how precise its answers are.",
            "Earlier rules answer all of them.",
        ]

    def test_other_rules_that_match_are_shown_with_both_counts(self):
        assert "(p = 0.875, answers 40 and covers 40 of 80 samples)" in str(handmade(answered=COUNTS).explain(BOTH))

    def test_no_sentence_has_both_a_predicted_probability_and_an_interval(self):
        for ruleset in (handmade(), handmade(answered=COUNTS), handmade(inference=Aggregate(), answered=COUNTS)):
            lines = [line for each in ruleset.explain([BOTH, FIRST, SECOND, NONE]) for line in str(each).splitlines()]
            assert not any("interval" in line and "probability" in line for line in lines)

    def test_where_rules_answer_together_the_covered_samples_are_shown(self):
        aggregated = handmade(inference=Aggregate(), answered=COUNTS)
        assert str(aggregated.explain(NONE)) == str(handmade(inference=Aggregate()).explain(NONE))

    def test_as_data(self):
        assert handmade(answered=COUNTS).explain(BOTH).to_dict()["rule"]["answered"] == {
            "precision": 30 / 32,
            "interval": [pytest.approx(0.814, abs=5e-4), pytest.approx(0.987, abs=5e-4)],
            "n_answered": 32,
            "n_right": 30,
            "counts": [2, 30],
            "inside": None,
        }
        assert handmade().explain(BOTH).to_dict()["rule"]["answered"] is None


class TestHtml:
    @pytest.mark.parametrize("name", HOSTILE)
    @pytest.mark.parametrize("sample", [BOTH, SECOND, NONE], ids=["both", "second", "none"])
    @pytest.mark.parametrize("inference", [None, Aggregate()], ids=["list", "aggregate"])
    def test_a_hostile_name_adds_no_tag(self, name, sample, inference):
        hostile = Tags(handmade((name, "age"), ("no", name), inference).explain(sample)._repr_html_())
        assert hostile.tags == Tags(handmade(inference=inference).explain(sample)._repr_html_()).tags

    @pytest.mark.parametrize("inference", [None, Aggregate()], ids=["list", "aggregate"])
    def test_it_says_what_the_sentences_say(self, inference):
        explanation = handmade(inference=inference).explain(BOTH)
        sentences = f"{explanation}\n".replace("(value", "value").replace(")\n", "\n")
        words = Tags(explanation._repr_html_()).text
        assert all(word.strip() in words for line in sentences.splitlines() for word in line.split("   ") if word)


class TestWrongSamples:
    @pytest.mark.parametrize(
        ("samples", "shape"),
        [
            (FRAME.iloc[:0], r"\(0, 2\)"),
            (np.zeros((2, 3)), r"\(2, 3\)"),
            (np.zeros((2, 2, 2)), r"\(2, 2, 2\)"),
            ([8.0], r"\(1,\)"),
            (8.0, r"\(\)"),
        ],
    )
    def test_another_shape_is_rejected_with_what_to_do(self, samples, shape):
        message = (
            rf"^Expected one or more samples with 2 features, got shape {shape}\. Pass one row, such as X\.iloc\[0\]"
        )
        with pytest.raises(ValueError, match=message):
            handmade().explain(samples)

    def test_names_that_a_dict_lacks_are_listed(self):
        with pytest.raises(
            ValueError, match=r"^The sample has no value for 'age'\. Pass a value for every feature that"
        ):
            handmade().explain({"Time": 8.0, "Age": 20.0})

    def test_names_that_a_series_lacks_are_listed(self):
        """A Series of other columns was read by position, and explained as if it were a sample."""
        with pytest.raises(
            ValueError, match=r"^The sample has no value for 'age'\. Pass a value for every feature that"
        ):
            handmade().explain(pd.Series({"Time": 8.0, "Age": 20.0}))

    def test_names_that_a_frame_lacks_are_listed(self):
        with pytest.raises(ValueError, match=r"has no value for 'age'|Missing: 'age'"):
            handmade().explain(pd.DataFrame({"Time": [8.0], "Age": [20.0]}))

    def test_names_that_a_polars_frame_lacks_are_listed(self):
        with pytest.raises(ValueError, match=r"has no value for 'age'|Missing: 'age'"):
            handmade().explain(pl.DataFrame({"Time": [8.0], "Age": [20.0]}))

    def test_a_series_that_numbers_its_values_goes_by_position(self):
        assert handmade().explain(pd.Series(BOTH)).rule == handmade()[0]

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_values_that_are_not_finite_are_rejected(self, value):
        with pytest.raises(ValueError, match=r"missing values in 'Time'|contains infinity"):
            handmade().explain([value, 1.0])

    def test_strings_are_rejected(self):
        with pytest.raises(ValueError, match="could not convert string to float: 'old'"):
            handmade().explain({"Time": 8.0, "age": "old"})
