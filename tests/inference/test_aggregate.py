"""All rules that match answer together."""

import attrs
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from inference.rulesets import random_ruleset, two_rules

from rulekit.inference.aggregate import Aggregate


def test_two_matching_rules_answer_with_their_normalised_sum():
    np.testing.assert_allclose(two_rules(Aggregate()).predict_proba([[3.0]]), [[1.1 / 2, 0.9 / 2]], rtol=1e-14)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_each_sample_is_answered_by_the_sum_of_all_rules_whose_conditions_hold(seed):
    ruleset, drawn = random_ruleset(seed, Aggregate())
    expected = []
    for sample in range(len(drawn.y)):
        matching = [i for i, rule in enumerate(ruleset.antecedents[:-1]) if sample in drawn.covered(rule)] or [-1]
        total = sum(ruleset.probabilities[i] for i in matching)
        expected.append(total / sum(total))
    np.testing.assert_allclose(ruleset.predict_proba(drawn.X), expected, rtol=1e-13)


def test_the_order_of_the_rules_does_not_matter():
    ruleset, _ = random_ruleset(0, Aggregate())
    matches = np.random.default_rng(0).random((8, 100)) < 0.4
    predicted = ruleset.probabilities
    reordered = attrs.evolve(ruleset, probabilities=np.vstack([predicted[-2::-1], predicted[-1:]]))
    np.testing.assert_allclose(
        Aggregate().infer(matches, ruleset), Aggregate().infer(matches[::-1], reordered), rtol=1e-13
    )


def test_the_whole_is_added_up_from_left_to_right():
    """NumPy's sum takes another order from eight numbers on, which no exported rules could repeat."""
    ruleset, _ = random_ruleset(0, Aggregate())
    rng = np.random.default_rng(0)
    predicted = rng.dirichlet(np.ones(11), len(ruleset))
    matches = np.eye(len(ruleset) - 1, dtype=bool)
    expected = []
    for row in predicted[:-1].tolist():
        whole = 0.0
        for fraction in row:
            whole += fraction
        expected.append([fraction / whole for fraction in row])
    assert Aggregate().infer(matches, attrs.evolve(ruleset, probabilities=predicted)).tolist() == expected
