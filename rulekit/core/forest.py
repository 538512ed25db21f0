"""A neutral description of a fitted tree ensemble; adapters make it, everything else reads it."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Literal, Self

import attrs
import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.conditions import exact_cutoffs
from rulekit.core.nodes import Nodes
from rulekit.core.regions import Codes

Link = Literal["mean", "logistic", "softmax", "identity"]

#: Samples that are predicted at once: more take memory and no less time.
SAMPLES_AT_ONCE = 2**14


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


@attrs.frozen(eq=False)
class Forest:
    """Trees, and how their leaves become class probabilities.

    Attributes
    ----------
    rounds : tuple of tuples of Tree
        The trees of one round form one ruleset: a single tree, or one tree per class in multiclass boosting.
    classes : ndarray of shape (n_classes,)
        Labels, in the order of the columns of every probability; empty for a forest that predicts a number.
    n_features : int
    link : {"mean", "logistic", "softmax", "identity"}
        "mean" averages leaf distributions, or numbers (bagging); "logistic" and "softmax" map summed scores to
        probabilities (boosting); the summed scores of "identity" are the predicted numbers.
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
    parts : tuple of Part
        Forests that predict for themselves and whose probabilities are averaged; empty for most. `rounds` then holds
        the trees of all parts in order, and what their leaves add up to is known to the parts alone.
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
    parts: "tuple[Part, ...]" = ()

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Rebuild the ensemble's own class probabilities, of shape (n_samples, n_classes), from the trees alone."""
        if self.parts:
            return self._averaged(part.predict_proba(X) for part in self.parts)
        return self.probabilities(self.scores(X))

    def scores(self, X: FloatArray) -> FloatArray:
        """What the leaves of all trees add up to with `start`, of shape (n_samples, n_values)."""
        trees = [tree for trees in self.rounds for tree in trees]
        nodes, values = Nodes.of(trees), np.concatenate([tree.values for tree in trees])
        scores = np.tile(self.start, (len(X), 1))
        for start in range(0, len(X), SAMPLES_AT_ONCE):
            block = slice(start, start + SAMPLES_AT_ONCE)
            rounded = np.asarray(X[block], dtype=self.input_dtype).astype(np.float64)
            # Tree by tree, as libraries do: huge scores that cancel leave the same remainder only in the same order.
            for leaves in nodes.leaves(rounded):
                scores[block] += values[leaves]
        return scores

    @property
    def is_regression(self) -> bool:
        """Whether the forest predicts a number instead of class probabilities."""
        return len(self.classes) == 0

    def predict(self, X: FloatArray) -> FloatArray:
        """The numbers that a forest for regression predicts, of shape (n_samples,)."""
        scores = self.scores(X)[:, 0]
        return scores / len(self.rounds) if self.link == "mean" else scores

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
        return np.zeros(max(len(self.classes), 1)) if self.link == "mean" else self.initial_scores

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
        rank = np.argsort(order)
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
            parts=tuple(
                attrs.evolve(part, columns=np.where(part.columns < 0, -1, rank[part.columns])) for part in self.parts
            ),
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
            NaN in the rows of samples that no tree answers. None for boosting, whose trees only answer together. Parts
            that do not answer a sample are left out of its average.
        """
        if self.parts:
            masks = iter(voting)
            return self._averaged(
                part.predict_proba_by(X, list(islice(masks, sum(map(len, part.forest.rounds))))) for part in self.parts
            )
        if self.link != "mean":
            return None
        rounded = np.asarray(X, dtype=self.input_dtype).astype(np.float64)
        total, n_votes = np.zeros((len(X), len(self.classes))), np.zeros(len(X), dtype=np.int64)
        for tree, rows in zip((tree for trees in self.rounds for tree in trees), voting, strict=True):
            total[rows] += tree.values[tree.apply(rounded[rows])]
            n_votes += rows
        return np.where(n_votes[:, None] > 0, total / np.maximum(n_votes, 1)[:, None], np.nan)

    def _averaged(self, of_parts: Iterable[FloatArray]) -> FloatArray:
        """The weighted mean of what the parts predict, as far as they do; all classes alike where it is zero."""
        total: Any = 0.0
        known: Any = False
        for part, predicted in zip(self.parts, of_parts, strict=True):
            is_known = ~np.isnan(predicted).any(axis=1, keepdims=True)
            own = np.zeros((len(predicted), len(self.classes)))
            kept = part.columns >= 0
            own[:, part.columns[kept]] = predicted[:, kept]
            total, known = total + part.weight * np.where(is_known, own, 0.0), known | is_known
        sums = total.sum(axis=1, keepdims=True)
        mean = np.divide(total, sums, out=np.full_like(total, 1 / len(self.classes)), where=sums > 0)
        return np.where(known, mean, np.nan)


@attrs.frozen(eq=False)
class Part:
    """One of several forests whose probabilities are averaged.

    Attributes
    ----------
    forest : Forest
    columns : ndarray of shape (n_part_classes,)
        Index, among the classes of the whole, of each class that the part predicts; -1 for one that is left out.
    weight : float
        Weight in the average.
    calibrated : callable or None
        Maps what the part predicts to its calibrated probabilities of the same classes; None for no calibration.
    calibrates : {"probabilities", "scores"}
        What `calibrated` is given.
    """

    forest: Forest
    columns: IntArray
    weight: float = 1.0
    calibrated: Callable[[FloatArray], FloatArray] | None = None
    calibrates: Literal["probabilities", "scores"] = "probabilities"

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Class probabilities of the part, calibrated if it is, of shape (n_samples, n_part_classes)."""
        if self.calibrated is None:
            return self.forest.predict_proba(X)
        is_raw = self.calibrates == "scores"
        return self.calibrated(self.forest.scores(X) if is_raw else self.forest.predict_proba(X))

    def predict_proba_by(self, X: FloatArray, voting: list[BoolArray]) -> FloatArray:
        """The same from the trees that vote on each sample; NaN for samples that the part cannot answer by these.

        Trees that are only added up answer samples on which all of them vote.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        voting : list of ndarrays of shape (n_samples,)
            For each tree of the part, the samples that it answers.
        """
        by_trees = self.forest.predict_proba_by(X, voting)
        if by_trees is None:
            rows = np.logical_and.reduce(voting)
            found = np.full((len(X), len(self.columns)), np.nan)
            found[rows] = self.predict_proba(X[rows])
            return found
        known = ~np.isnan(by_trees).any(axis=1)
        if self.calibrated is not None and known.any():
            by_trees[known] = self.calibrated(by_trees[known])
        return by_trees


def to_probabilities(scores: FloatArray, link: Link) -> FloatArray:
    """Class probabilities, of shape (n_samples, n_classes), of boosting scores.

    Scores have one column for "logistic", otherwise one for each class.
    """
    if link == "logistic":
        # expit(-v), not 1 - expit(v): the two classes are treated alike down to the smallest probability.
        return expit(np.column_stack([-scores[:, 0], scores[:, 0]]))
    return np.asarray(softmax(scores, axis=1))
