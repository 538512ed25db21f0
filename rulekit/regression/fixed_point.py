"""Numbers as whole multiples of a power of two, so that sums do not depend on their order."""

from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray

#: Bits of a sum of 64-bit integers, with one to spare.
BITS = 62


@attrs.frozen
class FixedPoint:
    """The unit of whole numbers that stand for real ones.

    Attributes
    ----------
    unit : float
        A power of two.
    """

    unit: float

    @classmethod
    def of_sums(cls, largest: float, n_samples: int, *, squared: bool = False) -> Self:
        """The finest unit in which sums over all samples fit into 64 bits.

        Parameters
        ----------
        largest : float
            Largest absolute value of a number.
        n_samples : int
        squared : bool
            Whether squares of the whole numbers are summed too.
        """
        bits = BITS - int(np.ceil(np.log2(max(n_samples, 2))))
        if squared:
            bits //= 2
        _, exponent = np.frexp(largest)
        return cls(float(np.ldexp(1.0, int(exponent) - bits)) if largest > 0 else 1.0)

    def whole(self, numbers: FloatArray) -> IntArray:
        """The nearest whole numbers of units, of the same shape."""
        return np.rint(numbers / self.unit).astype(np.int64)
