"""Many records, answered a block at a time, so that memory does not grow with them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rulekit.core.arrays import FloatArray

#: Small enough for the cache, large enough to hide the overhead.
BLOCK_RECORDS = 2**15


def in_blocks(X: Any, answer: Callable[[Any], FloatArray], n_classes: int) -> FloatArray:
    """What `answer` says of records, of shape (n_records, n_classes).

    It is asked for one block of an array after the other, so that a copy of a block is the most that it makes, even of
    an array that is mapped from a file. Anything but an array of two dimensions is passed on as it is.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_records, n_features)
    answer : callable
        From records to class probabilities, each row on its own.
    n_classes : int
    """
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and len(X) > BLOCK_RECORDS):
        return answer(X)
    answers = np.empty((len(X), n_classes))
    for start in range(0, len(X), BLOCK_RECORDS):
        block = slice(start, start + BLOCK_RECORDS)
        answers[block] = answer(X[block])
    return answers
