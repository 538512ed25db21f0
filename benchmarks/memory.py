"""Peak memory of a piece of work, where the system tells."""

import contextlib
import ctypes
import gc
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
#: Written to `_CLEAR`, it makes Linux forget the peak so far (see `man 5 proc`).
_FORGET_PEAK = "5"


def with_peak(work: Callable[[], T]) -> tuple[T, int | None]:
    """Run a piece of work; also the bytes that its resident set rose above the start at most, None if nobody knows.

    Ask in a fresh process: memory that was freed but not given back before hides some of the rise.
    """
    _give_back()
    try:
        _CLEAR.write_text(_FORGET_PEAK)
        start = _status("VmRSS")
    except (OSError, LookupError):
        return work(), None
    result = work()
    return result, _status("VmHWM") - start


def peak_resident() -> int | None:
    """Bytes of this process that were resident at most since `with_peak` began, None if nobody knows."""
    try:
        return _status("VmHWM")
    except (OSError, LookupError):
        return None


def _give_back() -> None:
    """Return what is free to the system, as far as the C library can."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _status(field: str) -> int:
    """A field of the process's status, in bytes."""
    lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
    return 1024 * int(lines[field].split()[0])
