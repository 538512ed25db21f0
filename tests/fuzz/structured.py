"""Inputs that a strategy of Hypothesis draws, made from the same randomness as all others."""

import random
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from .running import Check

T = TypeVar("T")
#: Bytes to draw from; a trial takes a few hundred.
N_BYTES = 8192
QUIETLY = settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))


def drawn_from(strategy: SearchStrategy[T], check: Callable[[T], str]) -> Check:
    """A check of what a strategy draws; a failure tells what was drawn."""
    outcomes: list[str] = []

    @QUIETLY
    @given(strategy)
    def test(value: Any) -> None:
        try:
            outcomes.append(check(value))
        except BaseException as error:
            error.add_note(f"input: {value}")
            raise

    one_input = test.hypothesis.fuzz_one_input

    def run(rng: random.Random) -> str | None:
        outcomes.clear()
        one_input(rng.randbytes(N_BYTES))
        return outcomes[0] if outcomes else None

    return run
