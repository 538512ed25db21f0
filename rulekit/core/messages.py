"""Messages of errors and warnings: values cut to a readable length, warnings that name the user's own line."""

import sys
import warnings
from reprlib import Repr
from types import FrameType
from typing import Any

#: Characters of a name or value in a message: more than anybody reads.
LONGEST = 80

_outline = Repr()
_outline.maxstring = _outline.maxlong = _outline.maxother = 4 * LONGEST
# Lists in lists are multiplied: six of six of six are more than a message holds.
_outline.maxlevel = 3


def short(value: Any) -> str:
    """A value as Python writes it, cut if it is long.

    Examples
    --------
    >>> short("age"), len(short("a" * 10**6))
    ("'age'", 80)
    """
    try:
        return cut(_outline.repr(value))
    except Exception:  # Python writes no number of thousands of digits, and a class may fail in any way
        return f"<{type(value).__name__}>"


def cut(text: str, longest: int = LONGEST) -> str:
    """A text, or its beginning and a sign that there is more.

    Examples
    --------
    >>> cut("a name without end", 10)
    'a name wi…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


#: What stands between the user and rulekit when a pipeline, a grid search or a decorator calls it.
BETWEEN = frozenset({"contextlib", "joblib", "sklearn"})


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn of something, at the line outside rulekit that asked for it.

    Parts and methods of plugins use it as rulekit does: the line is that which called `fit`, in a pipeline too, however
    many calls lie between. `warnings.warn` would have to be told their number.

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
