"""Classes on the cells of a region, without what does not matter; and what a tree for them needs at least."""

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulekit.plugin import IntArray

ClassArray = npt.NDArray[np.unsignedinteger]


class Reduced(NamedTuple):
    """A region without thresholds between equal slices, and without axes that have no thresholds left.

    A threshold between equal slices separates nothing: a tree without it is as good.

    Attributes
    ----------
    classes : ndarray
        Classes on the cells that are left, contiguous.
    axes : list of int
        Where each axis comes from.
    starts : list of ndarrays
        For each axis, the first of the region's cells that each cell stands for.
    """

    classes: ClassArray
    axes: list[int]
    starts: list[IntArray]


def reduced(region: ClassArray) -> Reduced:
    """Leave out what does not matter in a region, which is an array of classes with one axis per feature."""
    axes, starts, before, rest = [], [], 1, region.size
    classes = np.ascontiguousarray(region)
    for axis, length in enumerate(region.shape):
        rest //= length
        if length == 1:
            continue
        # Axes before this one, this one, and those after it: three axes are quicker than many.
        flat = classes.reshape(before, length, rest)
        kept = (flat[:, 1:] != flat[:, :-1]).any(axis=(0, 2)).nonzero()[0] + 1
        if len(kept) + 1 < length:
            classes = flat[:, np.concatenate(([0], kept))]
        if len(kept):
            axes.append(axis)
            starts.append(np.concatenate(([0], kept)))
            before *= len(kept) + 1
    return Reduced(classes.reshape([len(kept) for kept in starts]), axes, starts)


class Pattern:
    """A reduced region, and what is known of it so far. Regions that look alike share it, so that each is solved once.

    Parameters
    ----------
    classes : ndarray
        Of a reduced region.

    Attributes
    ----------
    n_thresholds : int
        Each separates two neighbouring cells of different classes.
    enough : float
        A depth with which a tree is known to do.
    fewest : dict of float to int
        Leaves of the smallest tree, for each limit of its depth.
    halves : dict
        Patterns of both sides of splits, as far as they were needed.
    """

    def __init__(self, classes: ClassArray) -> None:
        self.classes = classes
        self.n_thresholds = sum(classes.shape) - classes.ndim
        self.enough: float = math.inf
        self.fewest: dict[float, int] = {}
        self.halves: dict[tuple[int, int, bool], Pattern] = {}

    @property
    def least_leaves(self) -> int:
        """Leaves of any tree, at least: every threshold must be a split of its own."""
        return self.n_thresholds + 1

    @cached_property
    def least(self) -> int:
        """Depth of any tree, at least; it is raised as more becomes known.

        There must be room for all thresholds, and at each cell a test for each neighbour that differs.
        """
        sensitivity = np.zeros(self.classes.shape, dtype=np.int16)
        before, rest = 1, self.classes.size
        for length in self.classes.shape:
            rest //= length
            cells, counts = (array.reshape(before, length, rest) for array in (self.classes, sensitivity))
            differs = cells[:, 1:] != cells[:, :-1]
            counts[:, 1:] += differs
            counts[:, :-1] += differs
            before *= length
        return max(self.n_thresholds.bit_length(), int(sensitivity.max()))


def half(array: npt.NDArray[Any], axis: int, at: int, is_left: bool) -> npt.NDArray[Any]:
    """One side of a split: cells before `at` on an axis, or the others."""
    return array[(slice(None),) * axis + (slice(None, at) if is_left else slice(at, None),)]
