"""The choice of the engine."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec

from rulekit.core.engine.interface import Blocks, Engine
from rulekit.core.engine.numpy_engine import NumpyEngine
from rulekit.core.errors import InvalidParameterError, MissingExtraError
from rulekit.core.interrupts import uninterrupted
from rulekit.core.messages import warn_caller

ENGINES = ("numba", "numpy")
VARIABLE = "RULEKIT_ENGINE"
KERNELS = "rulekit.core.engine.kernels"

_requested: ContextVar[str | None] = ContextVar("rulekit_engine", default=None)


def engine_name() -> str:
    """Name of the engine that the next `fit` uses: "numba" where it is installed, otherwise "numpy".

    `using_engine` and the environment variable RULEKIT_ENGINE select another one.

    Examples
    --------
    >>> import rulekit
    >>> with rulekit.using_engine("numpy"):
    ...     rulekit.engine_name()
    'numpy'
    """
    requested = _requested.get()
    if requested is not None:
        return requested
    variable = os.environ.get(VARIABLE)
    return _checked(variable, f" (from {VARIABLE})") if variable else _best()


@contextmanager
def using_engine(name: str) -> Iterator[None]:
    """Use one engine within a `with` block; rules and probabilities are the same with either.

    Parameters
    ----------
    name : {"numba", "numpy"}
    """
    token = _requested.set(_checked(name))
    try:
        yield
    finally:
        _requested.reset(token)


def is_loaded() -> bool:
    """Whether the active engine can start at once, without loading or compiling machine code."""
    return engine_name() == "numpy" or KERNELS in sys.modules


def new_engine(blocks: Blocks, n_jobs: int | None) -> Engine:
    """The active engine, for samples laid out in these blocks; see `Engine`."""
    if engine_name() == "numpy":
        return NumpyEngine(blocks, n_jobs)
    _import_numba()
    from rulekit.core.engine.numba_engine import NumbaEngine

    return NumbaEngine(blocks, n_jobs)


def _checked(name: str, origin: str = "") -> str:
    if name not in ENGINES:
        raise InvalidParameterError(f"Unknown engine {name!r}{origin}; choose one of {', '.join(ENGINES)}.")
    if name == "numba" and find_spec("numba") is None:
        raise MissingExtraError(
            f"The engine 'numba'{origin} needs numba, which is not installed: pip install 'rulekit-rcprob[fast]'."
        )
    return name


@cache
def _best() -> str:
    """The fastest engine that works here."""
    if find_spec("numba") is None:
        return "numpy"
    try:
        _import_numba()
    except ImportError as error:
        # numba does not support versions of NumPy that are newer than itself.
        warn_caller(
            f"numba is installed but cannot be imported ({error}), so extraction uses NumPy, which is slower. "
            f"Upgrade numba, or set {VARIABLE}=numpy.",
            RuntimeWarning,
        )
        return "numpy"
    return "numba"


def _import_numba() -> None:
    """Import numba without interruption: a half-imported numba cannot be imported again."""
    with uninterrupted():
        import numba  # noqa: F401
