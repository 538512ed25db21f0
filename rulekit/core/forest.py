"""A neutral description of a fitted tree ensemble; adapters make it, everything else reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Self

import attrs
import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.conditions import exact_cutoffs
from rulekit.core.regions import Codes
from rulekit.core.set_bits import SetBits

Link = Literal["mean", "logistic", "softmax"]

#: Samples that are predicted at once: more take memory and no less time.
SAMPLES_AT_ONCE = 2**14
#: Walks of one sample down one tree that are made at once: few enough for the processor's cache.
WALKS_AT_ONCE = 2**15


@attrs.frozen
class CategorySplit:
    """A node that sends some categories of its feature to one child and all others to the other.

    Attributes
    ----------
    codes : frozenset of int
        The categories that the node lists, as codes.
    goes_left : bool
        Whether these go left and every other category, including unseen ones, goes right; False for the opposite.
    """

    codes: frozenset[int]
    goes_left: bool = True


@attrs.frozen(eq=False)
class Tree:
    """A binary decision tree as arrays over its nodes; node 0 is the root.

    A sample goes left when its value, rounded to the forest's `input_dtype`, is at most the threshold; a node of
    `category_splits` looks up the code of a category instead, and a missing value (NaN) goes left where
    `missing_left` is True.

    Attributes
    ----------
    features : ndarray of shape (n_nodes,)
        The feature a node splits on, -1 for a leaf.
    thresholds : ndarray of shape (n_nodes,)
        Ignored for leaves and for nodes of `category_splits`.
    left, right : ndarray of shape (n_nodes,)
        Children; ignored for leaves.
    values : ndarray of shape (n_nodes, n_values)
        What a leaf adds to the ensemble's sum: a class distribution (link "mean"), or scores as they are added up.
    priors : ndarray of shape (n_nodes, n_classes)
        The local class distribution that a leaf's rule inherits.
    missing_left : ndarray of shape (n_nodes,), optional
        Whether missing values go left; by default they go right.
    category_splits : mapping of int to CategorySplit
        Category splits by node.
    """

    features: IntArray
    thresholds: FloatArray
    left: IntArray
    right: IntArray
    values: FloatArray
    priors: FloatArray
    missing_left: BoolArray = attrs.field()
    category_splits: Mapping[int, CategorySplit] = attrs.field(factory=dict)

    @missing_left.default
    def _nothing_missing_goes_left(self) -> BoolArray:
        return np.zeros(len(self.features), dtype=bool)

    def apply(self, X: FloatArray) -> IntArray:
        """Leaf node of every sample of `X`, whose values are already rounded to the forest's `input_dtype`."""
        (leaves,) = Nodes.of([self]).leaves(X)
        return leaves

    def going_left(self, node: int) -> Codes:
        """The codes, and perhaps missing values, that go left at a node of `category_splits`."""
        split = self.category_splits[node]
        return Codes(split.codes, split.goes_left, bool(self.missing_left[node]))


