"""Time limits of cells."""

import faulthandler
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from rulekit.study.errors import CellTimeoutError
from rulekit.study.result import Failure


def too_late(cell_seconds: float, where: str) -> Failure:
    """The failure of a cell that took too long.

    Parameters
    ----------
    cell_seconds : float
        Its time limit.
    where : str
        What it was doing when it was stopped.
    """
    failure = Failure.of(
        CellTimeoutError(
            f"The cell was stopped after {cell_seconds:g} seconds, its time limit. "
            "To give it more time, increase cell_seconds in the study or --cell-seconds."
        )
    )
    return attrs.evolve(failure, traceback=f"{where.rstrip()}\n{failure.error}\n")


def is_too_late(outcome: Any) -> bool:
    """Whether an outcome is a failure by the time limit."""
    return isinstance(outcome, Failure) and outcome.kind == CellTimeoutError.__name__


@contextmanager
def ending_the_process_after(seconds: float, note: Path) -> Iterator[None]:
    """End this process if the block takes longer, whatever hangs in it, and note in a file where it was.

    Neither a signal nor a thread of Python is heard while compiled code holds the interpreter; the watchdog of
    `faulthandler` needs none. It is one for the whole process, and so must the block be.
    """
    with note.open("w") as file:
        faulthandler.dump_traceback_later(min(seconds, threading.TIMEOUT_MAX), exit=True, file=file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
    note.unlink()


def given_up_after(seconds: float | None, cell_seconds: float | None, work: Callable[..., Any], *arguments: Any) -> Any:
    """What some work returns, or its failure if it takes longer; what hangs then stays behind as a thread.

    For processes that others need, such as the workers of a cluster.
    """
    if seconds is None or cell_seconds is None:
        return work(*arguments)
    future: Future[Any] = Future()

    def do() -> None:
        try:
            future.set_result(work(*arguments))
        except BaseException as error:
            future.set_exception(error)

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    wait([future], min(seconds, threading.TIMEOUT_MAX))
    frame = sys._current_frames().get(thread.ident or 0)
    if future.done():
        return future.result()
    return too_late(cell_seconds, "".join(traceback.format_stack(frame)))
