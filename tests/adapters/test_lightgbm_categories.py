"""Categories in LightGBM: codes, labels, and the column that labels belong to."""

import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
from adapters.lightgbm_cases import (
    dumped_nodes,
    dumped_trees,
    forest_leaves,
    library_leaves,
    library_probabilities,
    quiet,
)

from rulekit.adapters.lightgbm import LightGBMAdapter
from rulekit.core.validation import Categories


def table(seed=0, n_samples=300):
    """Unordered, ordered and numeric labels, and a category that is always the same; gaps in all but the last."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n_samples),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue", "grey"], n_samples)),
            "size": pd.Categorical(rng.choice(["low", "mid", "high"], n_samples), ["low", "mid", "high"], ordered=True),
            "year": pd.Categorical(rng.choice([1999, 2004, 2010], n_samples)),
            "constant": pd.Categorical(["same"] * n_samples),
        }
    )
    for name in ("number", "colour", "size", "year"):
        frame.loc[rng.random(n_samples) < 0.1, name] = np.nan
    y = (frame["colour"] == "red") | (frame["year"] == 2004) | (frame["size"] == "high") & (frame["number"] > 0)
    return frame, (y ^ (rng.random(n_samples) < 0.1)).astype(int)


def encoded(forest, frame):
    return Categories(forest.categories, forest.unknown_as_missing).encode(frame)


@pytest.fixture(scope="module")
def case():
    frame, y = table()
    return quiet(n_estimators=10).fit(frame, y), frame


def test_labels_are_found_by_column(case):
    model, _ = case
    assert LightGBMAdapter().forest(model).categories == {
        1: ("blue", "green", "grey", "red"),
        2: ("low", "mid", "high"),
        3: (1999, 2004, 2010),
        4: ("same",),
    }


def test_the_model_splits_on_categories_and_on_the_order_of_ordered_ones(case):
    model, _ = case
    inner = [node for tree in dumped_trees(model) for node in dumped_nodes(tree) if "left_child" in node]
    assert {(node["split_feature"], node["decision_type"]) for node in inner} >= {(1, "=="), (2, "<="), (3, "==")}


def test_probabilities_of_a_table_are_the_librarys(case):
    model, frame = case
    forest = LightGBMAdapter().forest(model)
    predicted = forest.predict_proba(encoded(forest, frame))
    np.testing.assert_allclose(predicted, library_probabilities(model, frame), rtol=1e-12)


def test_labels_that_were_never_seen_go_where_the_library_sends_them(case):
    model, frame = case
    unseen = frame.assign(
        colour=pd.Categorical(np.where(np.arange(len(frame)) % 2, "mauve", frame["colour"].astype(object))),
        year=pd.Categorical(np.where(np.arange(len(frame)) % 3, 1789, frame["year"].astype(object))),
    )
    forest = LightGBMAdapter().forest(model)
    predicted = forest.predict_proba(encoded(forest, unseen))
    np.testing.assert_allclose(predicted, library_probabilities(model, unseen), rtol=1e-12)


def test_labels_survive_a_model_file(case, tmp_path):
    model, frame = case
    model.booster_.save_model(tmp_path / "model.txt")
    loaded = lgb.Booster(model_file=tmp_path / "model.txt")
    forest = LightGBMAdapter().forest(loaded)
    assert forest.categories == LightGBMAdapter().forest(model).categories
    predicted = forest.predict_proba(encoded(forest, frame))
    np.testing.assert_allclose(predicted, library_probabilities(model, frame), rtol=1e-12)


def test_labels_of_an_ordered_column_are_not_known_if_another_could_have_them():
    """A number that begins at zero looks like the codes of the ordered column."""
    frame, y = table()
    frame["number"] = np.random.default_rng(0).integers(0, 3, size=len(frame))
    assert LightGBMAdapter().forest(quiet().fit(frame, y)).categories == {}


def test_labels_are_not_known_if_they_contradict_the_codes():
    """Told that a column of numbers is categorical, LightGBM takes the labels' own column for a number."""
    frame, y = table()
    frame = pd.DataFrame({"size": frame["size"], "code": np.random.default_rng(0).integers(5, 9, size=len(frame))})
    model = quiet().fit(frame, y, categorical_feature=["code"])
    assert LightGBMAdapter().forest(model).categories == {}


def test_codes_have_no_labels():
    X = np.random.default_rng(0).integers(5, size=(200, 2)).astype(float)
    model = quiet().fit(X, np.isin(X[:, 0], [1, 3]), categorical_feature=[0])
    forest = LightGBMAdapter().forest(model)
    assert forest.categories == {}
    assert forest.rounds[0][0].category_splits[0].codes in ({1, 3}, {0, 2, 4})


def test_codes_beyond_one_word_of_bits_are_read():
    rng = np.random.default_rng(0)
    X = rng.integers(150, size=(2000, 1)).astype(float)
    model = quiet(n_estimators=2).fit(X, X[:, 0] % 7 < 3, categorical_feature=[0])
    forest = LightGBMAdapter().forest(model)
    assert max(max(split.codes) for split in forest.rounds[0][0].category_splits.values()) > 96
    everything = np.arange(-3.0, 200.0)[:, None]
    np.testing.assert_array_equal(library_leaves(model, everything), forest_leaves(forest, everything))


@pytest.mark.parametrize("code", [np.nan, -1.0, -40.0, 9.0, 1e6, 2.0**31, -np.inf])
def test_unusual_codes_go_where_the_library_sends_them(code):
    X = np.random.default_rng(0).integers(5, size=(200, 1)).astype(float)
    model = quiet().fit(X, np.isin(X[:, 0], [1, 3]), categorical_feature=[0])
    sample = np.array([[code]])
    forest = LightGBMAdapter().forest(model)
    np.testing.assert_array_equal(library_leaves(model, sample), forest_leaves(forest, sample))
