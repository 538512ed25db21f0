"""What a check is: a function with a promise, and an error that contains the promise and what was found instead."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

Others = ParamSpec("Others")


class ConformanceError(AssertionError):
    """A component does not keep a promise of its kind."""


class Broken(Exception):
    """What was found instead of what was promised; `promise` turns it into a `ConformanceError`."""


def expect(is_met: Any, got: str) -> None:
    """Raise unless an expectation is met; `got` describes what was found instead."""
    if not is_met:
        raise Broken(got)


def promise(check: Callable[Concatenate[Any, Others], None]) -> Callable[Concatenate[Any, Others], None]:
    """Turn a function into a check; the first line of its docstring is the promise.

    Whatever the function raises becomes a `ConformanceError`: a component that raises where it should return a result
    breaks the promise too.
    """
    name, promised = check.__name__, (check.__doc__ or check.__name__).partition("\n")[0]

    @wraps(check)
    def run(component: Any, /, *args: Others.args, **kwargs: Others.kwargs) -> None:
        try:
            check(component, *args, **kwargs)
        except Exception as error:
            is_answer = isinstance(error, Broken)
            got = str(error) if is_answer else f"{type(error).__name__}: {error}"
            message = f"{called(component)} fails {name}.\nPromise: {promised}\nGot: {got}"
            raise ConformanceError(message) from (None if is_answer else error)

    return run


def called(component: Any) -> str:
    """The `repr` of a component on one line, or the name of its class if `repr` raises."""
    try:
        return " ".join(repr(component).split())
    except Exception:
        return f"{type(component).__name__}(...)"
