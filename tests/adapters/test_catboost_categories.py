"""CatBoost's categories: what they are called, where they go, and labels that CatBoost takes for one another."""

import re

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("catboost")

from adapters.catboost_cases import probabilities, read, small_model
from catboost import CatBoostClassifier

from rulekit.adapters.catboost import CatBoostAdapter
from rulekit.adapters.catboost_categories import hash_strings
from rulekit.adapters.catboost_document import read_document
from rulekit.core.errors import EnsembleMismatchError, InvalidParameterError, UnsupportedEnsembleError


def rejected(expected, error):
    return pytest.raises(error, match=f"^{re.escape(expected)}$")


@pytest.fixture(scope="module")
def table():
    """Categories before, between and after numbers, so that no count of columns agrees with another by chance."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "pet": rng.choice(["ant", "bee", "cow"], 80),
            "x": rng.normal(size=80),
            "rooms": rng.integers(1, 5, 80),
            "y": rng.normal(size=80),
            "tame": rng.random(80) < 0.5,
        }
    )


@pytest.fixture(scope="module")
def model(table):
    target = (table["pet"] == "bee") ^ (table["rooms"] == 3) ^ table["tame"] ^ (table["y"] > 1)
    return small_model(table, target.astype(int), cat_features=["pet", "rooms", "tame"], iterations=10, depth=4)


def assert_same_probabilities(model, forest, table):
    np.testing.assert_allclose(probabilities(forest, table), model.predict_proba(table), rtol=1e-12, atol=1e-15)


class TestLabels:
    def test_are_those_of_the_table_by_position(self, model, table):
        expected = {0: ("ant", "bee", "cow"), 2: (1, 2, 3, 4), 4: (False, True)}
        assert read(model, table).categories == expected

    @pytest.mark.parametrize("frame", ["as it is", "objects", "category dtype", "polars"])
    def test_can_come_from_any_table(self, model, table, frame):
        forms = {
            "as it is": lambda: table,
            "objects": lambda: table.to_numpy(dtype=object),
            "category dtype": lambda: table.astype({"pet": "category", "rooms": "category"}),
            "polars": lambda: pytest.importorskip("polars").from_pandas(table),
        }
        assert_same_probabilities(model, read(model, forms[frame]()), table)

    def test_can_be_given_by_name_and_position_in_any_order(self, model, table):
        given = {"pet": ["cow", "zebra", "ant", "bee"], 2: np.arange(9), "tame": pd.Series([True, False])}
        forest = CatBoostAdapter(categories=given).forest(model)
        assert forest.categories[0] == ("cow", "zebra", "ant", "bee")
        assert_same_probabilities(model, forest, table)

    def test_of_a_column_without_splits_need_not_be_given(self, table):
        """A column that no tree splits on is listed all the same, because it has to be read as categories."""
        model = small_model(table, table["pet"] == "bee", cat_features=["pet", "rooms", "tame"], depth=1, iterations=1)
        assert CatBoostAdapter(categories={"pet": ["bee"]}).forest(model).categories == {0: ("bee",), 2: (), 4: ()}

    def test_that_are_missing_are_none(self, model, table):
        gaps = table.astype({"pet": object})
        gaps.loc[3, "pet"] = None
        gaps.loc[4, "pet"] = np.nan
        assert read(model, gaps).categories[0] == ("ant", "bee", "cow")

    def test_of_two_kinds_are_sorted_by_kind(self):
        mixed = pd.DataFrame({"k": pd.Series(["b", 2, "a", 1] * 10, dtype=object), "x": 0.0})
        model = small_model(mixed, [0, 1, 1, 0] * 10, cat_features=["k"])
        assert read(model, mixed).categories[0] == (1, 2, "a", "b")


class TestCategoriesGoWhereTheLibrarySendsThem:
    def test_those_of_training(self, model, table):
        assert_same_probabilities(model, read(model, table), table)

    def test_unseen_ones_with_all_that_a_split_does_not_name(self, model, table):
        unseen = table.assign(pet="unicorn", rooms=77)
        assert_same_probabilities(model, read(model, table), unseen)

    def test_a_split_names_one_category_that_goes_right(self, model, table):
        splits = [split for (tree,) in read(model, table).rounds for split in tree.category_splits.values()]
        assert splits
        assert {(len(split.codes), split.goes_left) for split in splits} == {(1, False)}

    def test_a_number_and_its_string_are_one_category_to_the_library(self, model, table):
        as_string = table.assign(rooms=table["rooms"].astype(str))
        assert_same_probabilities(model, read(model, as_string), as_string)
        np.testing.assert_array_equal(model.predict_proba(as_string), model.predict_proba(table))

    @pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise", "Lossguide"])
    def test_where_columns_have_no_names(self, table, policy):
        rows = table.drop(columns="tame").to_numpy(dtype=object)
        target = (table["pet"] == "bee") ^ (table["rooms"] == 3)
        model = small_model(rows, target.astype(int), cat_features=[0, 2], grow_policy=policy)
        forest = read(model, rows)
        assert set(forest.categories) == {0, 2}
        assert_same_probabilities(model, forest, table.drop(columns="tame"))

    def test_after_the_model_has_dropped_columns(self, table):
        model = small_model(table, table["rooms"] == 3, cat_features=["pet", "rooms", "tame"], ignored_features=[0, 1])
        model.drop_unused_features()
        forest = read(model, table)
        assert set(forest.categories) <= {2, 4}
        numbers = np.where(table["rooms"] == 3, forest.categories[2].index(3), -1)
        samples = np.zeros((80, 5))
        samples[:, 2] = numbers
        assert forest.predict_proba(samples)[:, 1].round() == pytest.approx((table["rooms"] == 3).astype(float))


class TestHashes:
    def test_are_the_librarys_for_strings_of_every_length(self, model, table):
        """A model trained on the strings splits on the hashes that its pool lists."""
        strings = ["", "é", "日本", *("x" * n for n in (1, 3, 4, 7, 8, 15, 16, 17, 32, 33, 64, 65, 200))]
        assert len(hash_strings(read_document(model), model, strings)) == len(strings)
        column = pd.DataFrame({"k": strings * 10})
        for string in strings:
            other = small_model(column, column["k"] == string, cat_features=["k"], iterations=1, depth=1)
            assert_same_probabilities(other, read(other, column), column)

    def test_of_two_labels_can_be_the_same_which_makes_them_one_category(self):
        """Found among 150,000 labels: 32 bits are soon shared."""
        table = pd.DataFrame({"k": ["c40479", "c88019", "d"] * 10})
        model = small_model(table, [1, 1, 0] * 10, cat_features=["k"], iterations=1, depth=1)
        forest = read(model, table)
        twins = pd.DataFrame({"k": ["c40479", "c88019"]})
        assert len(set(model.predict_proba(twins)[:, 1])) == 1
        assert_same_probabilities(model, forest, table)
        other = small_model(table, [1, 1, 0] * 10, cat_features=["k"], iterations=1, depth=1, random_seed=1)
        assert len(set(hash_strings(read_document(other), other, ["c40479", "c88019"]).values())) == 1


class TestRejects:
    def test_category_splits_without_labels(self, model):
        expected = (
            "The CatBoostClassifier splits on the categories of 'pet', 'rooms', 'tame', but stores only their hashes. "
            "Pass the labels: CatBoostAdapter(categories={'pet': [...]}), or use with_categories_of(model, X)."
        )
        with rejected(expected, UnsupportedEnsembleError):
            read(model)

    def test_labels_that_lack_a_category_of_a_split(self, model, table):
        expected = (
            "The CatBoostClassifier splits on 1 categories of 'pet' that are not among the given labels. "
            "Pass all the categories that it was trained on."
        )
        splits_on = {tuple(split.codes) for (tree,) in read(model, table).rounds for split in splits_of(tree, 0)}
        rest = [label for code, label in enumerate(["ant", "bee", "cow"]) if (code,) not in splits_on]
        kept = [label for code, label in enumerate(["ant", "bee", "cow"]) if (code,) in splits_on][1:]
        given = {"pet": [*rest, *kept], "rooms": [1, 2, 3, 4], "tame": [False, True]}
        with rejected(expected, EnsembleMismatchError):
            CatBoostAdapter(categories=given).forest(model)

    def test_labels_for_a_column_of_numbers(self, model):
        expected = (
            "CatBoostAdapter: categories has labels for the column 'x', which is not among the categorical columns of "
            "the CatBoostClassifier: 'pet', 'rooms', 'tame'."
        )
        with rejected(expected, InvalidParameterError):
            CatBoostAdapter(categories={"x": [1]}).forest(model)

    def test_labels_for_a_model_without_categories(self):
        model = CatBoostClassifier(iterations=1, verbose=False, allow_writing_files=False).fit(
            [[0], [1]] * 4, [0, 1] * 4
        )
        expected = (
            "CatBoostAdapter: categories has labels for the column 0, which is not among the categorical columns of "
            "the CatBoostClassifier: there are none."
        )
        with rejected(expected, InvalidParameterError):
            CatBoostAdapter(categories={0: ["a"]}).forest(model)

    @pytest.mark.parametrize("label", [2.5, None])
    def test_labels_that_are_no_categories_to_the_library(self, model, label):
        expected = (
            "CatBoostAdapter: categories of column 2 must be strings or integers, as CatBoost itself requires, "
            f"got {label!r}. An array that can be read as numbers becomes floats: pass a data frame."
        )
        given = {"pet": ["ant", "bee", "cow"], "rooms": [1, 2, 3, 4, label], "tame": [False, True]}
        with rejected(expected, InvalidParameterError):
            CatBoostAdapter(categories=given).forest(model)


def splits_of(tree, feature):
    return [split for node, split in tree.category_splits.items() if tree.features[node] == feature]


def test_a_split_at_infinity_is_rejected():
    """CatBoost itself fails to write it as JSON, with an error that names neither the cause nor a way out."""
    table = pd.DataFrame({"size": [np.inf, -np.inf, 2.0, np.inf] * 5, "n": [-1, 1, 1, 1] * 5})
    model = small_model(table, np.array([0, 1, 1, 1] * 5))
    with pytest.raises(UnsupportedEnsembleError, match="splits at an infinite value, which CatBoost cannot write"):
        CatBoostAdapter().forest(model)
