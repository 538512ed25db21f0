"""Fitting that either succeeds or leaves no trace."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(method: Method) -> Method:
    """Let a method that fails, or is interrupted, leave its object with the attributes that it had before.

    What an earlier `fit` has learnt stays whole, and what was not fitted stays so.
    """

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            # In one step: a second interrupt finds it done or not begun.
            self.__dict__ = before
            raise

    return cast(Method, run)
