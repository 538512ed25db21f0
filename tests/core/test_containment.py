"""Which antecedents lie inside an earlier one: against every combination of values, and against samples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core import containment
from rulekit.core.conditions import ConditionKey, Conditions, match
from rulekit.core.containment import first_containing, inside_earlier
from rulekit.core.validation import Categories

NUMBER, CATEGORY, WHOLE = 0, 1, 2
#: With a value of every kind that the conditions below tell apart, and some more.
POSSIBLE = {
    NUMBER: [-1e300, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1e300, math.nan],
    CATEGORY: [-1.0, 0.0, 1.0, 2.0, 3.0, math.nan],
    WHOLE: [-1e300, 0.0, 0.5, 1.0, 1.5, 2.0, 1e300],
}
GRID = np.array(list(itertools.product(*POSSIBLE.values())))

limits = st.sampled_from([0.0, 1.0, 1.5, 2.0, math.inf])
on_numbers = st.builds(ConditionKey, st.just(NUMBER), st.booleans(), limits, st.none(), st.booleans())
on_whole = st.builds(ConditionKey, st.just(WHOLE), st.booleans(), limits, st.none(), st.just(False))
codes = st.frozensets(st.integers(0, 2))
on_categories = st.builds(ConditionKey, st.just(CATEGORY), st.booleans(), st.just(0.0), codes, st.booleans())


def of_keys(keys, labels=(), unknown_as_missing=False):
    categories = Categories({CATEGORY: labels} if labels else {}, unknown_as_missing)
    return Conditions.of_keys(keys, ("n", "c", "w"), np.float64, categories, frozenset({NUMBER, CATEGORY}))


@st.composite
def lists(draw, keys):
    """Conditions, and antecedents that consist of them."""
    drawn = draw(st.lists(keys, min_size=1, max_size=8, unique=True))
    antecedents = st.lists(st.integers(0, len(drawn) - 1), max_size=4, unique=True)
    return of_keys(drawn), draw(st.lists(antecedents, max_size=7))


def padded(antecedents, pad):
    """Antecedents of different lengths as an array."""
    width = max(map(len, antecedents), default=0)
    rows = [[*each, *[pad] * (width - len(each))] for each in antecedents]
    return np.array(rows, dtype=int).reshape(len(rows), width)


def one_by_one(matches):
    """The first earlier row that is true wherever a row is, -1 where there is none."""
    return [
        next((earlier for earlier in range(row) if not (matches[row] & ~matches[earlier]).any()), -1)
        for row in range(len(matches))
    ]


@given(lists(st.one_of(on_numbers, on_categories, on_whole)))
def test_containment_is_what_all_combinations_of_values_show(case):
    conditions, antecedents = case
    found = first_containing(padded(antecedents, len(conditions)), conditions)
    assert found.tolist() == one_by_one(match(conditions, antecedents, GRID))


@settings(max_examples=30)
@given(lists(st.one_of(on_numbers, on_categories, on_whole)), st.integers(0, 2**32 - 1))
def test_every_sample_of_a_contained_antecedent_satisfies_the_earlier_one(case, seed):
    conditions, antecedents = case
    random = np.random.default_rng(seed)
    samples = np.column_stack([random.normal(1, 1, 500), random.integers(-1, 5, 500), random.normal(1, 1, 500)])
    samples[random.random(500) < 0.1, NUMBER] = np.nan
    matches = match(conditions, antecedents, samples)
    found = first_containing(padded(antecedents, len(conditions)), conditions)
    for row, earlier in enumerate(found.tolist()):
        if earlier >= 0:
            assert earlier < row
            assert not (matches[row] & ~matches[earlier]).any()


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=1, max_size=8))
def test_a_box_of_one_feature_lies_inside_another_if_its_ends_do(boxes):
    keys = [
        ConditionKey(WHOLE, is_upper, end, None, False)
        for box in boxes
        for is_upper, end in zip((False, True), box, strict=True)
    ]
    antecedents = np.arange(len(keys)).reshape(-1, 2)

    def is_inside(one, other):
        return one[0] >= one[1] or (other[0] <= one[0] and one[1] <= other[1])

    expected = [any(is_inside(box, earlier) for earlier in boxes[:row]) for row, box in enumerate(boxes)]
    assert inside_earlier(antecedents, of_keys(keys)).tolist() == expected


def test_blocks_do_not_change_the_answer(monkeypatch):
    random = np.random.default_rng(0)
    keys = [ConditionKey(NUMBER, bool(upper), float(end), None, False) for upper in (0, 1) for end in range(10)]
    antecedents = random.integers(0, len(keys), (60, 2))
    whole = first_containing(antecedents, of_keys(keys))
    monkeypatch.setattr(containment, "BLOCK", 500)
    assert first_containing(antecedents, of_keys(keys)).tolist() == whole.tolist()
    assert len(set(whole.tolist())) > 3


@pytest.mark.parametrize(("unknown_as_missing", "is_inside"), [(True, True), (False, False)])
def test_all_labels_but_some_are_the_other_labels_only_where_no_other_category_can_occur(unknown_as_missing, is_inside):
    keys = [
        ConditionKey(CATEGORY, True, 0.0, frozenset({1, 2}), False),
        ConditionKey(CATEGORY, False, 0.0, frozenset({0}), False),
    ]
    conditions = of_keys(keys, ("a", "b", "c"), unknown_as_missing)
    assert inside_earlier(np.array([[0], [1]]), conditions).tolist() == [False, is_inside]


def test_rounding_to_single_precision_decides():
    """Two thresholds between the same neighbours of float32 split all samples alike."""
    keys = [ConditionKey(NUMBER, True, threshold, None, False) for threshold in (1.0, 1.0 + 1e-12)]
    conditions = Conditions.of_keys(keys, ("n",), np.float32, Categories(), frozenset())
    assert inside_earlier(np.array([[0], [1]]), conditions).tolist() == [False, True]


def test_there_may_be_no_rule_and_no_condition():
    conditions = of_keys([])
    assert first_containing(np.empty((0, 0), dtype=int), conditions).tolist() == []
    assert first_containing(padded([[], []], 0), conditions).tolist() == [-1, 0]
