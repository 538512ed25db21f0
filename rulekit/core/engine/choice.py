"""Which engine runs."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec

from rulekit.core.arrays import IntArray
from rulekit.core.engine.interface import Engine
from rulekit.core.engine.numpy_engine import NumpyEngine
from rulekit.core.errors import InvalidParameterError, MissingExtraError
from rulekit.core.interrupts import uninterrupted
from rulekit.core.messages import warn_caller

ENGINES = ("numba", "numpy")
VARIABLE = "RULEKIT_ENGINE"
KERNELS = "rulekit.core.engine.kernels"

_asked_for: ContextVar[str | None] = ContextVar("rulekit_engine", default=None)


def engine_name() -> str:
    """Name of the engine that the next `fit` uses: "numba" where it is installed, otherwise "numpy".

    `using_engine` and the environment variable RULEKIT_ENGINE choose another one.

    Examples
    --------
    >>> import rulekit
    >>> with rulekit.using_engine("numpy"):
    ...     rulekit.engine_name()
    'numpy'
    """
    asked_for = _asked_for.get()
    if asked_for is not None:
        return asked_for
    variable = os.environ.get(VARIABLE)
    return _checked(variable, f" that {VARIABLE} asks for") if variable else _best()


@contextmanager
def using_engine(name: str) -> Iterator[None]:
    """Use one engine within a `with` block; rules and probabilities are the same with either.

    Parameters
    ----------
    name : {"numba", "numpy"}
    """
    token = _asked_for.set(_checked(name))
    try:
        yield
    finally:
        _asked_for.reset(token)


def is_loaded() -> bool:
    """Whether the active engine can start at once, without loading or compiling machine code."""
    return engine_name() == "numpy" or KERNELS in sys.modules


def new_engine(bounds: IntArray, n_jobs: int | None) -> Engine:
    """The active engine, for samples that lie within these bounds; see `Engine`."""
    if engine_name() == "numpy":
        return NumpyEngine(bounds, n_jobs)
    _import_numba()
    from rulekit.core.engine.numba_engine import NumbaEngine

    return NumbaEngine(bounds, n_jobs)


def _checked(name: str, whose: str = "") -> str:
    if name not in ENGINES:
        raise InvalidParameterError(f"There is no engine {name!r}{whose}; choose one of {', '.join(ENGINES)}.")
    if name == "numba" and find_spec("numba") is None:
        raise MissingExtraError(
            f"The engine 'numba'{whose} needs numba, which is not installed: pip install 'rulekit-rcprob[fast]'."
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
        # A version of numba refuses versions of NumPy that are newer than itself.
        warn_caller(
            f"numba is installed but cannot be used ({error}), so that extraction runs on NumPy alone and takes "
            f"longer. Upgrade numba, or set {VARIABLE}=numpy.",
            RuntimeWarning,
        )
        return "numpy"
    return "numba"


def _import_numba() -> None:
    """Import it as a whole: what an interrupt leaves of it cannot be imported again."""
    with uninterrupted():
        import numba  # noqa: F401
