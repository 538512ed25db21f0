"""Amounts of memory: as people write them, and what an index of records takes."""

import re
from numbers import Integral
from typing import Any

import numpy as np

UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
WRITTEN = re.compile(rf"\s*(\d{{1,15}}(?:\.\d{{1,6}})?)\s*({'|'.join(sorted(UNITS, key=len, reverse=True))})B\s*")
# Arrays of one number a record that are there at once while records are laid out and a feature is turned into codes.
WORK_ARRAYS = 6


def parse_bytes(amount: Any) -> int | None:
    """A number of bytes from itself or from a text such as "500MB" or "2GiB"; None if it is neither.

    Examples
    --------
    >>> parse_bytes("500MB")
    500000000
    """
    if isinstance(amount, Integral) and not isinstance(amount, bool | np.bool_):
        return int(amount)
    written = WRITTEN.fullmatch(amount) if isinstance(amount, str) else None
    return None if written is None else int(float(written[1]) * UNITS[written[2]])


def as_text(n_bytes: float) -> str:
    """A number of bytes as people read it."""
    return f"{n_bytes / 10**6:,.1f} MB"


def bytes_of_index(n_records: int, n_features: int, n_classes: int, n_threads: int) -> int:
    """What an index takes at least, while it is made, for conditions on so many features.

    Codes of 16 bits for each feature, places of the records, bits of 64 conditions, and work on one feature per thread.
    """
    n_slots = n_records + 64 * n_classes
    return n_slots * (2 * n_features + 8 + 8) + 8 * n_records * WORK_ARRAYS * n_threads
