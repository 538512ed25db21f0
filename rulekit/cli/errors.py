"""Errors and warnings as one line each, with a traceback only on request."""

import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, ParamSpec

import typer

from rulekit.core.errors import RulekitError

P = ParamSpec("P")
WRONG_INPUT = 2
BUG = 1

Debug = Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")]


class CommandError(RulekitError):
    """The command line asks for something that is not possible."""


def in_one_line(command: Callable[P, None]) -> Callable[P, None]:
    """Let a command fail with `Error: …` and exit code 2, or 1 for errors that no input should cause.

    The command takes a parameter `debug: Debug`; if it is set, exceptions pass through.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        if kwargs.get("debug"):
            return command(*args, **kwargs)
        try:
            with _short_warnings():
                command(*args, **kwargs)
        except BrokenPipeError:
            raise  # the reader of a pipe, such as `head`, has closed it
        except (RulekitError, ValueError, OSError) as error:
            _complain(f"Error: {error}")
            raise typer.Exit(WRONG_INPUT) from None
        except typer.Exit:
            raise
        except Exception as error:
            _complain(
                f"Error: {type(error).__name__}: {error}. This is a bug in rulekit or in a plugin: "
                "run the command again with --debug and report the traceback."
            )
            raise typer.Exit(BUG) from None

    return run


@contextmanager
def _short_warnings() -> Iterator[None]:
    """Print a warning as one line, without its location in the code."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_location, **_options: _complain(f"Warning: {message}")
        yield


def _complain(message: Any) -> None:
    """Print one line to the error stream, also for messages of several lines or with control characters."""
    from rulekit.render.escaping import visible

    print(visible(" ".join(str(message).split())), file=sys.stderr)
