"""How much rules overlap and which of them answer."""

import math

import numpy as np
import pytest
from evaluation.one_by_one import answering, matching
from inference.rulesets import random_ruleset
from ruleset.handmade import BOTH, FIRST, NONE, SECOND, handmade
from sklearn.datasets import load_iris

import rulekit
from rulekit.evaluation import rule_use
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList

NAMES = ["n_non_default_rules", "matches_per_covered", "selected", "matched_never_selected", "covered"]


class TestByHand:
    def test_every_sample_and_rule_has_its_place(self):
        expected = dict(zip(NAMES, [2.0, 4 / 3, 1.0, 0.0, 3 / 4], strict=True))
        assert rule_use(handmade(), [BOTH, FIRST, SECOND, NONE]) == expected

    def test_a_rule_that_always_comes_second_matches_but_is_never_selected(self):
        expected = dict(zip(NAMES, [2.0, 3 / 2, 1 / 2, 1 / 2, 1.0], strict=True))
        assert rule_use(handmade(), [BOTH, FIRST]) == expected

    def test_a_rule_that_matches_nothing_is_neither_selected_nor_matched(self):
        use = rule_use(handmade(), [FIRST, NONE])
        assert (use["selected"], use["matched_never_selected"]) == (1 / 2, 0.0)

    def test_no_covered_sample_has_no_matches_per_covered_sample(self):
        use = rule_use(handmade(), [NONE, NONE])
        assert math.isnan(use.pop("matches_per_covered"))
        assert list(use.values()) == [2.0, 0.0, 0.0, 0.0]

    def test_the_default_rule_alone_has_no_shares_of_rules(self, default_only):
        use = rule_use(default_only, [BOTH])
        assert (use["n_non_default_rules"], use["covered"]) == (0.0, 0.0)
        assert all(math.isnan(use[name]) for name in ["matches_per_covered", "selected", "matched_never_selected"])


def slow_use(ruleset, X):
    """Sets of rules, filled sample by sample."""
    matched, selected, n_matches, n_covered = set(), set(), 0, 0
    for sample in X:
        matches = matching(ruleset, sample)
        matched.update(matches)
        selected.add(answering(ruleset, sample))
        n_matches += len(matches)
        n_covered += bool(matches)
    n_rules = len(ruleset) - 1
    selected.discard(n_rules)
    fractions = [len(selected) / n_rules, len(matched - selected) / n_rules, n_covered / len(X)]
    return dict(zip(NAMES, [float(n_rules), n_matches / n_covered, *fractions], strict=True))


@pytest.mark.parametrize("seed", range(10))
def test_equals_a_slow_loop(seed):
    ruleset, drawn = random_ruleset(seed, DecisionList())
    assert rule_use(ruleset, drawn.X) == slow_use(ruleset, drawn.X)


def test_does_not_depend_on_the_inference_mode():
    (first, drawn), (together, _) = (random_ruleset(0, mode) for mode in (DecisionList(), Aggregate()))
    assert rule_use(first, drawn.X) == rule_use(together, drawn.X)


def test_leaves_of_one_tree_do_not_overlap():
    X, y = load_iris(return_X_y=True)
    use = rule_use(rulekit.build("tree", random_state=0).fit(X, y).ruleset_, X)
    assert (use["matches_per_covered"], use["matched_never_selected"]) == (1.0, 0.0)


@pytest.mark.parametrize(("method", "selected"), [("rc+", 4 / 6), ("rcprob", 3 / 4)])
def test_the_published_case_selects_the_published_rules(published, method, selected):
    ruleset, X, _ = published(method)
    assert rule_use(ruleset, X)["selected"] == selected
    assert rule_use(ruleset, X) == slow_use(ruleset, X.to_numpy())


def test_other_columns_are_rejected():
    with pytest.raises(ValueError, match="X has 3 columns, but the rules were extracted from 2"):
        rule_use(handmade(), np.zeros((4, 3)))


def test_every_value_is_a_plain_float():
    assert {type(value) for value in rule_use(handmade(), [BOTH, NONE]).values()} == {float}
