"""The first rule that matches answers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from inference.rulesets import PREDICTED, random_ruleset, two_rules

from rulekit.inference.decision_list import DecisionList


def test_the_first_of_two_matching_rules_answers():
    assert PREDICTED[[0]].tolist() == two_rules(DecisionList()).predict_proba([[3.0]]).tolist()


def test_later_matches_do_not_matter():
    ruleset, _ = random_ruleset(0, DecisionList())
    matches = np.random.default_rng(0).random((8, 200)) < 0.3
    blind = matches.copy()
    for sample in range(200):
        if matches[:, sample].any():
            blind[matches[:, sample].argmax() + 1 :, sample] = False
    assert DecisionList().infer(matches, ruleset).tolist() == DecisionList().infer(blind, ruleset).tolist()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_each_sample_is_answered_by_the_first_rule_whose_conditions_hold(seed):
    ruleset, drawn = random_ruleset(seed, DecisionList())
    expected = []
    for sample in range(len(drawn.y)):
        first = next(i for i, antecedent in enumerate(ruleset.antecedents) if sample in drawn.covered(antecedent))
        expected.append(ruleset.probabilities[first].tolist())
    assert expected == ruleset.predict_proba(drawn.X).tolist()
