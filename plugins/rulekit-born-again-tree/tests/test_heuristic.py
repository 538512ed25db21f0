"""Conjunctions and gains against twins that look at one box, one sample and one split at a time."""

import numpy as np
import pytest
from rulekit_born_again_tree.conjunctions import conjunctions_of
from rulekit_born_again_tree.grid import Grid
from rulekit_born_again_tree.hierarchy import Axes, Hierarchy, split_gains
from scipy.stats import entropy
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit


@pytest.fixture(
    scope="module",
    params=[
        (RandomForestClassifier(4, max_depth=3, random_state=0), 2),
        (RandomForestClassifier(3, max_depth=3, random_state=1), 3),
        (GradientBoostingClassifier(n_estimators=4, random_state=0), 2),
        (GradientBoostingClassifier(n_estimators=2, random_state=0), 3),
    ],
    ids=lambda param: f"{type(param[0]).__name__}-{param[1]}",
)
def case(request):
    model, n_classes = request.param
    X, y = make_classification(
        80, 4, n_informative=3, n_redundant=0, n_classes=n_classes, n_clusters_per_class=1, random_state=0
    )
    ensemble = model.fit(X, y)
    data = rulekit.build("born-again-tree", ensemble).prepare(X, y)
    return ensemble, X, data.forest, Grid.of(data.conditions)


def leaf_boxes(tree, n_features):
    """(leaf, lower ends, upper ends) of each leaf of a scikit-learn tree, by recursion; ends are thresholds."""

    def below(node, low, high):
        if tree.children_left[node] < 0:
            yield node, tuple(low), tuple(high)
            return
        feature, threshold = tree.feature[node], tree.threshold[node]
        left_high, right_low = list(high), list(low)
        left_high[feature] = min(high[feature], threshold)
        right_low[feature] = max(low[feature], threshold)
        yield from below(tree.children_left[node], low, left_high)
        yield from below(tree.children_right[node], right_low, high)

    yield from below(0, [-np.inf] * n_features, [np.inf] * n_features)


def naive_conjunctions(trees, X, limit):
    """All pairs of conjunction and leaf, those that samples satisfy, and of them those that most satisfy."""
    X32 = X.astype(np.float32)
    found = [((-np.inf,) * X.shape[1], (np.inf,) * X.shape[1], frozenset(range(len(X))))]
    for tree in trees:
        merged = []
        for low, high, samples in found:
            for _, leaf_low, leaf_high in sorted(leaf_boxes(tree, X.shape[1])):
                new_low, new_high = tuple(map(max, low, leaf_low)), tuple(map(min, high, leaf_high))
                inside = frozenset(
                    sample for sample in samples if all(new_low < X32[sample]) and all(X32[sample] <= new_high)
                )
                if inside:
                    merged.append((new_low, new_high, inside))
        ranked = sorted(range(len(merged)), key=lambda position: -len(merged[position][2]))[:limit]
        found = [merged[position] for position in sorted(ranked)]
    return found


@pytest.mark.parametrize("limit", [5, 12, 1000])
def test_conjunctions_are_those_of_all_pairs_of_leaves(case, limit):
    ensemble, X, forest, grid = case
    conjunctions = conjunctions_of(forest, X, grid, limit)
    trees = [tree.tree_ for tree in np.ravel(ensemble.estimators_)]
    naive = naive_conjunctions(trees, X, limit)
    assert conjunctions.weights.tolist() == [len(samples) for _, _, samples in naive]
    cells = grid.cells(X)
    inside = (cells >= conjunctions.low[:, None]) & (cells <= conjunctions.high[:, None])
    assert [set(np.flatnonzero(row)) for row in inside.all(axis=2)] == [set(samples) for _, _, samples in naive]
    for row, (low, high, _) in enumerate(naive):
        for axis, feature in enumerate(grid.features):
            ends = np.concatenate([[-np.inf], grid.cutoffs[axis], [np.inf]])
            first, last = ends[conjunctions.low[row, axis]], ends[conjunctions.high[row, axis] + 1]
            assert (first, last) == pytest.approx((low[feature], high[feature]), rel=1e-6)


def test_a_conjunction_says_what_the_ensemble_says_of_its_samples(case):
    ensemble, X, forest, grid = case
    conjunctions = conjunctions_of(forest, X, grid, 1000)
    cells, probabilities = grid.cells(X), ensemble.predict_proba(X)
    for low, high, own in zip(conjunctions.low, conjunctions.high, conjunctions.probabilities, strict=True):
        inside = ((cells >= low) & (cells <= high)).all(axis=1)
        assert probabilities[inside] == pytest.approx(np.tile(own, (inside.sum(), 1)))


def fraction_between(cells, axis, low, high):
    return sum(low <= cell <= high for cell in cells[:, axis])


def test_gains_are_those_of_splitting_the_set_of_conjunctions(case):
    """A conjunction is on a side with the share of all samples within its bounds on that axis that is there."""
    _, X, forest, grid = case
    found, cells = conjunctions_of(forest, X, grid, 30), grid.cells(X)
    gains, is_split = split_gains(found, Axes.of(cells, grid.shape))
    assert len(gains) == sum(grid.shape)
    split, n_split = 0, 0
    for axis, length in enumerate(grid.shape):
        for position in range(length):
            amounts = np.zeros((2, found.probabilities.shape[1]))
            for low, high, weight, probabilities in zip(
                found.low, found.high, found.weights, found.probabilities, strict=True
            ):
                on_left = fraction_between(cells, axis, low[axis], min(high[axis], position))
                on_left /= fraction_between(cells, axis, low[axis], high[axis])
                amounts += weight * np.outer([on_left, 1 - on_left], probabilities)
            sides = amounts.sum(axis=1)
            assert is_split[split] == (sides > 1e-6).all()
            if is_split[split]:
                mixed = sum(side * entropy(own, base=2) for side, own in zip(sides, amounts, strict=True)) / sides.sum()
                assert gains[split] == pytest.approx(entropy(amounts.sum(axis=0), base=2) - mixed, abs=1e-9)
                n_split += 1
            split += 1
    assert n_split > 5


def test_without_a_limit_of_depth_every_leaf_is_of_one_class(case):
    ensemble, X, forest, grid = case
    found = conjunctions_of(forest, X, grid, 1000)
    cells = grid.cells(X)
    tree = Hierarchy(Axes.of(cells, grid.shape), cells, forest.predict_proba(X), np.inf).tree(found)
    predicted = []
    for cell in grid.cells(X):
        node = tree
        while hasattr(node, "axis"):
            node = node.left if cell[node.axis] <= node.position else node.right
        predicted.append(ensemble.classes_[node.label])
    assert np.mean(predicted == ensemble.predict(X)) == 1.0
