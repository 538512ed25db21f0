"""From CatBoost's trees, symmetric or not, to binary trees without redundant splits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import attrs
import numpy as np

from rulekit.adapters.catboost_document import CatBoostDocument, category_hash
from rulekit.core.arrays import FloatArray
from rulekit.core.forest import CategorySplit, Tree

ReadSplit = Callable[[Mapping[str, Any]], "Split"]


@attrs.frozen
class Split:
    """A yes-or-no test: is the value above the threshold, or is it the category? Yes goes right, no goes left.

    Attributes
    ----------
    feature : int
    threshold : float
        Not used for categories.
    category : int or None
        The category's hash, None for a threshold.
    missing_left : bool
    """

    feature: int
    threshold: float = 0.0
    category: int | None = None
    missing_left: bool = True

    def answer_given(self, earlier: "Split", yes: bool) -> bool | None:
        """The answer, if the answer to an earlier split leaves only one; None otherwise.

        Missing values need no special case: those of one feature lie on the same side of all of its thresholds, beyond
        every number, and equal no category.
        """
        if earlier.feature != self.feature:
            return None
        if self.category is not None:
            same = self.category == earlier.category
            # Being one category rules out all others; not being one does not tell which other it is.
            return same if yes else (False if same else None)
        if yes:
            return True if self.threshold <= earlier.threshold else None
        return False if self.threshold >= earlier.threshold else None


class Node(Protocol):
    """A node of one of CatBoost's trees."""

    @property
    def split(self) -> Split | None:
        """The split at this node, None at a leaf."""

    @property
    def scores(self) -> Sequence[float]:
        """The scores of a leaf, of length n_values."""

    def child(self, yes: bool) -> "Node":
        """The child that an answer leads to."""


@attrs.frozen
class _SymmetricNode:
    """A node of a tree with one split per level; the answers are the bits of the leaf's index, lowest bit first."""

    splits: Sequence[Split]
    leaf_scores: Sequence[Sequence[float]]
    level: int = 0
    leaf: int = 0

    @property
    def split(self) -> Split | None:
        return self.splits[self.level] if self.level < len(self.splits) else None

    @property
    def scores(self) -> Sequence[float]:
        return self.leaf_scores[self.leaf]

    def child(self, yes: bool) -> "_SymmetricNode":
        return attrs.evolve(self, level=self.level + 1, leaf=self.leaf + (yes << self.level))


@attrs.frozen
class _NestedNode:
    """A node of a tree that is not symmetric: each node has its own split."""

    content: Mapping[str, Any]
    read_split: ReadSplit

    @property
    def split(self) -> Split | None:
        return self.read_split(self.content["split"]) if "split" in self.content else None

    @property
    def scores(self) -> Sequence[float]:
        value = self.content["value"]
        return value if isinstance(value, list) else [value]

    def child(self, yes: bool) -> "_NestedNode":
        return _NestedNode(self.content["right" if yes else "left"], self.read_split)


@attrs.define
class GrownNode:
    """A node of the binary tree; a leaf has no split, an inner node no scores."""

    split: Split | None
    scores: Sequence[float]
    left: int = -1
    right: int = -1


def roots(document: CatBoostDocument) -> Iterator[Node]:
    """The root of every tree, in the order in which scores are added."""
    read_split = _split_reader(document)
    n_values = len(document.bias)
    for tree in document.content.get("oblivious_trees") or ():
        splits = [read_split(split) for split in tree["splits"] or ()]
        values = tree["leaf_values"]
        yield _SymmetricNode(splits, [values[start : start + n_values] for start in range(0, len(values), n_values)])
    for tree in document.content.get("trees") or ():
        yield _NestedNode(tree, read_split)


def grow(root: Node) -> list[GrownNode]:
    """The binary tree below a root, parents before children; splits with a known answer are skipped."""
    grown: list[GrownNode] = []
    waiting: list[tuple[Node, tuple[tuple[Split, bool], ...], int]] = [(root, (), -1)]
    while waiting:
        node, path, parent = waiting.pop()
        split = node.split
        while split is not None and (answer := _known_answer(split, path)) is not None:
            node = node.child(answer)
            split = node.split
        here = len(grown)
        grown.append(GrownNode(split, () if split else node.scores))
        if parent >= 0:
            _attach(grown[parent], here, to_the_right=path[-1][1])
        if split is not None:
            waiting += [(node.child(yes), (*path, (split, yes)), here) for yes in (True, False)]
    return grown


def leaf_scores(nodes: Sequence[GrownNode], n_values: int) -> FloatArray:
    """Scores of leaves, zero at inner nodes; of shape (n_nodes, n_values)."""
    scores = np.zeros((len(nodes), n_values))
    for row, node in zip(scores, nodes, strict=True):
        if node.split is None:
            row[:] = node.scores
    return scores


def neutral_tree(
    nodes: Sequence[GrownNode],
    values: FloatArray,
    priors: FloatArray,
    codes: Mapping[tuple[int, int], frozenset[int]],
) -> Tree:
    """A grown tree as arrays.

    Parameters
    ----------
    nodes : sequence of GrownNode
    values : ndarray of shape (n_nodes, n_values)
    priors : ndarray of shape (n_nodes, n_classes)
    codes : mapping of (int, int) to frozenset of int
        Codes of the categories by feature and hash.
    """
    leaf = Split(feature=-1)
    splits = [node.split or leaf for node in nodes]
    return Tree(
        features=np.array([split.feature for split in splits], dtype=np.int64),
        thresholds=np.array([split.threshold for split in splits], dtype=np.float64),
        left=np.array([node.left for node in nodes], dtype=np.int64),
        right=np.array([node.right for node in nodes], dtype=np.int64),
        values=values,
        priors=priors,
        missing_left=np.array([split.missing_left for split in splits], dtype=bool),
        category_splits={
            position: CategorySplit(codes[split.feature, split.category], goes_left=False)
            for position, split in enumerate(splits)
            if split.category is not None
        },
    )


def _split_reader(document: CatBoostDocument) -> ReadSplit:
    numeric, categorical = document.numeric_columns, document.categorical_columns

    def read(split: Mapping[str, Any]) -> Split:
        if split["split_type"] == "OneHotFeature":
            column = categorical[split["cat_feature_index"]]
            return Split(column.position, category=category_hash(split))
        column = numeric[split["float_feature_index"]]
        return Split(column.position, threshold=float(split["border"]), missing_left=column.missing_left)

    return read


def _known_answer(split: Split, path: Sequence[tuple[Split, bool]]) -> bool | None:
    answers = (split.answer_given(earlier, yes) for earlier, yes in path)
    return next((answer for answer in answers if answer is not None), None)


def _attach(parent: GrownNode, child: int, *, to_the_right: bool) -> None:
    if to_the_right:
        parent.right = child
    else:
        parent.left = child
