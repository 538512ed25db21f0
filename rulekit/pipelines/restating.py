"""A forest on the columns that a pipeline's steps return, restated as one on the columns of the table."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.core.conditions import exact_cutoffs
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import CategorySplit, Forest, Tree
from rulekit.pipelines.raw_columns import RawColumn, RawColumns
from rulekit.pipelines.splits import LabelSplit, NumberSplit, Reach, Split


@attrs.frozen(eq=False)
class Restatement:
    """Restates forests on the transformed columns, the trees of which keep their leaves.

    Attributes
    ----------
    raw : RawColumns
    features : mapping of int to int
        The feature that each column of the table becomes.
    unchanged : mapping of int to int
        The feature that each transformed column becomes that stays as it is.
    n_features : int
    unused_labels : frozenset of int
        Features without conditions whose values are no numbers.
    numbers_of : callable
        What a transformed table is for the trees of a forest, of shape (n_samples, n_features).
    """

    raw: RawColumns
    features: Mapping[int, int]
    unchanged: Mapping[int, int]
    n_features: int
    unused_labels: frozenset[int]
    numbers_of: Callable[[Forest, Any], FloatArray]

    def __call__(self, forest: Forest) -> Forest:
        """The same forest on the columns of the table: it predicts the same, to the last bit."""
        splits = _Splits(self, forest)
        labels = {
            self.features[column]: raw.cells.labels
            for column, raw in self.raw.columns.items()
            if raw.cells.labels is not None
        }
        return attrs.evolve(
            forest,
            rounds=tuple(tuple(restated(tree, splits.of(tree)) for tree in trees) for trees in forest.rounds),
            n_features=self.n_features,
            input_dtype=np.dtype(np.float64),
            handles_missing=True,
            categories={**dict.fromkeys(self.unused_labels, ()), **labels},
            unknown_as_missing=False,
            missing_value=None,
            parts=tuple(attrs.evolve(part, forest=self(part.forest)) for part in forest.parts),
        )


def restated(tree: Tree, splits: list[Split | None]) -> Tree:
    """A tree that asks about the table's columns, and has the leaves of another tree.

    What a node asks may need several nodes, and none where the way is decided by the nodes above.

    Parameters
    ----------
    tree : Tree
    splits : list
        What each node asks; None for leaves.
    """
    features: list[int] = []
    thresholds: list[float] = []
    missing_left: list[bool] = []
    origins: list[int] = []
    categories: dict[int, CategorySplit] = {}
    children: list[list[int]] = []
    pending: list[tuple[int, dict[int, Reach], int, int]] = [(0, {}, -1, 0)]
    while pending:
        node, reaches, parent, side = pending.pop()
        node = _decided(tree, splits, node, reaches)
        split, new = splits[node], len(features)
        if parent >= 0:
            children[parent][side] = new
        origins.append(node)
        children.append([-1, -1])
        if split is None:
            features.append(-1)
            thresholds.append(0.0)
            missing_left.append(False)
            continue
        reach: Any = reaches.get(split.feature, split.everything)
        asked = split.ask(reach)
        features.append(split.feature)
        thresholds.append(asked.threshold)
        missing_left.append(asked.missing_left)
        if asked.categories is not None:
            categories[new] = asked.categories
        pending.append((node, {**reaches, split.feature: asked.right}, new, 1))
        pending.append((node, {**reaches, split.feature: asked.left}, new, 0))
    left, right = np.array(children).T
    return Tree(
        features=np.array(features),
        thresholds=np.array(thresholds),
        left=left,
        right=right,
        values=tree.values[origins],
        priors=tree.priors[origins],
        missing_left=np.array(missing_left),
        category_splits=categories,
    )


def _decided(tree: Tree, splits: list[Split | None], node: int, reaches: Mapping[int, Reach]) -> int:
    """The first node at or below a node that does not send everything that reaches it the same way."""
    while (split := splits[node]) is not None:
        reach: Any = reaches.get(split.feature, split.everything)
        goes_left = split.decide(reach)
        if goes_left is None:
            return node
        node = int(tree.left[node] if goes_left else tree.right[node])
    return node


class _Splits:
    """What the nodes of a forest ask, on the columns of the table."""

    def __init__(self, restatement: Restatement, forest: Forest) -> None:
        self.given, self.forest = restatement, forest
        self.shown = self._rounded(restatement.raw.numbers(lambda probe: restatement.numbers_of(forest, probe)))
        self.thresholds = _thresholds_by_feature(forest)
        self.known: dict[tuple[Any, ...], Split] = {}
        self.shown_by_path: dict[int, tuple[FloatArray, FloatArray]] = {}

    def of(self, tree: Tree) -> list[Split | None]:
        """What each node of a tree asks; None for leaves."""
        found: list[Split | None] = []
        rows = zip(tree.features.tolist(), tree.thresholds.tolist(), tree.missing_left.tolist(), strict=True)
        for node, (feature, threshold, missing_left) in enumerate(rows):
            if feature < 0:
                found.append(None)
                continue
            category = tree.category_splits.get(node)
            # -0 and 0 split alike.
            key = (feature, None if category else threshold + 0.0, missing_left, category)
            if key not in self.known:
                self.known[key] = self._split(feature, threshold, missing_left, category)
            found.append(self.known[key])
        return found

    def _split(self, feature: int, threshold: float, missing_left: bool, category: CategorySplit | None) -> Split:
        given = self.given
        source = given.raw.sources[feature]
        if source.changed_by:
            return self._unchanged(feature, threshold, missing_left, category)
        raw = given.raw.columns[source.column]
        new, may_be_missing = given.features[source.column], raw.missing_row is not None

        def goes_left(values: FloatArray) -> BoolArray:
            if category is None:
                left = values <= threshold
            else:
                left = np.isin(values, list(category.codes)) == category.goes_left
            return np.where(np.isnan(values), missing_left, left)

        of_groups = self.shown[:, feature]
        absent, unknown = (
            None if row is None else bool(goes_left(of_groups[row : row + 1])[0])
            for row in (raw.missing_row, raw.unknown_row)
        )
        if raw.cells.labels is not None:
            sides = goes_left(of_groups[raw.rows]).tolist()
            return LabelSplit.of(new, sides, unknown, bool(absent), may_be_missing)
        cuts, values = self._intervals(feature, raw)
        left = goes_left(values)
        changes = np.flatnonzero(left[1:] != left[:-1])
        sides = left[np.append(changes, len(left) - 1)].tolist()
        return NumberSplit(new, cuts[changes].tolist(), sides, bool(absent), may_be_missing)

    def _unchanged(
        self, feature: int, threshold: float, missing_left: bool, category: CategorySplit | None
    ) -> NumberSplit:
        new = self.given.unchanged.get(feature)
        if new is None or category is not None:
            raise UnsupportedEnsembleError(
                f"Not supported: feature {feature + 1} of a pipeline's ensemble, which "
                f"{self.given.raw.sources[feature].changed_by} makes."
            )
        (cutoff,) = exact_cutoffs(np.array([threshold]), self.forest.input_dtype).tolist()
        return NumberSplit(new, [cutoff], [True, False], missing_left, may_be_missing=True)

    def _intervals(self, feature: int, raw: RawColumn) -> tuple[FloatArray, FloatArray]:
        """Cuts of a column of numbers, and what the intervals between them are for the trees; for all its splits."""
        path = self.given.raw.paths.get(feature)
        if path is None:
            return raw.cells.cuts, self.shown[raw.rows, feature]
        if feature not in self.shown_by_path:
            limits = self.thresholds[feature]
            if self.forest.missing_value is not None:
                missing = np.asarray(self.forest.missing_value, dtype=self.forest.input_dtype)
                below = np.nextafter(missing, np.asarray(-np.inf, dtype=self.forest.input_dtype))
                limits = np.concatenate([limits, [float(missing), float(below)]])
            cuts = np.union1d(path.cuts(limits, self._precise), path.breaks)
            above = np.nextafter(cuts[-1:], np.inf) if len(cuts) else np.array([(path.low + path.high) / 2])
            self.shown_by_path[feature] = cuts, self._rounded(path(np.append(cuts, above)))
        return self.shown_by_path[feature]

    def _precise(self, values: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return values.astype(self.forest.input_dtype).astype(np.float64)

    def _rounded(self, values: FloatArray) -> FloatArray:
        """Numbers as the trees compare them: rounded, and NaN for the number that stands for a missing value."""
        rounded = self._precise(values)
        if self.forest.missing_value is None:
            return rounded
        missing = float(np.asarray(self.forest.missing_value, dtype=self.forest.input_dtype))
        return np.where(rounded == missing, np.nan, rounded)


def _thresholds_by_feature(forest: Forest) -> dict[int, FloatArray]:
    trees = [tree for trees in forest.rounds for tree in trees]
    features = np.concatenate([tree.features for tree in trees])
    thresholds = np.concatenate([tree.thresholds for tree in trees])
    used = np.unique(features[features >= 0]).tolist()
    return {feature: np.unique(thresholds[features == feature]) for feature in used}
