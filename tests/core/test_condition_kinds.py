"""Thresholds, sets and missing values: every fast answer equals a slow one, value by value."""

import math

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core import index as index_module
from rulekit.core.conditions import ConditionKey, Conditions, drop_redundant, match
from rulekit.core.index import TrainingIndex
from rulekit.core.set_intersections import close_under_intersection, merge_sets
from rulekit.core.validation import Categories, categorical_columns

pytestmark = pytest.mark.usefixtures("engine")

NUMBER, CATEGORY = 0, 1


def holds(key: ConditionKey, value: float) -> bool:
    if math.isnan(value):
        return key.holds_missing
    inside = value <= key.threshold if key.codes is None else value in key.codes
    return inside == key.is_upper


codes = st.frozensets(st.integers(0, 4), min_size=1)
thresholds = st.builds(
    ConditionKey, st.just(NUMBER), st.booleans(), st.integers(0, 5).map(float), st.none(), st.booleans()
)
sets = st.builds(ConditionKey, st.just(CATEGORY), st.booleans(), st.just(0.0), codes, st.booleans())
values = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, math.nan])
categories = st.sampled_from([-1.0, 0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 7.0, math.nan])
samples = st.lists(st.tuples(values, categories, st.integers(0, 1)), min_size=2, max_size=150)
keys = st.lists(st.one_of(thresholds, sets), min_size=1, max_size=8, unique=True)


def table(keys: list[ConditionKey]) -> tuple[Conditions, np.ndarray]:
    everything = keys + close_under_intersection(keys)
    return Conditions.in_string_order(everything, ["n", "c"], np.float64, None, frozenset({NUMBER, CATEGORY}))


def indexed(
    keys: list[ConditionKey], samples: list[tuple[float, float, int]]
) -> tuple[TrainingIndex, np.ndarray, np.ndarray]:
    """The index of samples for these conditions and their intersections, with the samples and their classes."""
    X, y = np.array([row[:2] for row in samples]), np.array([row[2] for row in samples])
    return TrainingIndex(X, y, table(keys)[0], 2), X, y


def slowly(conditions: Conditions, X: np.ndarray) -> list[list[bool]]:
    """Whether each sample satisfies each condition."""
    keys = [conditions.key(condition) for condition in range(len(conditions))]
    return [[holds(key, sample[key.feature]) for sample in X.tolist()] for key in keys]


@given(keys, samples)
@settings(max_examples=50, deadline=None)
def test_the_index_finds_the_samples_for_which_a_condition_holds(keys, samples):
    index, X, _ = indexed(keys, samples)
    assert slowly(index.conditions, X) == index.samples(index.bits(np.arange(len(index.conditions)))).tolist()


@given(keys, samples)
@settings(max_examples=50, deadline=None)
def test_the_index_counts_them_by_class(keys, samples):
    index, X, y = indexed(keys, samples)
    expected = [[int(np.sum(np.array(row)[y == label])) for label in (0, 1)] for row in slowly(index.conditions, X)]
    assert expected == index.condition_counts[:-1].tolist()


@given(st.lists(sets, min_size=1, max_size=8, unique=True), samples)
@settings(max_examples=30, deadline=None)
def test_sets_of_many_values_are_looked_up_sample_by_sample_to_the_same_effect(keys, samples):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "FEW_VALUES", 0)
        patch.setattr(index_module, "VALUES_AT_ONCE", 1)
        index, X, _ = indexed(keys, samples)
        assert slowly(index.conditions, X) == index.samples(index.bits(np.arange(index.pad))).tolist()
        assert index.condition_counts.tolist() == index.count(index.bits(np.arange(index.pad + 1))).tolist()


@given(keys, samples)
@settings(max_examples=50, deadline=None)
def test_no_bit_is_set_that_stands_for_no_sample(keys, samples):
    """Where a class has no sample, the code is that of a missing value, for which some conditions hold."""
    index, *_ = indexed(keys, samples)
    assert index.condition_counts.tolist() == index.count(index.bits(np.arange(len(index.conditions) + 1))).tolist()


@given(keys, samples)
@settings(max_examples=40, deadline=None)
def test_matching_agrees_with_the_index(keys, samples):
    index, X, _ = indexed(keys, samples)
    every = index.samples(index.bits(np.arange(len(index.conditions))))
    assert every.tolist() == match(index.conditions, [[c] for c in range(len(index.conditions))], X).tolist()


@pytest.mark.parametrize("code", [2**16 - 3, 2**16 - 2, 2**16 - 1, 2**16, 2**16 + 1, 2**17 - 2, 2**17])
def test_more_categories_than_16_bits_can_number_are_told_apart(code):
    """Also from those that are as many as 16 bits can number below and above, and from unknown ones."""
    keys = [ConditionKey(CATEGORY, is_upper, 0.0, frozenset({code}), False) for is_upper in (True, False)]
    known = [0, 1, 2, code - 2**16, code - 1, code, code + 1, code + 2**16]
    index, X, _ = indexed(keys, [(0.0, float(value), 0) for value in known if value >= 0])
    assert slowly(index.conditions, X) == index.samples(index.bits(np.arange(index.pad))).tolist()


