"""The dynamic program against a twin that tries every split of every region, with no bound and no bisection."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from rulekit_born_again_tree.errors import GridTooLargeError
from rulekit_born_again_tree.optimal import optimal_tree
from rulekit_born_again_tree.pattern import Pattern, reduced
from rulekit_born_again_tree.tree import Leaf, leaves

SHAPES = [(5,), (3, 4), (4, 4), (2, 3, 3), (2, 2, 2, 2), (3, 1, 3)]


def cases():
    random = np.random.default_rng(0)
    for shape, n_classes in itertools.product(SHAPES, (2, 3)):
        yield random.integers(0, n_classes, shape), n_classes
        # Few distinct slices, as ensembles have: thresholds that separate nothing.
        yield (np.indices(shape).sum(axis=0) > sum(shape) // 3).astype(int), 2


def answers(tree, shape):
    """The class of every cell, and each cell's depth, by walking down from the root."""
    labels, depths = np.empty(shape, dtype=int), np.empty(shape, dtype=int)
    for cell in np.ndindex(*shape):
        node, depth = tree, 0
        while not isinstance(node, Leaf):
            node, depth = (node.left if cell[node.axis] <= node.position else node.right), depth + 1
        labels[cell], depths[cell] = node.label, depth
    return labels, depths


class Twin:
    """Smallest trees of an array of classes by brute force."""

    def __init__(self, classes):
        self.classes = classes
        self.whole = tuple((0, length) for length in classes.shape)

    def is_pure(self, box):
        region = self.classes[tuple(slice(*ends) for ends in box)]
        return region.min() == region.max()

    def splits(self, box):
        for axis, (start, stop) in enumerate(box):
            for at in range(start + 1, stop):
                yield (
                    (*box[:axis], (start, at), *box[axis + 1 :]),
                    (*box[:axis], (at, stop), *box[axis + 1 :]),
                )

    @cache  # noqa: B019 - a twin lives for one test
    def depth(self, box):
        if self.is_pure(box):
            return 0
        return 1 + min(max(self.depth(left), self.depth(right)) for left, right in self.splits(box))

    @cache  # noqa: B019
    def leaves(self, box, limit):
        if self.is_pure(box):
            return 1
        if limit <= 0:
            return math.inf
        return min(self.leaves(left, limit - 1) + self.leaves(right, limit - 1) for left, right in self.splits(box))


def one_hot(classes, n_classes):
    return np.eye(n_classes)[classes]


@pytest.mark.parametrize("objective", ["depth", "leaves", "depth-leaves"])
def test_the_tree_agrees_on_every_cell(objective):
    for classes, n_classes in cases():
        tree = optimal_tree(one_hot(classes, n_classes), objective, 10**6)
        labels, depths = answers(tree, classes.shape)
        assert labels.tolist() == classes.tolist()
        assert depths.max() == tree.depth


def test_no_tree_is_shallower():
    for classes, n_classes in cases():
        twin = Twin(classes)
        assert optimal_tree(one_hot(classes, n_classes), "depth", 10**6).depth == twin.depth(twin.whole)


def n_leaves(tree, shape):
    last = np.array(shape) - 1
    return len(list(leaves(tree, np.zeros_like(last), last)))


def test_no_tree_has_fewer_leaves():
    for classes, n_classes in cases():
        twin, tree = Twin(classes), optimal_tree(one_hot(classes, n_classes), "leaves", 10**6)
        assert n_leaves(tree, classes.shape) == twin.leaves(twin.whole, classes.size)


def test_no_tree_of_least_depth_has_fewer_leaves():
    for classes, n_classes in cases():
        twin, tree = Twin(classes), optimal_tree(one_hot(classes, n_classes), "depth-leaves", 10**6)
        depth = twin.depth(twin.whole)
        assert (tree.depth, n_leaves(tree, classes.shape)) == (depth, twin.leaves(twin.whole, depth))


def test_bounds_never_exceed_what_is_needed():
    for classes, _ in cases():
        twin, pattern = Twin(classes), Pattern(reduced(classes.astype(np.uint8)).classes)
        if pattern.n_thresholds:
            assert pattern.least <= twin.depth(twin.whole)
            assert pattern.least_leaves <= twin.leaves(twin.whole, classes.size)


def test_reduced_regions_keep_every_slice_that_differs():
    classes = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0]], dtype=np.uint8)
    found = reduced(classes)
    assert found.classes.tolist() == [[0, 1], [1, 0]]
    assert [starts.tolist() for starts in found.starts] == [[0, 2], [0, 2]]
    assert found.axes == [0, 1]


def test_a_leaf_says_what_the_ensemble_says_on_average_over_its_cells():
    probabilities = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]])
    tree = optimal_tree(probabilities, "depth", 100)
    assert tree.left.probabilities == pytest.approx([0.8, 0.2])
    assert tree.right.probabilities == pytest.approx([0.2, 0.8])


def test_a_limit_of_regions_is_an_error_that_says_so():
    probabilities = one_hot(np.random.default_rng(0).integers(0, 2, (6, 6, 6)), 2)
    with pytest.raises(GridTooLargeError, match=r"not found within max_regions=20 regions .* algorithm='heuristic'"):
        optimal_tree(probabilities, "depth", 20)
