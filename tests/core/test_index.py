"""The training index against loops over single samples."""

import pickle

import numpy as np
import pytest
from core.splits import conditions_of_splits
from core.training_sets import TrainingSet, antecedents_from, conditions_of, random_antecedents, random_training_set
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.core.index import TrainingIndex

pytestmark = pytest.mark.usefixtures("engine")

# The smallest cache keeps 64 rows of bits, so that more conditions than that force it to forget.
TINY_CACHE = 1
seeds = st.integers(0, 2**32 - 1)
quickly = settings(max_examples=25, deadline=None)


@st.composite
def training_sets(draw):
    """Up to nine classes, some of them empty, some with more samples than fit into a word."""
    drawn = random_training_set(
        draw(seeds),
        n_samples=draw(st.sampled_from([1, 2, 63, 64, 65, 130, 300])),
        n_classes=draw(st.integers(2, 9)),
        n_splits=draw(st.integers(0, 60)),
    )
    drawn.y[drawn.y == draw(st.integers(0, 8))] = 0
    return drawn


caches = st.sampled_from([TINY_CACHE, 2**28])


def samples_in(index, bits):
    """Samples as sets, from rows of bits."""
    return [frozenset(np.flatnonzero(row).tolist()) for row in index.samples(bits)]


@quickly
@given(training_sets(), caches)
def test_bits_are_the_samples_for_which_a_condition_holds(drawn, cache):
    index = drawn.index(cache)
    assert drawn.holding == samples_in(index, index.bits(np.arange(index.n_conditions)))


@quickly
@given(training_sets(), caches, seeds)
def test_cover_is_the_samples_that_satisfy_every_condition(drawn, cache, seed):
    index = drawn.index(cache)
    antecedents = random_antecedents(drawn, seed)
    assert [drawn.covered(row) for row in antecedents.tolist()] == samples_in(index, index.cover(antecedents))


@quickly
@given(training_sets(), caches, seeds)
def test_count_is_the_number_of_covered_samples_of_each_class(drawn, cache, seed):
    index = drawn.index(cache)
    antecedents = random_antecedents(drawn, seed)
    assert drawn.counts_of(antecedents.tolist()) == index.count(index.cover(antecedents)).tolist()


@quickly
@given(training_sets(), caches, seeds)
def test_removal_counts_are_those_of_the_antecedents_without_each_condition(drawn, cache, seed):
    index = drawn.index(cache)
    rows = [
        [condition for condition in row if condition != index.pad] for row in random_antecedents(drawn, seed).tolist()
    ]
    shorter = [row[:position] + row[position + 1 :] for row in rows for position in range(len(row))]
    padded = antecedents_from(rows, index.pad)
    assert drawn.counts_of(shorter) == index.removal_counts(padded).tolist()


@quickly
@given(training_sets())
def test_condition_counts_are_the_counts_of_single_conditions_and_of_none(drawn):
    expected = [*(drawn.count(samples) for samples in drawn.holding), drawn.count(drawn.everything)]
    assert expected == drawn.index().condition_counts.tolist()


@quickly
@given(training_sets())
def test_class_counts_are_the_samples_of_each_class(drawn):
    assert drawn.count(drawn.everything) == drawn.index().class_counts.tolist()


@quickly
@given(training_sets(), seeds)
def test_samples_are_what_sample_bits_were_made_of(drawn, seed):
    index = drawn.index()
    chosen = np.random.default_rng(seed).random((3, index.n_samples)) < 0.5
    samples = index.samples(index.sample_bits(chosen))
    assert (samples.dtype, samples.tolist()) == (np.bool_, chosen.tolist())
    assert index.samples(index.sample_bits(chosen[0])).tolist() == chosen[0].tolist()


@quickly
@given(training_sets())
def test_no_bit_is_set_that_stands_for_no_sample(drawn):
    index = drawn.index()
    ones = np.bitwise_count(index.bits(np.arange(index.n_conditions + 1))).sum(axis=1)
    assert [*map(len, drawn.holding), index.n_samples] == ones.tolist()


