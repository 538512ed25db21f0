"""Where text goes: a terminal as wide as it is, or a pipe without colours."""

import os
import sys

from rich.console import Console

#: Width of text for a pipe or a file, where nothing says how much fits.
PIPE_WIDTH = 100


def output() -> Console:
    """The console of the standard output."""
    return _console(is_terminal=sys.stdout.isatty(), to_stderr=False)


def messages() -> Console:
    """The console of the error stream, for progress."""
    return _console(is_terminal=sys.stderr.isatty(), to_stderr=True)


def _console(*, is_terminal: bool, to_stderr: bool) -> Console:
    named = os.environ.get("COLUMNS", "")
    width = None if is_terminal or named.isdecimal() else PIPE_WIDTH
    # Names of columns and classes are not markup, whatever brackets and colons they hold.
    return Console(stderr=to_stderr, width=width, markup=False, emoji=False, highlight=False)
