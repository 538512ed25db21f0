"""Where text goes: a terminal as wide as it is, or a pipe without colours."""

import os
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from rulekit.render.escaping import visible

#: Width of text for a pipe or a file, where nothing says how much fits.
PIPE_WIDTH = 100


def output() -> Console:
    """The console of the standard output."""
    return _console(is_terminal=sys.stdout.isatty(), to_stderr=False)


def messages() -> Console:
    """The console of the error stream, for progress."""
    return _console(is_terminal=sys.stderr.isatty(), to_stderr=True)


class SafeConsole(Console):
    """A console on which text is only seen: names, errors and results from files of others move no cursor."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A text, before anybody measures how wide it is."""
        return super().render_str(_seen(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Everything that is printed comes through here; codes for the terminal are those of rich alone."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=_seen(segment.text))


def _seen(text: str) -> str:
    return "\n".join(map(visible, text.split("\n")))


def _console(*, is_terminal: bool, to_stderr: bool) -> Console:
    named = os.environ.get("COLUMNS", "")
    width = None if is_terminal or named.isdecimal() else PIPE_WIDTH
    # Names of columns and classes are not markup, whatever brackets and colons they hold.
    return SafeConsole(stderr=to_stderr, width=width, markup=False, emoji=False, highlight=False)
