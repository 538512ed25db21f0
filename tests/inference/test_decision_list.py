"""The first rule that matches answers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from inference.rulesets import STATED, random_ruleset, two_rules

from rulekit.inference.decision_list import DecisionList


def test_the_first_of_two_matching_rules_answers():
    assert STATED[[0]].tolist() == two_rules(DecisionList()).predict_proba([[3.0]]).tolist()


def test_later_matches_do_not_matter():
    ruleset, _ = random_ruleset(0, DecisionList())
    matches = np.random.default_rng(0).random((8, 200)) < 0.3
    blind = matches.copy()
    for record in range(200):
        if matches[:, record].any():
            blind[matches[:, record].argmax() + 1 :, record] = False
    assert DecisionList().infer(matches, ruleset).tolist() == DecisionList().infer(blind, ruleset).tolist()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_each_record_is_answered_by_the_first_rule_whose_conditions_hold(seed):
    ruleset, sample = random_ruleset(seed, DecisionList())
    expected = []
    for record in range(len(sample.y)):
        first = next(i for i, antecedent in enumerate(ruleset.antecedents) if record in sample.covered(antecedent))
        expected.append(ruleset.probabilities[first].tolist())
    assert expected == ruleset.predict_proba(sample.X).tolist()
