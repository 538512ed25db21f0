"""Work in a process of its own: a fresh memory, a fresh compiler, and an end even if the work has none."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

T = TypeVar("T")

# A forked process would inherit memory, compiled functions and threads, which are what isolation is to keep out.
_PROCESSES: Final = get_context("spawn")


class TimeLimitError(Exception):
    """The work was stopped because it took longer than it may."""


class FailedWorkError(Exception):
    """The work raised an exception, or its process died."""


def isolated(
    work: Callable[..., T],
    *arguments: Any,
    time_limit: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> T:
    """What a function returns when it runs in a fresh process.

    Parameters
    ----------
    work : callable
        A function of a module, since it is pickled; as are its arguments and what it returns.
    *arguments
    time_limit : float or None, default=None
        Seconds after which the process is killed.
    environment : mapping, optional
        Environment variables of the process, beside those of this one.

    Raises
    ------
    TimeLimitError, FailedWorkError
    """
    receiver, sender = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=_report, args=(sender, work, arguments))
    with _environment(environment or {}):
        process.start()
    sender.close()
    try:
        if not receiver.poll(time_limit):
            raise TimeLimitError(f"stopped after {time_limit:g} s")
        is_done, outcome = receiver.recv()
    except EOFError:
        raise FailedWorkError("its process died without a word") from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if not is_done:
        raise FailedWorkError(outcome)
    return outcome


def _report(sender: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        outcome = True, work(*arguments)
    except Exception as error:  # whatever it is, the parent reports it
        outcome = False, f"{type(error).__name__}: {error}"
    sender.send(outcome)


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
