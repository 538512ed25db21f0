"""Running work: its failures and warnings.

Nothing that workers do reads or writes files, so that it runs wherever rulekit is installed.
"""

import warnings
from collections.abc import Callable
from typing import TypeVar

from rulekit.study.result import Failure

T = TypeVar("T")


def recorded(work: Callable[[], T]) -> tuple[T | Failure, tuple[str, ...]]:
    """The result of some work, or its failure; and its warnings."""
    done: T | Failure
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            done = work()
        except KeyboardInterrupt:
            raise
        # Whatever goes wrong in a cell is its result, and must not stop the others; nor must a part that calls exit,
        # or that was cancelled.
        except BaseException as error:
            done = Failure.of(error)
    return done, tuple(dict.fromkeys(f"{each.category.__name__}: {each.message}" for each in caught))