@given(st.lists(sets, min_size=2, max_size=4, unique=True), samples)
@settings(max_examples=40, deadline=None)
def test_merged_sets_are_one_condition_that_covers_the_same_samples(keys, samples):
    conditions, ids = table(keys)
    X, y = np.array([row[:2] for row in samples]), np.array([row[2] for row in samples])
    index = TrainingIndex(X, y, conditions, 2)
    antecedent = np.sort(ids[: len(keys)])[None]
    merged = merge_sets(antecedent, conditions)
    assert merged.shape == (1, 1)
    assert index.cover(antecedent).tolist() == index.cover(merged).tolist()


@given(keys, samples)
@settings(max_examples=50, deadline=None)
def test_dropping_what_is_redundant_keeps_the_samples(keys, samples):
    conditions, ids = table(keys)
    X, y = np.array([row[:2] for row in samples]), np.array([row[2] for row in samples])
    index = TrainingIndex(X, y, conditions, 2)
    antecedent = np.sort(ids[: len(keys)])[None]
    assert index.cover(antecedent).tolist() == index.cover(drop_redundant(antecedent, conditions)).tolist()


@given(keys, st.randoms(use_true_random=False))
def test_taking_some_conditions_keeps_everything_that_is_known_of_them(keys, random):
    conditions, _ = table(keys)
    conditions = attrs.evolve(conditions, displays=np.arange(len(conditions)) / 8)
    ids = random.sample(range(len(conditions)), random.randint(0, len(conditions)))
    some = conditions.take(np.array(ids, dtype=np.int64))
    assert [conditions.key(condition) for condition in ids] == [some.key(position) for position in range(len(some))]
    assert some.displays.tolist() == [condition / 8 for condition in ids]
    kept = ("feature_names", "input_dtype", "categories", "missing_features")
    assert [getattr(conditions, name) for name in kept] == [getattr(some, name) for name in kept]


@pytest.mark.parametrize("lets_missing_in", [True, False])
@given(values=st.sets(st.integers(0, 9), min_size=1), is_upper=st.booleans())
def test_of_limits_that_treat_missing_values_alike_the_tightest_stays(lets_missing_in, values, is_upper):
    limits = [ConditionKey(NUMBER, is_upper, float(value), None, lets_missing_in) for value in sorted(values)]
    conditions, ids = table(limits)
    (left,) = drop_redundant(np.sort(ids)[None], conditions).tolist()
    assert [conditions.key(condition) for condition in left] == [limits[0 if is_upper else -1]]


def test_a_looser_limit_stays_if_only_it_keeps_missing_values_out():
    tight_or_missing = ConditionKey(NUMBER, True, 1.0, None, True)
    loose = ConditionKey(NUMBER, True, 2.0, None, False)
    conditions, ids = table([tight_or_missing, loose])
    assert drop_redundant(np.sort(ids)[None], conditions).shape == (1, 2)


def test_of_two_equal_limits_the_one_that_keeps_missing_values_out_stays():
    either, known = ConditionKey(NUMBER, True, 1.0, None, True), ConditionKey(NUMBER, True, 1.0, None, False)
    conditions, ids = table([either, known])
    assert drop_redundant(np.sort(ids)[None], conditions).tolist() == [[ids[1]]]


def test_of_two_sets_neither_is_redundant_even_if_only_one_lets_missing_values_in():
    either, known = (
        ConditionKey(CATEGORY, True, 0.0, frozenset(codes), lets_in)
        for codes, lets_in in (({1, 2}, True), ({2}, False))
    )
    conditions, ids = table([either, known])
    both = np.sort(ids[:2])[None]
    assert drop_redundant(both, conditions).tolist() == both.tolist()


class TestCategories:
    LABELS = Categories({1: ("red", "green")})

    def test_labels_become_codes(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"n": [1.5, 2.5], "c": pd.Categorical(["green", "red"])})
        assert self.LABELS.encode(frame).tolist() == [[1.5, 1.0], [2.5, 0.0]]

    def test_a_label_that_is_not_listed_is_unknown(self):
        assert self.LABELS.encode(np.array([[1.5, "blue"]], dtype=object)).tolist() == [[1.5, -1.0]]

    def test_a_label_that_is_not_listed_is_missing_where_the_library_says_so(self):
        encoded = Categories({1: ("red",)}, unknown_as_missing=True).encode(np.array([[1.5, "blue"]], dtype=object))
        assert np.isnan(encoded[0, 1])

    def test_missing_labels_are_missing(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"n": [1.5, 2.5], "c": pd.Categorical(["green", None])})
        assert np.isnan(self.LABELS.encode(frame)[1, 1])

    def test_columns_of_categories_and_strings_are_found_also_when_their_labels_are_numbers(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"n": [1.5, 2.5], "c": pd.Categorical([1, 2]), "t": ["a", "b"], "b": [True, False]})
        assert categorical_columns(frame) == [1, 2]
