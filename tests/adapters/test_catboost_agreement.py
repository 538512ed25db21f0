"""A forest read from CatBoost says what CatBoost says, over random models and at every border."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("catboost")

from adapters.catboost_cases import UNSEEN, as_json, encoded, hard_samples, probabilities, random_case, rounded

SEEDS = range(150)


def leaf_values(case):
    """Scores of every tree's leaves in CatBoost's order, a list of (n_leaves, n_values)."""
    n_values = len(case.forest.initial_scores)
    ends = np.cumsum(case.model.get_tree_leaf_counts())
    return np.split(case.model.get_leaf_values().reshape(-1, n_values), ends[:-1])


@pytest.mark.parametrize("seed", SEEDS)
def test_probabilities_are_the_librarys(seed):
    """To 1e-12: the same sums in the same order, but the library's exponential is not NumPy's to the last bit."""
    case = random_case(seed)
    table = hard_samples(case)
    np.testing.assert_allclose(
        probabilities(case.forest, table), case.model.predict_proba(table), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_samples_share_a_leaf_exactly_where_the_librarys_do(seed):
    case = random_case(seed)
    table = hard_samples(case)
    for theirs, tree in zip(case.model.calc_leaf_indexes(table).T, case.trees, strict=True):
        pairs = pd.DataFrame({"theirs": theirs, "ours": tree.apply(rounded(case.forest, table))}).drop_duplicates()
        assert pairs["theirs"].is_unique
        assert pairs["ours"].is_unique


@pytest.mark.parametrize("seed", SEEDS)
def test_the_leaf_that_a_sample_reaches_has_the_librarys_scores(seed):
    case = random_case(seed)
    table = hard_samples(case)
    leaves = case.model.calc_leaf_indexes(table).T
    for position, expected in enumerate(leaf_values(case)):
        ours = case.trees[position].apply(rounded(case.forest, table))
        np.testing.assert_array_equal(expected[leaves[position]], case.trees[position].values[ours])  # noqa: PD011  # of a tree, not of a frame


def candidates(case, tree):
    """For every feature, values of which one lies on each side of each of its splits."""
    values = {}
    for feature in range(case.forest.n_features):
        if feature in case.forest.categories:
            values[feature] = np.arange(-1, len(case.forest.categories[feature]), dtype=float)
        else:
            borders = np.unique(tree.thresholds[tree.features == feature]).astype(np.float32)
            with np.errstate(over="ignore"):  # above the largest float32 lies infinity
                above = np.nextafter(borders, np.float32(np.inf))
            values[feature] = np.concatenate([borders, above, [0.0]]).astype(np.float64)
    return values


def left_mask(tree, node, values):
    if node in tree.category_splits:
        split = tree.category_splits[node]
        return np.isin(values, list(split.codes)) == split.goes_left
    return values <= tree.thresholds[node]


def reachable(case, tree):
    """Which candidates of each feature reach each node: all of them at the root, then what the splits let through."""
    values = candidates(case, tree)
    masks = {0: {feature: np.ones(len(own), dtype=bool) for feature, own in values.items()}}
    for node, feature in enumerate(tree.features.tolist()):
        if feature >= 0:
            left = left_mask(tree, node, values[feature])
            masks[tree.left[node]] = {**masks[node], feature: masks[node][feature] & left}
            masks[tree.right[node]] = {**masks[node], feature: masks[node][feature] & ~left}
    return values, masks


@pytest.mark.parametrize("seed", SEEDS)
def test_every_split_that_is_left_parts_values_that_can_reach_it(seed):
    case = random_case(seed)
    for tree in case.trees:
        _, masks = reachable(case, tree)
        assert all(own.any() for mask in masks.values() for own in mask.values())
        assert len(masks) == len(tree.features)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_leaf_that_is_left_is_one_that_the_library_reaches(seed):
    case = random_case(seed)
    for position, tree in enumerate(case.trees):
        values, masks = reachable(case, tree)
        leaves = np.flatnonzero(tree.features < 0).tolist()
        samples = [[values[f][mask][0] for f, mask in masks[leaf].items()] for leaf in leaves]
        table = labelled(case, np.array(samples))
        assert len(set(case.model.calc_leaf_indexes(table)[:, position].tolist())) == len(leaves)


def labelled(case, samples):
    """Codes as labels again, for CatBoost; -1 is a label that it has never seen."""
    columns = {}
    for position, name in enumerate(case.table):
        column = samples[:, position]
        if position in case.forest.categories:
            known = case.forest.categories[position]
            column = [known[int(code)] if code >= 0 else UNSEEN[type(known[0])] for code in column]
        columns[name] = column
    return pd.DataFrame(columns)


class TestTheTestItself:
    """Random models that never split on a category, or never had a needless split, would prove nothing."""

    def test_models_have_every_kind_of_split(self):
        kinds = {bool(tree.category_splits) for seed in SEEDS for tree in random_case(seed).trees}
        assert {True, False} == kinds

    def test_some_splits_part_missing_values_from_all_others(self):
        largest = float(np.finfo(np.float32).max)
        thresholds = {t for seed in SEEDS for tree in random_case(seed).trees for t in tree.thresholds.tolist()}
        assert {largest, -largest} <= thresholds

    def test_some_trees_had_needless_splits(self):
        cut = 0
        for seed in SEEDS:
            case = random_case(seed)
            cut += any(
                (tree.features < 0).sum() < count
                for tree, count in zip(case.trees, case.model.get_tree_leaf_counts(), strict=True)
            )
        assert cut > 20

    def test_every_growing_policy_nan_mode_and_loss_is_there(self):
        parameters = [as_json(random_case(seed).model)["model_info"]["params"] for seed in SEEDS]
        assert {"SymmetricTree", "Depthwise", "Lossguide"} == {
            own["tree_learner_options"]["grow_policy"] for own in parameters
        }
        assert {"Logloss", "CrossEntropy", "Focal", "MultiClass"} == {
            own["loss_function"]["type"] for own in parameters
        }

    def test_some_models_stopped_early(self):
        assert any(
            random_case(seed).model.tree_count_ < random_case(seed).model.get_params()["iterations"] for seed in SEEDS
        )

    def test_some_samples_have_missing_values_and_unseen_categories(self):
        cases = [random_case(seed) for seed in SEEDS]
        assert any((encoded(case.forest, hard_samples(case)) == -1).any() for case in cases if case.forest.categories)
        assert any(case.table.isna().any(axis=None) for case in cases)
