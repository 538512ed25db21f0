"""Tasks in processes of this machine, any of which may die or hang over one of them."""

import os
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import joblib

from rulekit.study.errors import StudyError, WorkerDiedError
from rulekit.study.limits import ending_the_process_after, too_late
from rulekit.study.result import Failure

#: How often a task is tried again, by itself, that may have ended its worker.
TRIES = 2


@attrs.frozen(eq=False)
class Task:
    """Something to do.

    Attributes
    ----------
    work : callable
    arguments : sequence
    seconds : float or None
        Its time limit.
    cell_seconds : float or None
        Time limit of each of its cells, for messages.
    """

    work: Callable[..., Any]
    arguments: Sequence[Any]
    seconds: float | None = None
    cell_seconds: float | None = None


def outcomes_of(tasks: Sequence[Task], n_jobs: int | None) -> Generator[tuple[int, Any], None, None]:
    """Yield the outcome of each task as soon as it is available, with its index.

    A worker that dies, for want of memory or by a fault in compiled code, takes all workers with it. What is left is
    then given to new ones; the tasks that may have been to blame are run by themselves first, and one that ends its
    worker again and again is given up. A task that takes too long ends its worker too, and is given up at once. So
    is one whose arguments or result cannot be sent.

    Parameters
    ----------
    tasks : sequence of Task
    n_jobs : int or None
        In joblib's meaning.

    Yields
    ------
    position : int
    outcome : what the task returns, or Failure
        A Failure if no worker survived it, or if it took too long.
    """
    left = dict(enumerate(tasks))
    with _folder_for_notes(tasks) as notes:
        while left:
            try:
                with closing(_together(left, n_jobs, notes)) as outcomes:
                    for position, outcome in outcomes:
                        del left[position]
                        yield position, outcome
            except StudyError:
                raise
            except Exception:  # a worker died, or what goes to it or comes from it cannot be sent
                late = _late(left, notes)
                for position, failure in late.items():
                    del left[position]
                    yield position, failure
                # Tasks are given out in order: the one that killed its worker is among the first unfinished ones.
                suspects = [] if late else list(left)[: joblib.effective_n_jobs(n_jobs)]
                for position in suspects:
                    yield position, _alone({position: left.pop(position)}, notes)


def _together(tasks: dict[int, Task], n_jobs: int | None, notes: str | None) -> Generator[tuple[int, Any], None, None]:
    # One task at a time, so that a result does not wait for others; files for large arrays would outlive a kill.
    options: dict[str, Any] = {"return_as": "generator_unordered", "batch_size": 1, "max_nbytes": None}
    if notes is not None and joblib.effective_n_jobs(n_jobs) == 1:
        # With one job joblib would run it here, where nothing could end it: two workers, of which one has work.
        n_jobs, options["pre_dispatch"] = 2, 1
    # From their very start: a kill may come before the first task does.
    options |= {"initializer": _end_with, "initargs": (os.getpid(),)}
    calls = [joblib.delayed(_numbered)(os.getpid(), position, task, notes) for position, task in tasks.items()]
    with _closing_silently(joblib.Parallel(n_jobs=n_jobs, **options)(calls)) as outcomes:
        yield from outcomes


def _alone(task: dict[int, Task], notes: str | None) -> Any:
    """The outcome of a task that runs alone."""
    for _ in range(TRIES):
        try:
            # With one job joblib would run it here, where nothing would survive it.
            [(_, outcome)] = _together(task, 2, notes)
            return outcome
        except BrokenExecutor:
            for failure in _late(task, notes).values():
                return failure
        except Exception as error:
            return Failure.of(error)
    return Failure.of(
        WorkerDiedError(
            "Its worker process died, also when no other task was running "
            f"({TRIES} attempts): it may have run out of memory, or crashed in compiled code."
        )
    )


def _folder_for_notes(tasks: Sequence[Task]) -> AbstractContextManager[str | None]:
    """Where workers note which task took too long; None if there is no time limit."""
    is_limited = any(task.seconds is not None for task in tasks)
    return TemporaryDirectory(prefix="rulekit-study-") if is_limited else nullcontext()


def _late(tasks: dict[int, Task], notes: str | None) -> dict[int, Failure]:
    """The failures of the tasks that took too long, as their workers noted."""
    found = {}
    for position, task in tasks.items() if notes is not None else ():
        note = Path(notes or "", str(position))
        where = note.read_text(encoding="utf-8", errors="replace") if note.exists() else ""
        if where and task.cell_seconds is not None:
            found[position] = too_late(task.cell_seconds, where)
    return found


@contextmanager
def _closing_silently(outcomes: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Stop the work when its outcomes are no longer needed; joblib would warn of it."""
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            getattr(outcomes, "close", lambda: None)()


def _numbered(parent: int, position: int, task: Task, notes: str | None) -> tuple[int, Any]:
    """A result, and which task it comes from."""
    is_own_worker = os.getppid() == parent
    if task.seconds is None or notes is None:
        return position, task.work(*task.arguments)
    if not is_own_worker:
        raise StudyError(
            "cell_seconds needs worker processes that can be killed: use joblib's default backend, loky, "
            "or a Dask cluster."
        )
    with ending_the_process_after(task.seconds, Path(notes, str(position))):
        return position, task.work(*task.arguments)


def _end_with(parent: int) -> None:
    """End this worker when the process that started it is killed; its work would be useless."""
    if os.getpid() == parent:
        return  # a backend of joblib that starts no processes

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
