"""Growing one tree on numbers and codes of categories; scikit-learn's tree does the work."""

from collections.abc import Collection

import attrs
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from rulekit.adapters.sklearn_trees import class_fractions, read_tree
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.forest import CategorySplit, Tree


@attrs.frozen
class Growth:
    """How a tree grows.

    Attributes
    ----------
    max_leaves : int or None
        Most leaves, at least 2: the split that reduces the impurity most comes first. None for no limit.
    max_depth : int or None
    ccp_alpha : float
        Complexity parameter of cost-complexity pruning.
    random_state : int or None
        Seed that decides between splits that are equally good.
    """

    max_leaves: int | None = None
    max_depth: int | None = None
    ccp_alpha: float = 0.0
    random_state: int | None = None

    def tree(
        self,
        X: FloatArray,
        y: IntArray,
        n_classes: int,
        categorical: Collection[int] = (),
        sample_weight: FloatArray | None = None,
    ) -> Tree:
        """Grow a tree.

        A split on a categorical feature sends some categories left: those that come first in the order of
        `category_ranks`. Categories that `X` lacks go where missing values go: to the side that lowers the impurity
        more, or to the larger one where none is missing.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Numbers, and whole numbers from 0 on for categories; NaN is a missing value.
        y : ndarray of shape (n_samples,)
            Class indices.
        n_classes : int
        categorical : collection of int
            Features that hold codes of categories.
        sample_weight : ndarray of shape (n_samples,), optional

        Returns
        -------
        tree : Tree
            Its values and priors are the class fractions at each node, of shape (n_nodes, n_classes).
        """
        ranks = {feature: category_ranks(X[:, feature], y, n_classes, sample_weight) for feature in categorical}
        grown = DecisionTreeClassifier(
            max_leaf_nodes=self.max_leaves,
            max_depth=self.max_depth,
            ccp_alpha=self.ccp_alpha,
            random_state=self.random_state,
        ).fit(_ranked(X, ranks), y, sample_weight)
        fractions = class_fractions(grown, grown.classes_, n_classes)
        return _with_category_splits(read_tree(grown, fractions, fractions), ranks)


def category_ranks(
    codes: FloatArray, y: IntArray, n_classes: int, sample_weight: FloatArray | None = None
) -> FloatArray:
    """The order in which a tree looks at the categories of a feature: it separates the first ones from the others.

    With two classes, categories are ordered by the fraction of the second class: the best split into two sets is then
    among the splits of this order (Breiman et al., 1984). With more classes, they are ordered along the first principal
    component of their class fractions (Coppersmith et al., 1999), which usually contains a good one. Ties keep the
    order of the codes.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Whole numbers from 0 on; NaN is a missing value.
    y : ndarray of shape (n_samples,)
        Class indices.
    n_classes : int
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    ranks : ndarray of shape (n_categories,)
        By code; NaN for categories without samples.

    Examples
    --------
    >>> import numpy as np
    >>> category_ranks(np.array([0.0, 0.0, 1.0, 2.0]), np.array([0, 1, 0, 1]), n_classes=2)
    array([1., 0., 2.])
    """
    present = ~np.isnan(codes)
    known, of_class = codes[present].astype(np.int64), y[present]
    n_categories = int(known.max(initial=-1)) + 1
    weights = np.zeros((n_categories, n_classes))
    np.add.at(weights, (known, of_class), 1.0 if sample_weight is None else sample_weight[present])
    seen = np.flatnonzero(weights.sum(axis=1))
    ranks = np.full(n_categories, np.nan)
    ranks[seen[np.argsort(_scores(weights[seen]), kind="stable")]] = np.arange(len(seen))
    return ranks


def _scores(weights: FloatArray) -> FloatArray:
    """One number for each category, of shape (n_categories,), from the weights of its classes."""
    totals = weights.sum(axis=1, keepdims=True)
    fractions = weights / totals
    if weights.shape[1] == 2 or len(weights) < 2:
        return fractions[:, -1]
    centred = fractions - np.average(fractions, axis=0, weights=totals[:, 0])
    _, axes = np.linalg.eigh((totals * centred).T @ centred)
    first = axes[:, -1]
    # An axis has no direction of its own. Rounding separates no categories that have equal fractions.
    return np.asarray(np.round(centred @ first * np.sign(first[np.abs(first).argmax()]), 12))


def _ranked(X: FloatArray, ranks: dict[int, FloatArray]) -> FloatArray:
    """The samples with ranks instead of codes."""
    ranked = np.array(X, dtype=np.float64)
    for feature, of_code in ranks.items():
        present = ~np.isnan(ranked[:, feature])
        ranked[present, feature] = of_code[ranked[present, feature].astype(np.int64)]
    return ranked


def _with_category_splits(tree: Tree, ranks: dict[int, FloatArray]) -> Tree:
    """The tree that looks up codes where the given one compares ranks."""
    splits = {}
    for node in np.flatnonzero(np.isin(tree.features, list(ranks))).tolist():
        of_code, threshold = ranks[int(tree.features[node])], tree.thresholds[node]
        # The categories of the other side are listed, so that those that are not known go where missing values go.
        lists_left = not tree.missing_left[node]
        listed = of_code <= threshold if lists_left else of_code > threshold
        splits[node] = CategorySplit(frozenset(np.flatnonzero(listed).tolist()), goes_left=lists_left)
    thresholds = np.array(tree.thresholds)
    thresholds[list(splits)] = 0.0
    return attrs.evolve(tree, thresholds=thresholds, category_splits=splits)


def node_counts(tree: Tree, X: FloatArray, y: IntArray, n_classes: int) -> FloatArray:
    """Samples of each class at every node of a tree, of shape (n_nodes, n_classes).

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_samples, n_features)
        As the tree compares them; they are rounded to float32, as scikit-learn does.
    y : ndarray of shape (n_samples,)
        Class indices.
    n_classes : int
    """
    counts = np.zeros((len(tree.features), n_classes))
    np.add.at(counts, (tree.apply(np.asarray(X, dtype=np.float32).astype(np.float64)), y), 1.0)
    for node in reversed(from_the_root(tree)):
        if tree.features[node] >= 0:
            counts[node] = counts[tree.left[node]] + counts[tree.right[node]]
    return counts


def from_the_root(tree: Tree) -> list[int]:
    """The nodes of a tree, each before its children, and the left one with all below it before the right one."""
    nodes, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if tree.features[node] >= 0:
            waiting += [int(tree.right[node]), int(tree.left[node])]
    return nodes


def leaves_of(tree: Tree) -> list[int]:
    """The leaves of a tree from left to right."""
    return [node for node in from_the_root(tree) if tree.features[node] < 0]
