"""Intersections of set conditions that become conditions of their own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import set_conditions as slow

from rulekit.core import set_intersections
from rulekit.core.conditions import ConditionKey, Conditions, tidy
from rulekit.core.set_intersections import close_under_intersection, merge_sets
from rulekit.core.validation import Categories

#: Codes of few categories, of more than a word has bits, and beyond what 16 bits can number.
FEW, MANY, HUGE = range(5), range(0, 400, 3), range(65_400, 65_700)


def inside(feature, *codes):
    return ConditionKey(feature, True, 0.0, frozenset(codes), False)


def test_what_two_sets_of_a_feature_have_in_common_is_added():
    assert close_under_intersection([inside(0, 1, 2), inside(0, 2, 3)]) == [inside(0, 2)]


def test_intersections_of_intersections_are_added_too():
    given = [inside(0, 1, 2, 3), inside(0, 2, 3, 4), inside(0, 3, 4, 1)]
    assert set(close_under_intersection(given)) == {inside(0, 2, 3), inside(0, 1, 3), inside(0, 3, 4), inside(0, 3)}


def test_sets_of_different_features_have_nothing_in_common():
    assert close_under_intersection([inside(0, 1, 2), inside(1, 2, 3)]) == []


def test_thresholds_are_left_alone():
    threshold = ConditionKey(0, True, 1.0, None, False)
    assert close_under_intersection([threshold, inside(0, 1), inside(0, 1, 2)]) == []


@pytest.mark.parametrize("most", [0, 1, 3, 5, 1000])
def test_no_more_than_the_most_are_added(most, monkeypatch):
    """Four sets that each lack one of four codes: six pairs, four single codes and nothing are their intersections."""
    monkeypatch.setattr(set_intersections, "MOST_SETS", most)
    given = [inside(0, *({0, 1, 2, 3} - {code})) for code in range(4)]
    added = close_under_intersection(given)
    assert len(added) == len(set(added)) == min(most, 6 + 4 + 1)


def test_sets_stay_two_conditions_where_their_intersection_is_none():
    keys = [inside(0, 1, 2), inside(0, 2, 3)]
    conditions = Conditions.of_keys(keys, ("c",), np.float64, Categories(), frozenset())
    assert merge_sets(np.array([[0, 1]]), conditions).tolist() == [[0, 1]]


def random_keys(rng, codes, n_sets, n_features=2):
    """Sets of some of the codes, some of them nearly all or nearly none, and a threshold of another feature."""
    keys = [ConditionKey(n_features, True, 1.0, None, False)]
    for _ in range(n_sets):
        chosen = frozenset(code for code in codes if rng.random() < rng.choice([0.1, 0.5, 0.9]))
        is_inside, holds_missing = rng.random(2) < [0.5, 0.3]
        keys.append(ConditionKey(int(rng.integers(n_features)), bool(is_inside), 0.0, chosen, bool(holds_missing)))
    return list(dict.fromkeys(keys))


def random_antecedents(rng, n_conditions, n_rules=60, width=6):
    return tidy(rng.integers(0, n_conditions + 1, (n_rules, width)), n_conditions)


@given(seed=st.integers(0, 2**32), codes=st.sampled_from([FEW, MANY, HUGE]), most=st.sampled_from([0, 1, 7, 40, 2000]))
@settings(max_examples=60, deadline=None)
def test_closing_adds_the_intersections_that_pairs_of_frozensets_have_in_their_order(seed, codes, most):
    rng = np.random.default_rng(seed)
    keys = random_keys(rng, codes, int(rng.integers(0, 8)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_intersections, "MOST_SETS", most)
        patch.setattr(set_intersections, "BLOCK_WORDS", int(rng.choice([1, 50, 2**17])))
        assert slow.close_under_intersection(keys, most) == close_under_intersection(keys)


@given(seed=st.integers(0, 2**32), codes=st.sampled_from([FEW, MANY, HUGE]))
@settings(max_examples=100, deadline=None)
def test_merging_equals_intersecting_one_pair_of_frozensets_after_the_other(seed, codes):
    """Some intersections are conditions, others are not, and others again become one with a third set."""
    rng = np.random.default_rng(seed)
    keys = random_keys(rng, codes, int(rng.integers(1, 8)))
    added = slow.close_under_intersection(keys, 2000)
    listed = keys + [key for key in added if rng.random() < rng.choice([0.1, 0.5, 1.0])]
    conditions, _ = Conditions.in_string_order(listed, ["a", "b", "c"], np.float64, None, frozenset({0, 1}))
    antecedents = random_antecedents(rng, len(conditions))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_intersections, "BLOCK_WORDS", int(rng.choice([1, 50, 2**17])))
        assert slow.merge_sets(antecedents, conditions).tolist() == merge_sets(antecedents, conditions).tolist()


def test_three_sets_become_their_intersection_where_no_two_of_them_do():
    keys = [inside(0, 1, 2, 3), inside(0, 2, 3, 4), inside(0, 3, 4, 1), inside(0, 3)]
    conditions = Conditions.of_keys(keys, ("c",), np.float64, Categories(), frozenset())
    assert merge_sets(np.array([[0, 1, 4], [0, 1, 2]]), conditions).tolist() == [[0, 1], [3, 4]]


def test_sets_that_differ_only_in_missing_values_become_the_one_that_keeps_them_out():
    keys = [inside(0, 1, 2), inside(0, 1, 2)._replace(holds_missing=True)]
    conditions = Conditions.of_keys(keys, ("c",), np.float64, Categories(), frozenset({0}))
    assert merge_sets(np.array([[0, 1]]), conditions).tolist() == [[0]]


def test_nothing_is_copied_where_nothing_can_be_merged():
    conditions = Conditions.of_keys([inside(0, 1), inside(1, 1)], ("a", "b"), np.float64, Categories(), frozenset())
    antecedents = np.array([[0, 1]])
    assert merge_sets(antecedents, conditions) is antecedents
