"""Budgets: a search that has to end returns the best rules so far, complete, and says what it left out."""

import copy
import itertools
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from core.training_sets import random_rules, random_training_set
from search.contexts import context_of
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit import classifier, extractor
from rulekit import model as model_module
from rulekit.core import context as budgets
from rulekit.core import training_data
from rulekit.core.checks import parse_bytes
from rulekit.core.context import Budget
from rulekit.core.errors import (
    BudgetWarning,
    ClassWithoutRuleWarning,
    InvalidParameterError,
    LowFidelityWarning,
    MemoryBudgetError,
)
from rulekit.search import combine

# A list that a budget leaves with a rule or two cannot stand for four classes, and says so.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{warning.__module__}.{warning.__name__}")
    for warning in (LowFidelityWarning, ClassWithoutRuleWarning)
]

N_TREES = 12
Data = tuple[np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def data() -> Data:
    """Noisy, so no tree separates the classes and later trees are accepted."""
    return make_classification(600, 8, n_informative=6, n_classes=4, flip_y=0.1, random_state=0)


@pytest.fixture(scope="module")
def forest(data: Data) -> RandomForestClassifier:
    return RandomForestClassifier(N_TREES, max_depth=4, random_state=0).fit(*data)


def first_trees(forest: RandomForestClassifier, n_trees: int) -> RandomForestClassifier:
    """What the forest would be, had it been grown to that many trees only."""
    small = copy.copy(forest)
    small.estimators_, small.n_estimators = forest.estimators_[:n_trees], n_trees
    return small


def fitted(forest: Any, data: Data, method: str = "rcprob", **parameters: Any) -> rulekit.RuleExtractor:
    return rulekit.build(method, forest, **parameters).fit(*data)


def truncated(forest: Any, data: Data, method: str = "rcprob", **parameters: Any) -> tuple[rulekit.RuleExtractor, str]:
    """A model whose search was truncated, and the warning's message."""
    with pytest.warns(BudgetWarning) as caught:
        model = fitted(forest, data, method, **parameters)
    (of_budgets,) = (warning for warning in caught if warning.category is BudgetWarning)
    assert of_budgets.filename == __file__
    return model, str(of_budgets.message)


class Steps:
    """An observer that keeps the steps."""

    def __init__(self) -> None:
        self.steps: list[Any] = []

    @rulekit.hookimpl
    def rulekit_after_tree(self, step):
        self.steps.append(step)


class Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Every module's clock; indexing the samples takes ten seconds."""
    clock, index = Clock(), training_data.TrainingIndex

    def slow_index(*args: Any, **options: Any) -> Any:
        clock.now += 10.0
        return index(*args, **options)

    monkeypatch.setattr(training_data, "TrainingIndex", slow_index)
    for module in (budgets, classifier, extractor, model_module):
        monkeypatch.setattr(module, "perf_counter", clock)
    return clock


class SlowForest(RandomForestClassifier):
    """Its training takes a hundred seconds."""

    clock: Clock

    def fit(self, X, y, sample_weight=None):
        type(self).clock.now += 100.0
        return super().fit(X, y, sample_weight)


class TestTime:
    @pytest.mark.parametrize("method", ["rcprob", "rc+"])
    def test_without_time_the_rules_are_those_of_the_first_tree(self, data, forest, method):
        model, _ = truncated(forest, data, method, max_seconds=0)
        assert model.ruleset_ == fitted(first_trees(forest, 1), data, method).ruleset_

    @pytest.mark.parametrize("at", [1, 2, 3, 5, 8, 13, 21, 34, 60])
    def test_wherever_time_ends_the_rules_are_those_of_the_trees_before(self, data, forest, at, monkeypatch):
        """A clock that advances by one each time that it is looked at meets checks in the midst of every stage."""
        for module in (combine,):
            monkeypatch.setattr(module, "PAIRS_AT_ONCE", 50)
        ticks = itertools.count()
        monkeypatch.setattr(budgets, "perf_counter", lambda: float(next(ticks)))
        model, _ = truncated(forest, data, max_seconds=at)
        finished = len(model.history_) - 1
        assert 1 <= finished < N_TREES
        assert model.ruleset_ == fitted(first_trees(forest, finished), data).ruleset_

    def test_reading_and_indexing_count_and_training_does_not(self, data, forest, clock):
        """By a clock that stands still but for training, which takes 100 s, and indexing, which takes 10 s."""
        SlowForest.clock = clock
        unfitted = SlowForest(N_TREES, max_depth=4, random_state=0)
        whole = fitted(forest, data).ruleset_
        # Five seconds more are kept for finishing the model.
        assert fitted(unfitted, data, max_seconds=15.1).ruleset_ == whole
        model, _ = truncated(unfitted, data, max_seconds=14.9)
        assert len(model.history_) == 2
        model, _ = truncated(forest, data, max_seconds=14.9)
        assert len(model.history_) == 2

    def test_shared_training_data_count_as_if_they_had_been_read_anew(self, data, forest, clock):
        extractor = rulekit.build("rcprob", forest, max_seconds=14.9)
        prepared = extractor.prepare(*data)
        assert prepared.seconds == 10.0
        with pytest.warns(BudgetWarning):
            assert len(extractor.fit(prepared, prepared.y).history_) == 2

    def test_the_last_step_says_what_was_truncated(self, data, forest):
        model, _ = truncated(forest, data, max_seconds=0)
        assert [(step.tree, step.truncated_by, step.accepted) for step in model.history_] == [
            (0, (), True),
            (1, ("max_seconds",), False),
        ]
        assert model.history_[1].score == model.history_[0].score

    def test_observers_see_every_step(self, data, forest):
        watcher = Steps()
        with rulekit.observe(watcher):
            model, _ = truncated(forest, data, max_seconds=0)
        assert watcher.steps == model.history_

    def test_the_warning_says_which_after_how_many_and_what_to_do(self, data, forest):
        _, message = truncated(forest, data, max_seconds=0)
        assert message.startswith(f"max_seconds=0 ended the search after 1 of {N_TREES} trees")
        assert "Raise max_seconds" in message

    def test_enough_time_changes_nothing(self, data, forest):
        assert fitted(forest, data, max_seconds=3600).ruleset_ == fitted(forest, data).ruleset_

    def test_a_truncated_model_can_be_plotted_printed_and_written(self, data, forest):
        model, _ = truncated(forest, data, max_seconds=0)
        assert rulekit.RuleSet.from_dict(model.ruleset_.to_dict()) == model.ruleset_
        np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)


