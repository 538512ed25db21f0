"""What a check is: a function that states a promise, and an error that says the promise, then what came."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

Others = ParamSpec("Others")


class ConformanceError(AssertionError):
    """A component does not keep a promise of its kind."""


class Broken(Exception):
    """What came instead of what was promised; `promise` makes a `ConformanceError` of it."""


def expect(holds: Any, came: str) -> None:
    """Raise unless something holds; `came` says what is there instead."""
    if not holds:
        raise Broken(came)


def promise(check: Callable[Concatenate[Any, Others], None]) -> Callable[Concatenate[Any, Others], None]:
    """Make a check of a function whose docstring's first line states the promise.

    Whatever the function raises becomes a `ConformanceError`: a component that raises where it should answer breaks the
    promise too.
    """
    name, predicted = check.__name__, (check.__doc__ or check.__name__).partition("\n")[0]

    @wraps(check)
    def run(component: Any, /, *args: Others.args, **kwargs: Others.kwargs) -> None:
        try:
            check(component, *args, **kwargs)
        except Exception as error:
            is_answer = isinstance(error, Broken)
            came = str(error) if is_answer else f"{type(error).__name__}: {error}"
            message = f"{called(component)} fails {name}.\nPromise: {predicted}\nCame: {came}"
            raise ConformanceError(message) from (None if is_answer else error)

    return run


def called(component: Any) -> str:
    """A component on one line, as it prints itself; one that cannot print itself by its class."""
    try:
        return " ".join(repr(component).split())
    except Exception:
        return f"{type(component).__name__}(...)"
