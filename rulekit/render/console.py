"""Consoles for the output: a terminal at its full width, or a pipe without colours."""

import os
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from rulekit.render.escaping import visible

#: Width of the output in a pipe or a file, which have no width of their own.
PIPE_WIDTH = 100


def output() -> Console:
    """The console of the standard output."""
    return _console(is_terminal=sys.stdout.isatty(), to_stderr=False)


def messages() -> Console:
    """The console of the error stream, for progress."""
    return _console(is_terminal=sys.stderr.isatty(), to_stderr=True)


class SafeConsole(Console):
    """A console that escapes control characters, so names and errors from foreign files cannot move the cursor."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Escape a string before its width is measured."""
        return super().render_str(_escaped(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Escape everything that is printed, except the control codes of rich itself."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=_escaped(segment.text))


def _escaped(output: str) -> str:
    return "\n".join(map(visible, output.split("\n")))


def _console(*, is_terminal: bool, to_stderr: bool) -> Console:
    named = os.environ.get("COLUMNS", "")
    width = None if is_terminal or named.isdecimal() else PIPE_WIDTH
    # Names of columns and classes are not markup, whatever brackets and colons they contain.
    return SafeConsole(stderr=to_stderr, width=width, markup=False, emoji=False, highlight=False)
