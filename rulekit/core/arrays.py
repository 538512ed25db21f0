"""Names for the array types that appear in signatures."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
BitArray: TypeAlias = npt.NDArray[np.uint64]
LabelArray: TypeAlias = npt.NDArray[Any]


def row_sums(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sums along the last axis where it is short: from (n, k) to (n,).

    Adding up columns is several times faster than NumPy's own sum of many short rows.
    """
    total = table[..., 0].copy()
    for column in range(1, table.shape[-1]):
        total += table[..., column]
    return total