@attrs.frozen(eq=False, slots=False)
class Nodes:
    """Trees as arrays over the nodes of all of them.

    Attributes
    ----------
    features, thresholds, left, right, missing_left : ndarrays of shape (n_nodes,)
        As in `Tree`, with children counted over all nodes.
    roots : ndarray of shape (n_trees,)
    splits : tuple of Codes
        The categories that go left at each node that looks them up.
    split_of : ndarray of shape (n_nodes,)
        Position among `splits`, -1 at other nodes.
    """

    features: IntArray
    thresholds: FloatArray
    left: IntArray
    right: IntArray
    missing_left: BoolArray
    roots: IntArray
    splits: tuple[Codes, ...]
    split_of: IntArray

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Self:
        """The nodes of several trees, tree by tree."""
        sizes = [len(tree.features) for tree in trees]
        roots = np.cumsum([0, *sizes[:-1]])
        shift = np.repeat(roots, sizes)
        looked_up = [
            (tree, root, node)
            for tree, root in zip(trees, roots.tolist(), strict=True)
            for node in sorted(tree.category_splits)
        ]
        split_of = np.full(sum(sizes), -1)
        split_of[[root + node for _, root, node in looked_up]] = np.arange(len(looked_up))
        return cls(
            np.concatenate([tree.features for tree in trees]).astype(np.int64),
            np.concatenate([tree.thresholds for tree in trees]).astype(np.float64),
            np.concatenate([tree.left for tree in trees]) + shift,
            np.concatenate([tree.right for tree in trees]) + shift,
            np.concatenate([tree.missing_left for tree in trees]),
            roots,
            tuple(tree.going_left(node) for tree, _, node in looked_up),
            split_of,
        )

    def leaves(self, X: FloatArray) -> Iterator[IntArray]:
        """The leaf that each sample falls into, of shape (n_samples,), one tree after the other.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Rounded to the forest's `input_dtype`.
        """
        X = np.ascontiguousarray(X)
        positions = self._value_positions(X) if self.splits else None
        at_once = max(1, WALKS_AT_ONCE // max(1, len(X)))
        for start in range(0, len(self.roots), at_once):
            yield from self._walk(self.roots[start : start + at_once], X, positions)

    def _value_positions(self, X: FloatArray) -> IntArray:
        """Positions of the bits that stand for values of features that are looked up; of the shape of `X`."""
        positions = np.zeros(X.shape, dtype=np.int64)
        for feature in self._split_bits.codes:
            positions[:, feature] = self._split_bits.positions(feature, X[:, feature])
        return positions

    def _walk(self, roots: IntArray, X: FloatArray, positions: IntArray | None) -> IntArray:
        """Leaves of some trees, of shape (n_trees, n_samples)."""
        n_samples, n_features = X.shape
        reached = np.repeat(roots, n_samples)
        active = np.flatnonzero(self.features[reached] >= 0)
        here = reached[active]
        cells = active % max(1, n_samples) * n_features
        while active.size:
            wanted = cells + self.features[here]
            goes_left = self._goes_left(here, X.ravel()[wanted])
            if positions is not None:
                rows = np.flatnonzero(self.split_of[here] >= 0)
                goes_left[rows] = self._split_bits.has(self.split_of[here[rows]], positions.ravel()[wanted[rows]])
            reached[active] = here = np.where(goes_left, self.left[here], self.right[here])
            inner = np.flatnonzero(self.features[here] >= 0)
            active, here, cells = active[inner], here[inner], cells[inner]
        return reached.reshape(len(roots), n_samples)

    def _goes_left(self, nodes: IntArray, values: FloatArray) -> BoolArray:
        """Whether values go left at nodes that compare them with a threshold."""
        goes_left, missing = values <= self.thresholds[nodes], np.isnan(values)
        goes_left[missing] = self.missing_left[nodes[missing]]
        return goes_left

    @cached_property
    def _split_bits(self) -> SetBits:
        features = self.features[self.split_of >= 0]
        return SetBits.of(features.tolist(), self.splits)


@attrs.frozen(eq=False)
class Forest:
    """Trees, and how their leaves become class probabilities.

    Attributes
    ----------
    rounds : tuple of tuples of Tree
        The trees of one round form one ruleset: a single tree, or one tree per class in multiclass boosting.
    classes : ndarray of shape (n_classes,)
        Labels, in the order of the columns of every probability.
    n_features : int
    link : {"mean", "logistic", "softmax"}
        "mean" averages leaf distributions (bagging); the others map summed scores to probabilities (boosting).
    initial_scores : ndarray of shape (n_values,)
        What boosting starts from; unused by "mean".
    input_dtype : numpy dtype
        Samples are rounded to this type before they are compared, as the library does.
    handles_missing : bool
        Whether the trees define where missing values go.
    categories : mapping of int to tuple
        For features with category splits: the labels of the categories by code, as far as the model knows them.
    unknown_as_missing : bool
        Whether the library treats a category that it has not seen in training as a missing value.
    missing_value : float or None
        A number that the library treats as a missing value, besides NaN; rounded to `input_dtype` like any value.
    """

    rounds: tuple[tuple[Tree, ...], ...]
    classes: LabelArray
    n_features: int
    link: Link
    initial_scores: FloatArray = attrs.field(factory=lambda: np.zeros(1))
    input_dtype: npt.DTypeLike = np.float32
    handles_missing: bool = False
    categories: Mapping[int, tuple[Any, ...]] = attrs.field(factory=dict)
    unknown_as_missing: bool = False
    missing_value: float | None = None

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Rebuild the ensemble's own class probabilities, of shape (n_samples, n_classes), from the trees alone."""
        trees = [tree for trees in self.rounds for tree in trees]
        nodes, values = Nodes.of(trees), np.concatenate([tree.values for tree in trees])
        scores = np.tile(self.start, (len(X), 1))
        for start in range(0, len(X), SAMPLES_AT_ONCE):
            block = slice(start, start + SAMPLES_AT_ONCE)
            rounded = np.asarray(X[block], dtype=self.input_dtype).astype(np.float64)
            # Tree by tree, as libraries do: huge scores that cancel leave the same remainder only in the same order.
            for leaves in nodes.leaves(rounded):
                scores[block] += values[leaves]
        return self.probabilities(scores)

    @property
    def code_features(self) -> frozenset[int]:
        """Features whose samples hold codes of categories, as the model knows no labels."""
        return self.set_features - self.categories.keys()

    @property
    def set_features(self) -> frozenset[int]:
        """Features that some node looks up in a set of categories."""
        trees = (tree for trees in self.rounds for tree in trees)
        return frozenset(int(tree.features[node]) for tree in trees for node in tree.category_splits)

    @property
    def threshold_features(self) -> frozenset[int]:
        """Features that some node compares with a threshold."""
        found: set[int] = set()
        for tree in (tree for trees in self.rounds for tree in trees):
            is_compared = tree.features >= 0
            is_compared[list(tree.category_splits)] = False
            found.update(tree.features[is_compared].tolist())
        return frozenset(found)

    @property
    def start(self) -> FloatArray:
        """What the values of the trees are added to, of shape (n_values,)."""
        return np.zeros(len(self.classes)) if self.link == "mean" else self.initial_scores

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Class probabilities of scores summed over all trees and `start`, of shape (n_samples, n_values)."""
        return scores / len(self.rounds) if self.link == "mean" else to_probabilities(scores, self.link)

    def cutoffs(self, tree: Tree) -> FloatArray:
        """Thresholds for unrounded samples that split them as the tree splits rounded ones; shape (n_nodes,)."""
        return exact_cutoffs(tree.thresholds, self.input_dtype)

    def with_sorted_classes(self) -> Self:
        """The same forest with its classes in ascending order, as scikit-learn's metrics take them to be."""
        order = np.argsort(self.classes, kind="stable")
        if (order == np.arange(len(order))).all():
            return self
        # One score stands for both classes of a logistic link: exchanging them changes its sign.
        flips = self.link == "logistic"

        def scores(values: FloatArray) -> FloatArray:
            return -values if flips else values[..., order]

        return attrs.evolve(
            self,
            rounds=tuple(
                tuple(attrs.evolve(tree, values=scores(tree.values), priors=tree.priors[:, order]) for tree in trees)
                for trees in self.rounds
            ),
            classes=self.classes[order],
            initial_scores=self.initial_scores if self.link == "mean" else scores(self.initial_scores),
        )

    def predict_proba_by(self, X: FloatArray, voting: Iterable[BoolArray]) -> FloatArray | None:
        """Class probabilities from some of the trees for each sample, such as those that did not see it in training.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        voting : iterable of ndarrays of shape (n_samples,)
            For each tree, the samples that it answers.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes) or None
            NaN in the rows of samples that no tree answers. None for boosting, whose trees only answer together.
        """
        if self.link != "mean":
            return None
        rounded = np.asarray(X, dtype=self.input_dtype).astype(np.float64)
        total, n_votes = np.zeros((len(X), len(self.classes))), np.zeros(len(X), dtype=np.int64)
        for tree, rows in zip((tree for trees in self.rounds for tree in trees), voting, strict=True):
            total[rows] += tree.values[tree.apply(rounded[rows])]
            n_votes += rows
        return np.where(n_votes[:, None] > 0, total / np.maximum(n_votes, 1)[:, None], np.nan)


def to_probabilities(scores: FloatArray, link: Link) -> FloatArray:
    """Class probabilities, of shape (n_samples, n_classes), of boosting scores.

    Scores have one column for "logistic", otherwise one for each class.
    """
    if link == "logistic":
        # expit(-v), not 1 - expit(v): the two classes are treated alike down to the smallest probability.
        return expit(np.column_stack([-scores[:, 0], scores[:, 0]]))
    return np.asarray(softmax(scores, axis=1))
