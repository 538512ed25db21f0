"""What counts say of rules."""

import numpy as np
from core.test_order import as_counts
from hypothesis import given
from hypothesis import strategies as st

from rulekit.core.statistics import Limits, hits, precision, row_sums

counts_and_classes = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 1)), max_size=20)


def test_hits_are_the_samples_of_a_rules_own_class():
    assert hits(np.array([[1, 2, 3], [4, 5, 6]]), np.array([0, 2])).tolist() == [1, 6]


def test_precision_is_the_fraction_of_a_rules_own_class():
    counts = np.array([[1, 3], [1, 3]])
    assert precision(counts, np.array([0, 1])).tolist() == [0.25, 0.75]


def test_precision_is_zero_without_samples():
    assert precision(np.array([[0, 0]]), np.array([1])).tolist() == [0.0]


@given(st.integers(1, 2**24), st.integers(1, 2**24), st.integers(1, 50))
def test_equal_fractions_have_exactly_equal_precision(own, others, factor):
    counts = as_counts([own, own * factor], [own + others, (own + others) * factor])
    one, other = precision(counts, np.zeros(2, dtype=np.int64)).tolist()
    assert one == other


@given(counts_and_classes, st.sampled_from([0.0, 0.25, 0.5]), st.sampled_from([0.0, 0.1]))
def test_limits_are_exceeded_by_what_is_strictly_above_both(rows, min_precision, min_coverage):
    expected = [a + b > 0 and (a, b)[y] / (a + b) > min_precision and (a + b) / 40 > min_coverage for a, b, y in rows]
    counts = np.array([[a, b] for a, b, _ in rows], dtype=np.int64).reshape(-1, 2)
    classes = np.array([y for *_, y in rows], dtype=np.int64)
    assert expected == Limits(40, min_coverage, min_precision).exceeded_by(counts, classes).tolist()


@given(st.integers(0, 5), st.integers(1, 4))
def test_row_sums_are_the_sums_along_the_last_axis(n_rows, width):
    table = np.arange(n_rows * width).reshape(n_rows, width)
    assert table.sum(axis=1).tolist() == row_sums(table).tolist()


def test_row_sums_leave_the_table_as_it_was():
    table = np.ones((3, 2), dtype=np.int64)
    row_sums(table)
    assert table.tolist() == [[1, 1]] * 3
