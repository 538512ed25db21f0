"""The progress of a study: a bar on a terminal or in a notebook, otherwise a line per cell."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rulekit.study.plan import Cell
from rulekit.study.result import Failure, Result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from rulekit.study.run import Watcher


def is_interactive(console: "Console") -> bool:
    """Whether this is a notebook, or an interactive session of Python on a terminal."""
    return console.is_jupyter or (console.is_terminal and hasattr(sys, "ps1"))


@contextmanager
def progress_on(console: "Console") -> "Iterator[Watcher]":
    """A watcher that shows the progress on a console."""
    # In a notebook rich redraws a bar by ipywidgets.
    redraws = find_spec("ipywidgets") is not None if console.is_jupyter else console.is_terminal
    if not redraws:
        yield Lines(console)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=not console.is_jupyter) as display:
        yield Bar(display)


class Lines:
    """Prints a line for each cell."""

    def __init__(self, console: "Console") -> None:
        self._console = console
        self._n_cells = self._n_ready = 0

    def begin(self, n_cells: int, n_before: int, n_workers: int) -> None:
        """Print the number of cells."""
        self._n_cells, self._n_ready = n_cells, n_before
        before = f", {n_before} of them already done" if n_before else ""
        self._console.print(f"{n_cells} cells{before}; {n_workers} at a time.")

    def finished(self, cell: Cell, result: Result | Failure, n_cells: int) -> None:
        """Print the outcome of a cell."""
        self._n_ready += n_cells
        if isinstance(result, Failure):
            what = f"failed: {in_a_line(result.error)}"
        else:
            what = f"done in {result.seconds + result.search_seconds:.1f} s"
        self._console.print(f"[{self._n_ready}/{self._n_cells}] {named_cell(cell.labels)}: {what}", soft_wrap=True)


class Bar:
    """A progress bar with the number of running and failed cells and the time left."""

    def __init__(self, display: "Progress") -> None:
        self._display = display
        self._task = display.add_task("reading the datasets", total=None)
        self._n_before = self._n_workers = self._n_failed = 0

    def begin(self, n_cells: int, n_before: int, n_workers: int) -> None:
        """Set the length of the bar."""
        self._n_before, self._n_workers = n_before, n_workers
        self._display.reset(self._task, total=n_cells, completed=n_before)
        self._describe()

    def finished(self, cell: Cell, result: Result | Failure, n_cells: int) -> None:
        """Advance the bar."""
        self._n_failed += n_cells * isinstance(result, Failure)
        self._display.advance(self._task, n_cells)
        self._describe()

    def _describe(self) -> None:
        task = self._display.tasks[0]
        n_left, n_now = task.remaining or 0, task.completed - self._n_before
        # The bar's own estimate uses the last half minute only, and a cell may take longer.
        seconds = round((task.elapsed or 0) / n_now * n_left) if n_now else None
        left = "" if seconds is None else f", {timedelta(seconds=seconds)} left"
        description = f"{min(self._n_workers, int(n_left))} running, {self._n_failed} failed{left}"
        self._display.update(self._task, description=description, refresh=True)


def named_cell(cell: Mapping[str, Any]) -> str:
    """A cell's labels in a line."""
    return f"{cell['dataset']}, {cell['ensemble']}, {cell['variant']}, repeat {cell['repeat']}, fold {cell['fold']}"


def in_a_line(error: str) -> str:
    """An error on one line."""
    return " ".join(error.split())
