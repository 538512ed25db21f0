"""A line that says what is measured at the moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text


@contextmanager
def progress(console: Console) -> Iterator[Callable[[str], None]]:
    """A function that shows a step: in place on a terminal, line by line elsewhere."""
    if not console.is_terminal:
        yield console.print
        return
    # Without a thread that redraws: it would take time from what is measured.
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda step: live.update(Text(f"measuring {step} …", overflow="ellipsis", no_wrap=True), refresh=True)
