"""Messages of errors and warnings: values truncated to a readable length, warnings that point at the user's line."""

import sys
import warnings
from reprlib import Repr
from types import FrameType
from typing import Any

#: Most characters of a name or value in a message.
LONGEST = 80

_outline = Repr()
_outline.maxstring = _outline.maxlong = _outline.maxother = 4 * LONGEST
# Limits of nested lists multiply: six times six times six items are too many for a message.
_outline.maxlevel = 3


def short(value: Any) -> str:
    """The `repr` of a value, truncated if it is long.

    Examples
    --------
    >>> short("age"), len(short("a" * 10**6))
    ("'age'", 80)
    """
    try:
        return cut(_outline.repr(value))
    except Exception:  # Python prints no integer of thousands of digits, and a class's own `__repr__` may fail
        return f"<{type(value).__name__}>"


def cut(string: str, longest: int = LONGEST) -> str:
    """A string, truncated with an ellipsis if it is longer than `longest`.

    Examples
    --------
    >>> cut("a name without end", 10)
    'a name wi…'
    """
    return string if len(string) <= longest else f"{string[: longest - 1]}…"


#: Packages that may call rulekit on the user's behalf: pipelines, grid searches, decorators.
BETWEEN = frozenset({"contextlib", "joblib", "sklearn"})


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning that points at the line outside rulekit which called it.

    Components and methods of plugins can use it as rulekit does: the warning names the line that called `fit`, also
    through a pipeline, however many calls lie in between. `warnings.warn` needs that number as `stacklevel`.

    Parameters
    ----------
    message : str
    category : type
        A class derived from `Warning`.
    """
    frame = _calling()
    module = frame.f_globals.get("__name__", "<unknown>")
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def _calling() -> FrameType:
    """The frame that called rulekit from outside; where only libraries are left, as in a worker, the nearest one."""
    frames = [sys._getframe()]
    while (outer := frames[-1].f_back) is not None:
        frames.append(outer)
    # The outermost frame of rulekit counts: rulekit calls plugins, which call rulekit.
    outside = frames[max(position for position, frame in enumerate(frames) if _package(frame) == "rulekit") + 1 :]
    return next((frame for frame in outside if _package(frame) not in BETWEEN), (outside or frames)[0])


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
