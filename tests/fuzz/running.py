"""Inputs one after the other: what came of each, and how to repeat those that failed."""

import random
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import attrs
from threadpoolctl import threadpool_limits

#: From the randomness of one input to what came of it in a word; None if nothing could be drawn.
Check = Callable[[random.Random], str | None]


class TooSlow(BaseException):
    """An input took longer than it may; no `except Exception` on the way takes it for its own."""


@attrs.define
class Tally:
    """What was tried, and what failed.

    Attributes
    ----------
    target : str
    seed : int
    outcomes : Counter of str
        How often what came.
    failures : dict of str to list of int
        The numbers of the inputs that failed, by kind of failure.
    slowest : tuple of float and int
        Seconds of the slowest input, and its number.
    seconds : float
        Of all inputs.
    """

    target: str
    seed: int
    outcomes: Counter[str] = attrs.field(factory=Counter)
    failures: dict[str, list[int]] = attrs.field(factory=dict)
    slowest: tuple[float, int] = (0.0, 0)
    seconds: float = 0.0

    @property
    def n_failed(self) -> int:
        """Inputs that failed."""
        return sum(map(len, self.failures.values()))

    @property
    def n_inputs(self) -> int:
        """Inputs that were tried."""
        return self.outcomes.total() + self.n_failed

    def __str__(self) -> str:
        told = ", ".join(f"{count:,} {outcome}" for outcome, count in self.outcomes.most_common())
        lines = [
            f"{self.target}: {self.n_inputs:,} inputs in {self.seconds:.0f} s: {told or 'none passed'}; "
            f"{self.n_failed} failures; the slowest took {self.slowest[0]:.2f} s (input {self.slowest[1]})."
        ]
        for kind, numbers in self.failures.items():
            lines.append(f"  {len(numbers)} times {kind}; repeat it with: {self.repeat(numbers[0])}")
        return "\n".join(lines)

    def repeat(self, number: int) -> str:
        """The command that tries an input again."""
        return f"python -m tests.fuzz {self.target} --seed {self.seed} --first {number} --inputs 1"


def run(
    target: str,
    check: Check,
    *,
    n_inputs: int,
    seed: int,
    first: int = 0,
    limit: float = 10.0,
    complain: Callable[[str], Any] = print,
) -> Tally:
    """Try the inputs from a number on, with warnings as errors.

    Parameters
    ----------
    target : str
        What reports call it.
    check : callable
        Makes an input and looks at what comes of it; raises if that is no correct result and no documented error.
    n_inputs, seed, first : int
    limit : float
        Seconds that an input may take.
    complain : callable
        Takes the story of the first failure of each kind.
    """
    tally, began = Tally(target, seed), perf_counter()
    # Threads do not pay for tables of a few samples, and wait for each other.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("error")
        for number in range(first, first + n_inputs):
            _try(tally, check, number, limit, complain)
    tally.seconds = perf_counter() - began
    return tally


def _try(tally: Tally, check: Check, number: int, limit: float, complain: Callable[[str], Any]) -> None:
    start = perf_counter()
    try:
        with within(limit):
            outcome = check(random.Random(f"{tally.seed}-{number}"))
        # An alarm is not heard as long as compiled code runs.
        if perf_counter() - start > limit:
            raise TooSlow
    except (Exception, TooSlow) as error:
        kind = _kind(error)
        if kind not in tally.failures:
            complain(f"{tally.repeat(number)}\n{traceback.format_exc()}")
        tally.failures.setdefault(kind, []).append(number)
    else:
        tally.outcomes.update([outcome] if outcome is not None else [])
    tally.slowest = max(tally.slowest, (perf_counter() - start, number))


def _kind(error: BaseException) -> str:
    """The class of an error, and where in the code it was raised: what tells causes apart, whatever the texts hold."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}, line {last.lineno}"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` if the block takes longer, where the operating system has alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(*_: object) -> None:
    raise TooSlow
