"""The smallest tree that agrees with an ensemble on every cell of its grid (Vidal and Schiffer, 2020).

Dynamic programming over regions of the grid: a region of one class needs no split; any other needs one split more than
what its two halves need. A larger region never needs less than one inside it, so the position of the best split on an
axis is found by bisection. Each depth is tried in turn, from a lower bound on, and what is learnt is kept.
"""

import math
from typing import Final, Literal

import numpy as np

from rulekit.plugin import FloatArray
from rulekit_born_again_tree.errors import GridTooLargeError
from rulekit_born_again_tree.pattern import ClassArray, Pattern, half, reduced
from rulekit_born_again_tree.tree import Leaf, Node, Split

Objective = Literal["depth", "leaves", "depth-leaves"]
#: Classes and predicted probabilities on the cells of a region, and the region's first cell.
Side = tuple[ClassArray, FloatArray, tuple[int, ...]]
OBJECTIVES: Final = ("depth", "leaves", "depth-leaves")


def optimal_tree(probabilities: FloatArray, objective: Objective, max_regions: int) -> Node:
    """The smallest tree that predicts the ensemble's class everywhere.

    Parameters
    ----------
    probabilities : ndarray of shape (*grid, n_classes)
        The ensemble's predicted probabilities on every cell.
    objective : {"depth", "leaves", "depth-leaves"}
        What is smallest; "depth-leaves" means fewest leaves among the trees of least depth.
    max_regions : int
        Different regions that may be looked at; more raise a `GridTooLargeError`.
    """
    classes = probabilities.argmax(axis=-1).astype(np.min_scalar_type(probabilities.shape[-1]))
    search = Search(max_regions)
    whole = search.pattern(classes)
    if objective == "depth":
        return search.shallowest(classes, probabilities, (0,) * classes.ndim)
    limit = math.inf if objective == "leaves" else search.depth(whole)
    return search.smallest(classes, probabilities, (0,) * classes.ndim, limit)


