"""Ordered categories in LightGBM: codes are compared, and unseen labels become missing values."""

import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
from adapters.lightgbm_cases import leaves_from_left_to_right, library_probabilities, quiet

import rulekit
from rulekit.adapters.lightgbm import LightGBMAdapter
from rulekit.core.conditions import match
from rulekit.core.tree_rules import leaf_rules
from rulekit.core.validation import Categories

N_CASES = 40
LEVELS = ["none", "low", "mid", "high", "top", "peak"]


def ordered_case(seed, use_missing=True, zero_as_missing=False):
    """A model, its training frame, and a frame with other orders of the labels, unseen labels and missing values."""
    rng = np.random.default_rng(seed)
    n_samples, levels = 200, LEVELS[: rng.integers(2, 7)]
    frame = pd.DataFrame(
        {
            "grade": pd.Categorical(rng.choice(levels, n_samples), rng.permutation(levels), ordered=True),
            "number": rng.choice([-1.0, 1.0], n_samples) * rng.uniform(1, 2, n_samples),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n_samples)),
        }
    )
    y = ((frame["grade"].cat.codes % 2 == 0) ^ (frame["colour"] == "red") ^ (rng.random(n_samples) < 0.1)).to_numpy(
        copy=True
    )
    if rng.random() < 0.6:
        gaps = rng.random(n_samples) < 0.2
        frame.loc[gaps, "grade"] = np.nan
        y[gaps] = rng.random() < 0.5
    y[:2] = [False, True]
    # With zero_as_missing, a split of numbers can separate zero from both sides, which rules cannot express.
    frame = frame[rng.permutation(["grade", "colour"] if zero_as_missing else frame.columns)]
    model = quiet(use_missing=use_missing, zero_as_missing=zero_as_missing).fit(frame, y.astype(int))
    return model, frame, y.astype(int), disturbed(frame, rng)


def disturbed(frame, rng):
    """The frame with the labels in another order, unseen labels and missing values."""
    labels = frame["grade"].astype(object).to_numpy().copy()
    which = rng.random(len(frame))
    labels[which < 0.2] = "unseen"
    labels[(which >= 0.2) & (which < 0.35)] = np.nan
    order = rng.permutation([label for label in dict.fromkeys(labels) if isinstance(label, str)])
    return frame.assign(grade=pd.Categorical(labels, order, ordered=bool(rng.random() < 0.5)))


def encoded(forest, frame):
    return Categories(forest.categories, forest.unknown_as_missing).encode(frame)


def assert_agrees(model, forest, frame):
    np.testing.assert_allclose(
        forest.predict_proba(encoded(forest, frame)), library_probabilities(model, frame), rtol=1e-12
    )


MISSING = [(True, False), (False, False), (True, True), (False, True)]


@pytest.mark.parametrize(("use_missing", "zero_as_missing"), MISSING)
def test_unseen_seen_and_missing_labels_agree_with_the_library(use_missing, zero_as_missing):
    """An unseen label was compared as code -1, where LightGBM treats it as missing: 0.94 became 0.005."""
    n_compared = 0
    for seed in range(N_CASES):
        model, frame, _, other = ordered_case(seed, use_missing, zero_as_missing)
        forest = LightGBMAdapter().forest(model)
        n_compared += forest.unknown_as_missing
        for samples in (frame, other):
            assert_agrees(model, forest, samples)
    assert n_compared > N_CASES / 2


@pytest.mark.parametrize(("use_missing", "zero_as_missing"), MISSING)
def test_the_rules_of_each_tree_add_up_to_the_librarys_prediction(use_missing, zero_as_missing):
    """One rule of each tree matches a sample; the scores of their leaves give LightGBM's probabilities."""
    for seed in range(N_CASES // 4):
        model, _, _, other = ordered_case(seed, use_missing, zero_as_missing)
        forest = LightGBMAdapter().forest(model)
        X = encoded(forest, other)
        missing = frozenset(forest.categories)
        conditions, rounds = leaf_rules(forest, list(other.columns), missing)
        scores = np.zeros((len(X), 1))
        for (tree,), leaves in zip(forest.rounds, rounds, strict=True):
            rows = [[each for each in row if each < len(conditions)] for row in leaves.antecedents.tolist()]
            matches = match(conditions, rows, X)
            np.testing.assert_array_equal(matches.sum(axis=0), 1)
            of_leaves = tree.values[leaves_from_left_to_right(tree)]  # noqa: PD011  # of a tree, not of a frame
            scores += of_leaves[matches.argmax(axis=0)]
        np.testing.assert_allclose(forest.probabilities(scores), library_probabilities(model, other), rtol=1e-12)


def test_rules_name_the_labels_of_an_ordered_category():
    """They printed codes: `grade > 1.5`."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"grade": pd.Categorical(rng.choice(LEVELS[:4], 300), LEVELS[:4], ordered=True)})
    y = (frame["grade"] > "low").astype(int)
    string = str(rulekit.build("rcprob", quiet()).fit(frame, y).ruleset_)
    assert "{high, mid}" in string or "{mid, high}" in string or "{none, low}" in string
    assert "grade >" not in string
    assert "grade <=" not in string


def test_unseen_labels_are_answered_as_missing_values_are():
    """Also if no value was missing in training: LightGBM turns the label into NaN, and NaN then counts as zero."""
    for seed in range(6):
        model, frame, y, other = ordered_case(seed)
        rules = rulekit.build("rcprob", model).fit(frame, y)
        unseen = other.assign(grade=pd.Categorical(["unseen"] * len(other)))
        missing = other.assign(grade=pd.Categorical([np.nan] * len(other), LEVELS))
        np.testing.assert_array_equal(rules.predict_proba(unseen), rules.predict_proba(missing))
        loaded = rulekit.RuleSet.from_dict(rules.ruleset_.to_dict())
        np.testing.assert_array_equal(rules.predict_proba(other), loaded.predict_proba(other))


def test_a_model_from_a_string_reads_ordered_categories_alike():
    model, frame, _, other = ordered_case(1)
    booster = lgb.Booster(model_str=model.booster_.model_to_string())
    forest = LightGBMAdapter().forest(booster)
    assert_agrees(booster, forest, frame)
    assert_agrees(booster, forest, other)
