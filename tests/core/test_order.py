"""The order of rules against sorting tuples."""

import numpy as np
import pytest
from core.training_sets import antecedents_from, spec_order
from hypothesis import given
from hypothesis import strategies as st

from rulekit.core.statistics import RULE_ORDERS, merits, string_order

PAD = 70_000
antecedents = st.lists(st.frozensets(st.one_of(st.integers(0, 5), st.integers(0, PAD - 1)), max_size=4), max_size=20)


@st.composite
def counted_rules(draw):
    """Antecedents with (own, covered) drawn from few values, so that there are many ties."""
    sets = draw(antecedents)
    own = [draw(st.integers(1, 3)) for _ in sets]
    covered = [hit + draw(st.integers(0, 3)) for hit in own]
    return sets, own, covered


def as_counts(own, covered):
    """Class 0 is every rule's own."""
    return np.array([[a, b - a] for a, b in zip(own, covered, strict=True)], dtype=np.int64).reshape(-1, 2)


@given(counted_rules(), st.sampled_from(RULE_ORDERS))
def test_merits_and_string_order_sort_as_the_tuples_of_the_specification_do(rules, first):
    sets, own, covered = rules
    expected = sorted(range(len(sets)), key=lambda i: spec_order(own[i], covered[i], sets[i], first))
    by_string = string_order(antecedents_from(sets, PAD), PAD)
    primary, secondary = merits(as_counts(own, covered), np.zeros(len(sets), dtype=np.int64), first)
    assert expected == by_string[np.lexsort((-secondary[by_string], -primary[by_string]))].tolist()


@given(antecedents)
def test_string_order_is_by_length_then_by_ranks(sets):
    expected = sorted(range(len(sets)), key=lambda i: (-len(sets[i]), sorted(sets[i])))
    assert expected == string_order(antecedents_from(sets, PAD), PAD).tolist()


def test_rules_with_the_same_antecedent_keep_their_places():
    assert string_order(np.array([[5, PAD], [3, 5], [5, PAD], [5, PAD]]), PAD).tolist() == [1, 0, 2, 3]


def test_ranks_are_compared_as_numbers_not_byte_by_byte():
    ids = [0, 1, 255, 256, 257, 65_535, 65_536, 69_999]
    rows = np.array(ids[::-1])[:, None]
    assert list(range(len(ids)))[::-1] == string_order(rows, PAD).tolist()


def test_antecedents_without_any_condition_keep_their_places():
    assert string_order(np.empty((3, 0), dtype=np.int64), PAD).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("first", "expected"),
    [("support", [2, 1, 0]), ("coverage", [2, 0, 1]), ("precision", [1, 2, 0])],
)
def test_each_order_looks_at_its_statistic_first(first, expected):
    own, covered = [2, 3, 9], [6, 3, 12]
    primary, secondary = merits(as_counts(own, covered), np.zeros(3, dtype=np.int64), first)
    assert expected == np.lexsort((-secondary, -primary)).tolist()