class TestCandidates:
    def test_no_tree_has_more(self, data, forest):
        model, _ = truncated(forest, data, max_candidates=20)
        assert max(step.n_candidates for step in model.history_[1:]) <= 20

    def test_steps_and_the_warning_count_what_was_left_out(self, data, forest):
        model, message = truncated(forest, data, max_candidates=20)
        trees = [step for step in model.history_ if step.truncated_by]
        assert {step.truncated_by for step in trees} == {("max_candidates",)}
        total = sum(step.n_left_out for step in trees)
        assert f"max_candidates=20 left out {total} candidates in {len(trees)} of {N_TREES} trees" in message

    def test_more_than_there_are_changes_nothing(self, data, forest):
        assert fitted(forest, data, max_candidates=10**6).ruleset_ == fitted(forest, data).ruleset_

    @pytest.mark.parametrize("seed", range(10))
    def test_those_that_cover_the_most_stay_in_their_order(self, seed):
        drawn = random_training_set(seed)
        context = context_of(drawn)
        found, leaves = (random_rules(drawn, context.index, seed + k, n_rules=12, shortest=1) for k in (0, 1))
        everything = combine.pairs_worth_trying(found, leaves, context)
        covered = everything.counts.sum(axis=1).tolist()
        best = sorted(sorted(range(len(covered)), key=lambda row: -covered[row])[:7])
        limited = context_of(drawn, budget=Budget(max_candidates=7))
        limited.budget.begin_tree(1)
        kept = combine.pairs_worth_trying(found, leaves, limited)
        assert list(zip(kept.left.tolist(), kept.right.tolist(), strict=True)) == [
            (int(everything.left[row]), int(everything.right[row])) for row in best
        ]
        assert limited.budget.n_left_out == max(0, len(covered) - 7)

    def test_a_search_that_does_not_combine_is_limited_too(self, data, forest):
        model, _ = truncated(forest, data, combine=None, max_candidates=5)
        assert max(step.n_candidates for step in model.history_[1:]) <= 5


class TestRules:
    @pytest.mark.parametrize("limit", [1, 3, 8])
    def test_there_are_no_more_rules_besides_the_default(self, data, forest, limit):
        model, message = truncated(forest, data, max_rules=limit)
        assert len(model.ruleset_) <= limit + 1
        assert f"max_rules={limit} dropped rules from the end of the list" in message

    def test_the_default_rule_answers_for_what_was_dropped(self, data, forest):
        X, y = data
        ruleset = truncated(forest, data, max_rules=3)[0].ruleset_
        rest = np.bincount(y[~ruleset.matches(X).any(axis=0)], minlength=4)
        np.testing.assert_array_equal(ruleset.counts[-1], rest)
        np.testing.assert_allclose(ruleset.probabilities[-1], rest / rest.sum())

    def test_of_one_tree_the_first_rules_stay(self, data, forest):
        one = first_trees(forest, 1)
        whole, short = fitted(one, data).ruleset_, truncated(one, data, max_rules=2)[0].ruleset_
        assert [str(rule) for rule in short[:-1]] == [str(rule) for rule in whole[:2]]

    @pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
    def test_integers_of_numpy_count_like_others(self, data, forest, kind):
        """Some overflowed, some were no indices."""
        limits = {"max_rules": 3, "max_candidates": 5}
        model, _ = truncated(forest, data, **{name: kind(limit) for name, limit in limits.items()})
        expected, _ = truncated(forest, data, **limits)
        assert model.ruleset_ == expected.ruleset_
        assert [step.n_left_out for step in model.history_] == [step.n_left_out for step in expected.history_]

    def test_a_limit_that_is_not_reached_changes_nothing(self, data, forest):
        assert fitted(forest, data, max_rules=10**6).ruleset_ == fitted(forest, data).ruleset_


