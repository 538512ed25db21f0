"""Values in messages: readable whatever they are, and never long."""

import pytest

from rulekit.core.messages import LONGEST, cut, short


class Unwritable:
    def __repr__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize("value", [None, 3, "age", [1, 2], {"a": 1.5}], ids=str)
def test_a_short_value_is_written_as_python_writes_it(value):
    assert short(value) == repr(value)


@pytest.mark.parametrize("value", ["a" * 10**6, list(range(10**6)), [[["a" * 99] * 6] * 6] * 6, b"a" * 10**6])
def test_a_long_value_is_cut(value):
    assert len(short(value)) <= LONGEST


def test_what_cannot_be_written_is_named_by_its_type():
    """Python does not print a whole number of thousands of digits, in the middle of a message about it."""
    assert short(10**5000) == "<int>"
    assert "Unwritable" in short(Unwritable())


def test_what_is_cut_says_that_there_is_more():
    assert cut("a" * 81) == "a" * 79 + "…"
    assert cut("a" * 80) == "a" * 80
