"""Names for the array types that appear in signatures."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
BitArray: TypeAlias = npt.NDArray[np.uint64]
#: Numbers of samples: int64, or float64 where samples have fractional weights.
CountArray: TypeAlias = npt.NDArray[Any]
LabelArray: TypeAlias = npt.NDArray[Any]

#: Samples that one word of a `BitArray` stands for.
WORD = 64
