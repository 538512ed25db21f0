"""From an ensemble to candidate antecedents: leaves of the first trees, cut at a depth, each only once."""

import attrs
import numpy as np

from rulekit.plugin import IntArray, TrainingData, Tree


def limited(data: TrainingData, max_trees: int | None, max_depth: int | None) -> TrainingData:
    """The training data of the first trees only, cut at a depth; most informative splits are near the root.

    Parameters
    ----------
    data : TrainingData
    max_trees : int or None
        Rounds of trees; None keeps all.
    max_depth : int or None
        Splits on the path to a leaf; None keeps all. Samples are indexed again only if a tree is deeper.
    """
    forest = attrs.evolve(data.forest, rounds=data.forest.rounds[:max_trees])
    rounds = tuple(tuple(cut(tree, max_depth) for tree in trees) for trees in forest.rounds)
    trees = [tree for trees in forest.rounds for tree in trees]
    if all(before is after for before, after in zip(trees, (tree for trees in rounds for tree in trees), strict=True)):
        return attrs.evolve(data, leaves=data.leaves[:max_trees])
    return data.with_forest(attrs.evolve(forest, rounds=rounds))


def cut(tree: Tree, max_depth: int | None) -> Tree:
    """The tree without the splits below a depth; the same object if there are none."""
    if max_depth is None:
        return tree
    level, kept = np.zeros(1, dtype=np.int64), np.zeros(len(tree.features), dtype=bool)
    for _ in range(max_depth):
        inner = level[tree.features[level] >= 0]
        kept[inner] = True
        level = np.concatenate([tree.left[inner], tree.right[inner]])
    if not (tree.features[level] >= 0).any():
        return tree
    splits = {node: split for node, split in tree.category_splits.items() if kept[node]}
    return attrs.evolve(tree, features=np.where(kept, tree.features, -1), category_splits=splits)


def candidate_antecedents(data: TrainingData, max_rules: int | None, random: np.random.Generator) -> IntArray:
    """Distinct antecedents of leaves that have training samples, of shape (n_rules, width), in a fixed order.

    Parameters
    ----------
    data : TrainingData
    max_rules : int or None
        If there are more, this number is drawn at random; None keeps all.
    random : numpy Generator
    """
    pad = data.pad
    width = max(of_round.antecedents.shape[1] for of_round in data.leaves)
    of_rounds = [
        np.pad(leaves.antecedents, ((0, 0), (0, width - leaves.antecedents.shape[1])), constant_values=pad)
        for leaves in data.leaves
    ]
    antecedents = distinct(np.concatenate(of_rounds))
    antecedents = antecedents[(antecedents != pad).any(axis=1)]
    antecedents = antecedents[data.cover(antecedents).any(axis=1)]
    if max_rules is None or len(antecedents) <= max_rules:
        return antecedents
    return antecedents[np.sort(random.choice(len(antecedents), max_rules, replace=False))]


def distinct(rows: IntArray) -> IntArray:
    """Distinct rows in ascending order, of shape (n_distinct, width)."""
    return np.unique(rows, axis=0) if rows.size else rows[:1]
