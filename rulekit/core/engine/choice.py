"""Which engine runs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec

from rulekit.core.arrays import IntArray
from rulekit.core.engine.interface import Engine
from rulekit.core.engine.numpy_engine import NumpyEngine
from rulekit.core.errors import InvalidParameterError, MissingExtraError

ENGINES = ("numba", "numpy")
VARIABLE = "RULEKIT_ENGINE"

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
    name = _asked_for.get() or os.environ.get(VARIABLE)
    if not name:
        return "numba" if find_spec("numba") else "numpy"
    return _checked(name)


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


def new_engine(bounds: IntArray, n_jobs: int | None) -> Engine:
    """The active engine, for records that lie within these bounds; see `Engine`."""
    if engine_name() == "numpy":
        return NumpyEngine(bounds, n_jobs)
    from rulekit.core.engine.numba_engine import NumbaEngine

    return NumbaEngine(bounds, n_jobs)


def _checked(name: str) -> str:
    if name not in ENGINES:
        raise InvalidParameterError(f"There is no engine {name!r}; choose one of {', '.join(map(repr, ENGINES))}.")
    if name == "numba" and find_spec("numba") is None:
        raise MissingExtraError(
            "The engine 'numba' needs numba, which is not installed: pip install 'rulekit-rcprob[fast]'."
        )
    return name
