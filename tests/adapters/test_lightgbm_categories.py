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

import rulekit
from rulekit.adapters.lightgbm import LightGBMAdapter
from rulekit.core.errors import EnsembleMismatchError
from rulekit.core.validation import Categories
from rulekit.model import read_forest


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


def ambiguous(seed, n_samples=200):
    """A frame with an ordered category beside a number that could be its codes, in any order of columns."""
    rng = np.random.default_rng(seed)
    levels = ["low", "mid", "high", "top"]
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(rng.choice(levels, n_samples), rng.permutation(levels), ordered=True),
            "count": rng.integers(0, 4, n_samples),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n_samples)),
        }
    )
    frame = frame[rng.permutation(frame.columns)]
    y = (frame["size"].isin(["low", "top"]) ^ (frame["count"] > 1) ^ (rng.random(n_samples) < 0.1)).astype(int)
    return frame, y, frame.assign(size=frame["size"].cat.set_categories(rng.permutation(levels), ordered=True))


def without_parameters(booster):
    """The booster without its training parameters, as other programs may write it."""
    head, _, rest = booster.model_to_string().partition("\nparameters:")
    return lgb.Booster(model_str=head + rest.partition("end of parameters")[2])


@pytest.mark.parametrize("form", ["classifier", "string", "string without parameters"])
def test_labels_belong_to_the_categorical_columns_of_the_table(form):
    """The order of the table's own labels was taken where the model did not tell its columns: 0.81 off."""
    for seed in range(30):
        frame, y, reordered = ambiguous(seed)
        model = quiet().fit(frame, y)
        if form == "string":
            model = lgb.Booster(model_str=model.booster_.model_to_string())
        elif form == "string without parameters":
            model = without_parameters(model.booster_)
        forest = read_forest(model, LightGBMAdapter(), reordered, y.to_numpy(), was_fitted=True)
        for samples in (frame, reordered):
            predicted = forest.predict_proba(encoded(forest, samples))
            np.testing.assert_allclose(predicted, library_probabilities(model, samples), rtol=1e-12)


def test_a_table_with_labels_is_rejected_if_the_model_stores_none():
    """The table's own order of labels was taken for the codes, whatever the model was trained on."""
    frame, y, reordered = ambiguous(0)
    stored = quiet().fit(frame, y).booster_.model_to_string().partition("\npandas_categorical:")[0]
    with pytest.raises(EnsembleMismatchError, match="but the model stores no labels: it was trained on codes, or"):
        rulekit.build("rcprob", lgb.Booster(model_str=stored)).fit(reordered, y)


def test_a_table_with_fewer_categorical_columns_is_rejected():
    frame, y, _ = ambiguous(0)
    model = quiet().fit(frame, y)
    with pytest.raises(EnsembleMismatchError, match="trained on 2 columns of pandas' type category, but X has 1"):
        rulekit.build("rcprob", model).fit(frame.assign(size=frame["size"].cat.codes), y)
    numbers = frame.assign(size=frame["size"].cat.codes, colour=frame["colour"].cat.codes)
    with pytest.raises(EnsembleMismatchError, match="but X has 0"):
        rulekit.build("rcprob", model).fit(numbers, y)


def test_a_table_with_another_categorical_column_is_rejected_if_its_codes_are_too_large():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": pd.Categorical(rng.choice(["low", "high"], 200), ordered=True), "n": rng.integers(0, 9, 200)}
    )
    y = (frame["n"] > 4).astype(int)
    other = pd.DataFrame({"size": frame["size"].cat.codes, "n": pd.Categorical(frame["n"])})
    with pytest.raises(
        EnsembleMismatchError, match="Column 2 of X cannot have the categories 'high', 'low': the model"
    ):
        rulekit.build("rcprob", quiet().fit(frame, y)).fit(other, y)


def test_codes_in_an_array_are_read_as_the_library_reads_them():
    """Also for an ambiguous model: an array has no labels."""
    frame, y, _ = ambiguous(0)
    model = quiet().fit(frame, y)
    codes = frame.assign(size=frame["size"].cat.codes, colour=frame["colour"].cat.codes).to_numpy(dtype=float)
    forest = read_forest(model, LightGBMAdapter(), codes, y.to_numpy(), was_fitted=True)
    np.testing.assert_allclose(forest.predict_proba(codes), library_probabilities(model, codes), rtol=1e-12)


def test_codes_in_place_of_labels_raise_instead_of_matching_no_set():
    """LightGBM reads an array as codes; the rules looked the codes up as labels, and found none."""
    rng = np.random.default_rng(0)
    colour = pd.Categorical(rng.choice(["blue", "green", "red"], 300))
    frame = pd.DataFrame({"colour": colour, "size": rng.normal(size=300)})
    y = (colour.codes + frame["size"] > 1).astype(int)
    model = lgb.LGBMClassifier(n_estimators=5, verbosity=-1, n_jobs=1).fit(frame, y)
    codes = np.column_stack([colour.codes, frame["size"]])
    with pytest.raises(EnsembleMismatchError, match="No value of column 1 is a category of the LGBMClassifier"):
        rulekit.build("rcprob", model).fit(codes, y)
