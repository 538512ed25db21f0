"""Warnings that name the user's own line."""

import sys
import warnings
from types import FrameType

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
    outside = frames[max(place for place, frame in enumerate(frames) if _package(frame) == "rulekit") + 1 :]
    return next((frame for frame in outside if _package(frame) not in BETWEEN), (outside or frames)[0])


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