@quickly
@given(training_sets(), seeds)
def test_the_order_of_the_samples_does_not_matter_for_counts(drawn, seed):
    order = np.random.default_rng(seed).permutation(len(drawn.y))
    shuffled = TrainingSet(drawn.X[order], drawn.y[order], drawn.conditions, drawn.n_classes)
    antecedents = random_antecedents(drawn, seed)
    expected, actual = drawn.index(), shuffled.index()
    assert expected.count(expected.cover(antecedents)).tolist() == actual.count(actual.cover(antecedents)).tolist()


@quickly
@given(training_sets(), seeds)
def test_counts_follow_renamed_classes(drawn, seed):
    new_name = np.random.default_rng(seed).permutation(drawn.n_classes)
    renamed = TrainingSet(drawn.X, new_name[drawn.y], drawn.conditions, drawn.n_classes)
    antecedents = random_antecedents(drawn, seed)
    before, after = drawn.index(), renamed.index()
    expected = before.count(before.cover(antecedents))
    assert expected.tolist() == after.count(after.cover(antecedents))[:, new_name].tolist()


@pytest.mark.parametrize("cache", [TINY_CACHE, 2**28])
def test_asking_in_any_order_and_again_gives_the_same_bits(cache):
    drawn = random_training_set(1, n_samples=150, n_features=5, n_splits=300)
    index = drawn.index(cache)
    assert index.n_conditions > 300
    rng = np.random.default_rng(0)
    for _ in range(40):
        ids = rng.integers(index.n_conditions + 1, size=rng.integers(1, 90))
        assert [drawn.covered([condition]) for condition in ids.tolist()] == samples_in(index, index.bits(ids))


def test_a_call_for_more_conditions_than_the_cache_holds_is_answered():
    drawn = random_training_set(2, n_samples=150, n_features=5, n_splits=300)
    index = drawn.index(TINY_CACHE)
    index.bits(np.arange(5))
    everything = np.arange(index.n_conditions)[::-1]
    assert drawn.holding[::-1] == samples_in(index, index.bits(everything))


def test_bits_have_the_shape_of_the_ids_and_one_axis_more():
    index = random_training_set(3).index()
    assert (2, 5, index.n_words) == index.bits(np.zeros((2, 5), dtype=np.int64)).shape


def test_the_pad_holds_for_every_sample():
    index = random_training_set(4).index()
    assert [frozenset(range(index.n_samples))] == samples_in(index, index.bits(np.array([index.pad])))


def test_an_antecedent_of_pads_only_covers_every_sample():
    index = random_training_set(5).index()
    assert [frozenset(range(index.n_samples))] == samples_in(index, index.cover(np.full((1, 3), index.pad)))


def test_an_antecedent_of_no_width_covers_every_sample():
    index = random_training_set(5).index()
    assert [frozenset(range(index.n_samples))] == samples_in(index, index.cover(np.empty((1, 0), dtype=np.int64)))


def test_pads_may_stand_anywhere():
    drawn = random_training_set(6)
    index = drawn.index()
    rows = [[index.pad, 3, 5], [3, index.pad, 5], [3, 5, index.pad]]
    assert [drawn.covered([3, 5])] * 3 == samples_in(index, index.cover(np.array(rows)))


def test_no_rules_have_no_counts():
    index = random_training_set(7).index()
    assert index.count(index.cover(np.empty((0, 2), dtype=np.int64))).shape == (0, 3)


def test_samples_where_rounding_tips_over_are_decided_as_rounding_decides_them():
    """The cutoffs themselves and one ulp either side, which no ordinary sample ever hits."""
    drawn = random_training_set(10, n_features=1, n_splits=30)
    edges = drawn.conditions.cutoffs
    values = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
    at_edges = TrainingSet(values[:, None], np.arange(len(values)) % 3, drawn.conditions, 3)
    index = at_edges.index()
    assert at_edges.holding == samples_in(index, index.bits(np.arange(index.n_conditions)))


@pytest.mark.parametrize("portion", [1, 40])
def test_bits_asked_for_in_small_portions_never_take_more_memory_than_allowed(portion):
    drawn = random_training_set(11, n_samples=6400, n_features=5, n_splits=400)
    index = drawn.index(TINY_CACHE)
    before = len(pickle.dumps(index))
    for condition in range(0, index.n_conditions - portion, portion):
        index.bits(np.arange(condition, condition + portion))
    one_condition = 8 * index.n_words
    assert len(pickle.dumps(index)) < before + one_condition