@pytest.mark.usefixtures("engine")
class TestMemory:
    @pytest.fixture(scope="class")
    def many(self) -> Data:
        return make_classification(20_000, 12, n_informative=8, n_classes=3, flip_y=0.2, random_state=1)

    @pytest.fixture(scope="class")
    def trees(self, many) -> RandomForestClassifier:
        return RandomForestClassifier(6, max_depth=6, max_samples=1000, random_state=0).fit(*many)

    @pytest.mark.filterwarnings("ignore::rulekit.core.errors.BudgetWarning", "ignore::UserWarning")
    @pytest.mark.parametrize("limit", ["6MB", "20MB"])
    @pytest.mark.parametrize("method", ["rcprob", "rc+"])
    def test_the_peak_stays_below_it(self, many, trees, method, limit):
        model = rulekit.build(method, trees, max_memory=limit)
        model.fit(many[0][:200], many[1][:200])  # what is loaded once is not the search's
        tracemalloc.start()
        try:
            model.fit(*many)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 1.1 * parse_bytes(limit)

    @pytest.mark.filterwarnings("ignore::rulekit.core.errors.ManyRulesWarning")
    def test_too_little_for_the_next_tree_ends_the_search(self, many, trees):
        model, message = truncated(trees, many, "rc+", max_memory="6MB")
        assert model.history_[-1].truncated_by == ("max_memory",)
        assert f"max_memory='6MB' ended the search after {len(model.history_) - 1} of 6 trees" in message
        small = fitted(first_trees(trees, len(model.history_) - 1), many, "rc+")
        assert model.ruleset_ == small.ruleset_

    def test_too_little_for_the_samples_is_said_before_the_search(self, many, trees):
        with pytest.raises(MemoryBudgetError, match=r"max_memory is 1\.0 MB, but 20,000 samples.*need about \d"):
            fitted(trees, many, max_memory="1MB")

    @pytest.mark.parametrize("method", ["rcprob", "rc+"])
    def test_smaller_blocks_find_the_same_rules(self, data, forest, method, monkeypatch):
        whole = fitted(forest, data, method)
        for module in (combine,):
            monkeypatch.setattr(module, "PAIRS_AT_ONCE", 7)
        in_blocks = fitted(forest, data, method)
        assert in_blocks.ruleset_ == whole.ruleset_
        sizes = [[(step.n_candidates, step.score) for step in model.history_] for model in (whole, in_blocks)]
        assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("written", "n_bytes"),
    [(5, 5), ("5B", 5), ("1.5kB", 1500), (" 500 MB ", 500_000_000), ("2GiB", 2**31), ("1TB", 10**12)],
)
def test_amounts_of_memory_as_people_write_them(written, n_bytes):
    assert parse_bytes(written) == n_bytes


@pytest.mark.parametrize(
    "written", ["", "MB", "5", "5 mb", "-5MB", "5MBs", "1e3MB", True, 1.5, None, "9" * 10**5 + "MB"]
)
def test_anything_else_is_no_amount(written):
    assert parse_bytes(written) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_seconds", -1),
        ("max_seconds", "1"),
        ("max_seconds", float("nan")),
        ("max_candidates", 0),
        ("max_candidates", 1.5),
        ("max_candidates", True),
        ("max_rules", 0),
        ("max_memory", 0),
        ("max_memory", "lots"),
        ("on_interrupt", "ignore"),
    ],
)
def test_impossible_budgets_are_rejected(data, forest, name, value):
    with pytest.raises(InvalidParameterError, match=f"RuleExtractor: {name} must be .*got {value!r}"):
        fitted(forest, data, **{name: value})


def test_several_budgets_are_told_of_in_one_warning(data, forest):
    _, message = truncated(forest, data, max_seconds=0, max_rules=1)
    assert "max_seconds=0" in message
    assert "max_rules=1" in message


def test_without_budgets_nothing_is_said(data, forest):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(step.truncated_by == () and step.n_left_out == 0 for step in fitted(forest, data).history_)