class Search:
    """What is known about regions so far.

    Parameters
    ----------
    max_regions : int
    """

    def __init__(self, max_regions: int) -> None:
        self.max_regions = max_regions
        self.patterns: dict[tuple[tuple[int, ...], bytes], Pattern] = {}

    def pattern(self, region: ClassArray) -> Pattern:
        """The pattern of a region: the one that is known, or a new one."""
        classes = reduced(region).classes
        key = (classes.shape, classes.tobytes())
        if key not in self.patterns:
            if len(self.patterns) >= self.max_regions:
                raise GridTooLargeError(
                    f"The smallest tree was not found within max_regions={self.max_regions} regions of the threshold "
                    "grid. Raise max_regions, use fewer or shallower trees, or set algorithm='heuristic'."
                )
            self.patterns[key] = Pattern(classes)
        return self.patterns[key]

    def depth(self, pattern: Pattern) -> int:
        """Splits on the longest way of the shallowest tree."""
        depth = pattern.least if pattern.n_thresholds else 0
        while not self.fits(pattern, depth):
            depth += 1
        return depth

    def fits(self, pattern: Pattern, depth: float) -> bool:
        """Whether a tree of that depth can do."""
        if pattern.n_thresholds <= 1 or depth == math.inf:
            return depth >= pattern.n_thresholds
        if depth < pattern.least or depth >= pattern.enough:
            return depth >= pattern.enough
        found = any(self._split(pattern, axis, depth) for axis in range(pattern.classes.ndim))
        if found:
            pattern.enough = depth
        else:
            pattern.least = int(depth) + 1
        return found

    def leaves(self, pattern: Pattern, limit: float) -> float:
        """Leaves of the smallest tree that is no deeper than `limit`; infinite if there is none."""
        if pattern.n_thresholds <= 1:
            return pattern.least_leaves if limit >= pattern.n_thresholds else math.inf
        if not self.fits(pattern, limit):
            return math.inf
        if limit not in pattern.fewest:
            pattern.fewest[limit] = int(self._fewest(pattern, limit)[0])
        return pattern.fewest[limit]

    def shallowest(self, classes: ClassArray, probabilities: FloatArray, origin: tuple[int, ...]) -> Node:
        """A tree of least depth, none of whose parts could be shallower; `origin` is the region's first cell."""
        pattern = self.pattern(classes)
        if not pattern.n_thresholds:
            return _leaf(classes, probabilities)
        depth = self.depth(pattern)
        options = ((axis, self._split(pattern, axis, depth)) for axis in range(pattern.classes.ndim))
        axis, at = next(option for option in options if option[1])
        axis, last, left, right = _sides(classes, probabilities, origin, axis, at)
        return Split(axis, last, self.shallowest(*left), self.shallowest(*right))

    def smallest(self, classes: ClassArray, probabilities: FloatArray, origin: tuple[int, ...], limit: float) -> Node:
        """A tree with the fewest leaves that is no deeper than `limit`; `origin` is the region's first cell."""
        pattern = self.pattern(classes)
        if not pattern.n_thresholds:
            return _leaf(classes, probabilities)
        _, axis, at = self._fewest(pattern, limit)
        axis, last, left, right = _sides(classes, probabilities, origin, axis, at)
        return Split(axis, last, self.smallest(*left, limit - 1), self.smallest(*right, limit - 1))

    def _split(self, pattern: Pattern, axis: int, depth: float) -> int:
        """Where to split an axis so that both halves fit below; 0 if nowhere.

        The more cells go left, the deeper is the left half and the shallower the right one: as many as fit, no fewer.
        """
        fitting, too_many = 0, pattern.classes.shape[axis]
        while too_many - fitting > 1:
            middle = (fitting + too_many) // 2
            if self.fits(self._half(pattern, axis, middle, True), depth - 1):
                fitting = middle
            else:
                too_many = middle
        return fitting if fitting and self.fits(self._half(pattern, axis, fitting, False), depth - 1) else 0

    def _fewest(self, pattern: Pattern, limit: float) -> tuple[float, int, int]:
        """Fewest leaves, and the axis and position of the split that leads to them."""
        splits = [
            (axis, at, self._half(pattern, axis, at, True), self._half(pattern, axis, at, False))
            for axis in range(pattern.classes.ndim)
            for at in range(1, pattern.classes.shape[axis])
        ]
        splits.sort(key=lambda split: split[2].least_leaves + split[3].least_leaves)
        best = (math.inf, 0, 0)
        for axis, at, left, right in splits:
            if left.least_leaves + right.least_leaves >= best[0]:
                break
            n_left = self.leaves(left, limit - 1)
            if n_left + right.least_leaves < best[0]:
                best = min(best, (n_left + self.leaves(right, limit - 1), axis, at))
        return best

    def _half(self, pattern: Pattern, axis: int, at: int, is_left: bool) -> Pattern:
        key = (axis, at, is_left)
        if key not in pattern.halves:
            pattern.halves[key] = self.pattern(half(pattern.classes, axis, at, is_left))
        return pattern.halves[key]


def _leaf(classes: ClassArray, probabilities: FloatArray) -> Leaf:
    return Leaf(int(classes.flat[0]), probabilities.reshape(-1, probabilities.shape[-1]).mean(axis=0))


def _sides(
    classes: ClassArray, probabilities: FloatArray, origin: tuple[int, ...], axis: int, at: int
) -> tuple[int, int, Side, Side]:
    """From a split of a region's pattern to one of the grid: axis, last cell to the left, and both sides."""
    found = reduced(classes)
    axis, at = found.axes[axis], int(found.starts[axis][at])
    beyond = (*origin[:axis], origin[axis] + at, *origin[axis + 1 :])
    left, right = (
        (half(classes, axis, at, is_left), half(probabilities, axis, at, is_left), start)
        for is_left, start in ((True, origin), (False, beyond))
    )
    return axis, beyond[axis] - 1, left, right
