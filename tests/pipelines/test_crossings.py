import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.pipelines.crossings import floats, last_before, ordinals

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FINITE, min_size=2, max_size=20))
@settings(max_examples=50)
def test_integers_are_in_the_order_of_the_floats(values):
    array = np.array(values)
    numbers = ordinals(array)
    np.testing.assert_array_equal(numbers[:, None] < numbers, array[:, None] < array)
    np.testing.assert_array_equal(floats(ordinals(array)), array)


def test_neighbours_are_one_apart():
    values = np.array([-1e308, -5e-324, 0.0, 1.0, 3e300])
    np.testing.assert_array_equal(ordinals(np.nextafter(values, np.inf)), ordinals(values) + 1)


@given(st.lists(FINITE, min_size=1, max_size=10))
@settings(max_examples=50)
def test_a_threshold_is_found_to_the_last_bit(thresholds):
    limits = np.array(thresholds)
    ends = np.full(len(limits), np.inf)
    found = last_before(lambda probes: probes <= limits[:, None], -ends, ends)
    np.testing.assert_array_equal(found, limits)


def test_conditions_may_end_instead_of_begin():
    found = last_before(lambda probes: probes > np.array([[2.5]]), np.array([-10.0]), np.array([10.0]))
    assert found.tolist() == [2.5]
