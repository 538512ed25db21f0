"""Checks of parameters and the messages of their errors."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from rulekit.core.checks import check_bytes, check_choice, check_jobs, check_number, check_whole_number
from rulekit.core.errors import InvalidParameterError


class Part(SimpleNamespace):
    pass


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_numbers_within_the_limits_pass(value):
    assert check_number(Part(fraction=value), "fraction", 0, 1) is None


@pytest.mark.parametrize("value", [-1, 1.1, float("nan"), float("inf"), "1", None, True, [1]])
def test_anything_else_is_rejected(value):
    expected = f"Part: fraction must be a number of at least 0 and at most 1, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_number(Part(fraction=value), "fraction", 0, 1)


@pytest.mark.parametrize("value", [0, -0.5])
def test_a_limit_that_must_be_exceeded_is_rejected(value):
    expected = f"Part: m must be a number above 0, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_number(Part(m=value), "m", 0, above=True)


def test_no_upper_limit_is_named_where_there_is_none():
    with pytest.raises(InvalidParameterError, match=r"^Part: m must be a number of at least 2, got 1\.$"):
        check_number(Part(m=1), "m", 2)


def test_a_known_choice_passes():
    assert check_choice(Part(mode="a"), "mode", ("a", "b")) is None


@pytest.mark.parametrize("value", ["c", None, 1])
def test_an_unknown_choice_is_rejected_with_what_is_known(value):
    expected = f"Part: mode must be one of 'a', 'b', got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_choice(Part(mode=value), "mode", ("a", "b"))


@pytest.mark.parametrize("value", [None, 1, np.int64(7), "1B", "0.5kB", "2GiB"])
def test_an_amount_of_memory_passes(value):
    assert check_bytes(Part(room=value), "room") is None


@pytest.mark.parametrize("value", [0, -1, 1.5, "0MB", "2 apples", True])
def test_anything_else_is_no_amount_of_memory(value):
    expected = (
        f"Part: room must be None, a number of bytes above 0, or a string such as '500MB' or '2GiB', got {value!r}."
    )
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_bytes(Part(room=value), "room")


@pytest.mark.parametrize("value", [None, 1, -1, np.int64(3)])
def test_a_number_of_jobs_passes(value):
    assert check_jobs(Part(n_jobs=value)) is None


@pytest.mark.parametrize("value", [0, 1.0, "2", True])
def test_anything_else_is_no_number_of_jobs(value):
    expected = f"Part: n_jobs must be None or a whole number other than 0, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_jobs(Part(n_jobs=value))


@pytest.mark.parametrize("value", [None, 2, np.int64(3)])
def test_a_whole_number_from_the_limit_on_passes(value):
    assert check_whole_number(Part(most=value), "most", 2) is None


@pytest.mark.parametrize("value", [1, 2.0, "2", True])
def test_anything_else_is_no_such_number(value):
    expected = f"Part: most must be None or a whole number of at least 2, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_whole_number(Part(most=value), "most", 2)


def test_a_bad_parameter_is_a_value_error():
    assert issubclass(InvalidParameterError, ValueError)
