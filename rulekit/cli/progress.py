"""A progress bar of the search, on a terminal only."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from math import inf
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from rulekit.core.context import SearchStep
from rulekit.plugin.hookspecs import hookimpl
from rulekit.plugin.manager import observe


class SearchProgress:
    """An observer that advances a progress bar after each tree.

    Parameters
    ----------
    display : rich.progress.Progress
        Where the bars are drawn.
    """

    def __init__(self, display: Progress) -> None:
        self._display = display
        self._task: TaskID | None = None
        self._title = ""
        self._best = -inf

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Show a title while the work inside the `with` block runs; a search turns it into a progress bar."""
        self._title, self._best = title, -inf
        self._task = self._display.add_task(title, total=None)
        try:
            yield
        finally:
            self._display.remove_task(self._task)
            self._task = None

    @hookimpl
    def rulekit_engine_loading(self, engine: str) -> None:
        """Show why the first search takes longer to start."""
        if self._task is not None:
            title = f"{self._title}: loading the {engine} engine (the first use compiles it, which takes a few seconds)"
            self._display.update(self._task, description=title, refresh=True)

    @hookimpl
    def rulekit_search_started(self, extractor: Any, n_trees: int) -> None:
        """Set the length of the bar."""
        if self._task is not None:
            self._display.update(self._task, description=self._title, total=n_trees)

    @hookimpl
    def rulekit_after_tree(self, step: SearchStep) -> None:
        """Advance the bar by one tree."""
        if self._task is not None and not step.is_refinement:
            self._best = max(self._best, step.score)
            title = f"{self._title}, search score {self._best:.3f}"
            self._display.update(self._task, description=title, completed=step.tree + 1)


@contextmanager
def progress(console: Console) -> Iterator[SearchProgress]:
    """Show progress on the console if it is a terminal, and clear it afterwards."""
    display = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    watcher = SearchProgress(display)
    # Some versions of rich print an empty line when a disabled display ends.
    with display if console.is_terminal else nullcontext(), observe(watcher):
        yield watcher
