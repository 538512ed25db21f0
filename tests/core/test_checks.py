"""Checks of parameters and the texts of their errors."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from rulekit.core.checks import check_choice, check_number
from rulekit.core.errors import InvalidParameterError


class Part(SimpleNamespace):
    pass


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_numbers_within_the_limits_pass(value):
    assert check_number(Part(share=value), "share", 0, 1) is None


@pytest.mark.parametrize("value", [-1, 1.1, float("nan"), float("inf"), "1", None, True, [1]])
def test_anything_else_is_refused(value):
    expected = f"Part: share must be a number at least 0 and at most 1, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_number(Part(share=value), "share", 0, 1)


@pytest.mark.parametrize("value", [0, -0.5])
def test_a_limit_that_must_be_exceeded_is_refused(value):
    expected = f"Part: m must be a number above 0, got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_number(Part(m=value), "m", 0, above=True)


def test_no_upper_limit_is_named_where_there_is_none():
    with pytest.raises(InvalidParameterError, match=r"^Part: m must be a number at least 2, got 1\.$"):
        check_number(Part(m=1), "m", 2)


def test_a_known_choice_passes():
    assert check_choice(Part(mode="a"), "mode", ("a", "b")) is None


@pytest.mark.parametrize("value", ["c", None, 1])
def test_an_unknown_choice_is_refused_with_what_is_known(value):
    expected = f"Part: mode must be one of 'a', 'b', got {value!r}."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(expected)}$"):
        check_choice(Part(mode=value), "mode", ("a", "b"))


def test_a_bad_parameter_is_a_value_error():
    assert issubclass(InvalidParameterError, ValueError)