def test_looking_up_bits_hands_out_a_copy():
    drawn = random_training_set(8)
    index = drawn.index()
    ids = np.arange(index.n_conditions)
    index.bits(ids)[:] = 0
    assert drawn.holding == samples_in(index, index.bits(ids))


def test_an_index_without_conditions_still_counts_everything():
    drawn = TrainingSet(np.zeros((5, 2)), np.array([0, 1, 1, 1, 0]), conditions_of([], 2), 2)
    index = drawn.index()
    assert index.count(index.cover(np.empty((1, 0), dtype=np.int64))).tolist() == [[2, 3]]


def test_more_than_255_thresholds_of_one_feature_are_told_apart():
    values = np.arange(700.0)
    drawn = TrainingSet(values[:, None], np.zeros(700, dtype=np.int64), conditions_of([(0, v) for v in values], 1), 2)
    index = drawn.index()
    expected = [700 - 1 - t if not upper else t + 1 for _, upper, t in drawn.triples]
    assert expected == index.count(index.bits(np.arange(index.n_conditions)))[:, 0].tolist()


@pytest.mark.parametrize("n_thresholds", [2**16 - 2, 2**16 + 10])
def test_more_thresholds_of_one_feature_than_16_bits_can_number_are_told_apart(n_thresholds):
    """Samples 0, 1, 2 …, a threshold at each but the last: t + 1 of them satisfy `x <= t`, the others `x > t`."""
    x = np.arange(n_thresholds + 1.0)
    splits = np.zeros(n_thresholds, dtype=np.int64), x[:-1]
    conditions, upto, above = conditions_of_splits(*splits, ["x"])
    index = TrainingIndex(x[:, None], (x % 2).astype(np.int64), conditions, 2)
    some = np.array([0, 1, 5, n_thresholds // 2, n_thresholds - 2, n_thresholds - 1])
    held = index.count(index.bits(np.concatenate([upto[some], above[some]]))).sum(axis=1)
    assert held.tolist() == [*(some + 1).tolist(), *(n_thresholds - some).tolist()]
    assert index.condition_counts[upto].sum(axis=1).tolist() == [*range(1, n_thresholds + 1)]


def test_classes_never_seen_count_zero():
    drawn = random_training_set(9, n_classes=2)
    index = TrainingIndex(drawn.X, drawn.y, drawn.conditions, n_classes=4)
    assert index.class_counts[2:].tolist() == [0, 0]


@quickly
@given(training_sets(), seeds)
def test_samples_are_narrowed_to_those_of_one_condition_each(drawn, seed):
    """Whether or not all conditions fit into memory."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, len(drawn.conditions) + 1, 80)
    for max_cache_bytes in (2**20, 0):
        index = TrainingIndex(drawn.X, drawn.y, drawn.conditions, drawn.n_classes, max_cache_bytes=max_cache_bytes)
        given = index.sample_bits(rng.random((len(ids), index.n_samples)) < 0.5)
        expected = index.samples(given) & index.samples(index.bits(ids))
        assert expected.tolist() == index.samples(index.narrowed(given, ids)).tolist()


def test_threads_divide_a_quarter_of_the_memory_for_work_in_blocks():
    """Words of eight bytes."""
    drawn = random_training_set(0)
    index = TrainingIndex(drawn.X, drawn.y, drawn.conditions, 3, max_cache_bytes=6400, n_jobs=2)
    assert (index.n_jobs, index.max_cache_bytes, index.engine.n_threads) == (2, 6400, 2)
    assert index.engine.max_block_words == 6400 // 4 // 8 // 2


@pytest.mark.parametrize("max_cache_bytes", [1, 8 * 100 * 4, 2**28])
def test_an_index_knows_what_it_takes_once_its_store_is_full(max_cache_bytes):
    """Codes of two bytes for each feature and slot, a slot for each sample, and rows of words: 64 at least."""
    drawn = random_training_set(11, n_samples=200, n_classes=2, n_splits=150)
    index = drawn.index(max_cache_bytes)
    n_features = len(set(drawn.conditions.features.tolist()))
    row = 8 * index.n_words
    rows = min(max(64, max_cache_bytes // row), index.n_conditions + 1)
    assert index.n_bytes == 2 * n_features * 64 * index.n_words + 8 * 200 + row * max(rows, 64)
