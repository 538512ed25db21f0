"""Ctrl-C in `fit`: all or nothing, or the best rules so far for those who ask."""

import os
import signal
import threading
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from fuzz.interrupting import Presses
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

import rulekit
from rulekit.core.errors import BudgetWarning

N_TREES = 8
STAGES = ("combine", "cover", "simplify")


@pytest.fixture(autouse=True)
def ctrl_c_interrupts():
    """Also in a process in the background, where shells have it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def data():
    return make_classification(400, 8, n_informative=6, n_classes=3, flip_y=0.1, random_state=0)


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestClassifier(N_TREES, max_depth=4, random_state=0).fit(*data)


MOMENTS = [
    ("started", 0),
    ("simplify", 0),
    ("tree", 0),
    *((stage, 3) for stage in STAGES),
    ("tree", 7),
    ("finished", 0),
]


def state(model: BaseEstimator) -> dict[str, Any]:
    return dict(vars(model))


@pytest.mark.parametrize("moment", MOMENTS, ids=str)
class TestByDefault:
    def test_what_was_not_fitted_stays_so(self, data, forest, moment):
        model = rulekit.build("rcprob", forest, keep_index=True)
        before = state(model)
        with rulekit.observe(Presses(*moment)), pytest.raises(KeyboardInterrupt):
            model.fit(*data)
        assert state(model) == before
        with pytest.raises(NotFittedError):
            model.predict(data[0])

    def test_what_an_earlier_fit_learnt_stays_whole(self, data, forest, moment):
        X, y = data
        model = rulekit.build("rcprob", RandomForestClassifier(4, max_depth=3, random_state=0), keep_index=True)
        model.fit(X[:, :3], y)
        before, answers = state(model), model.predict_proba(X[:, :3])
        with rulekit.observe(Presses(moment[0], min(moment[1], 3))), pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        assert state(model) == before
        np.testing.assert_array_equal(model.predict_proba(X[:, :3]), answers)


class TestForThoseWhoAsk:
    @pytest.mark.parametrize("moment", MOMENTS[2:-1], ids=str)
    def test_the_best_rules_so_far_are_kept(self, data, forest, moment):
        model = rulekit.build("rcprob", forest, on_interrupt="best")
        with rulekit.observe(Presses(*moment)), pytest.warns(BudgetWarning, match="An interrupt ended the search"):
            model.fit(*data)
        finished = moment[1] + (moment[0] == "tree")
        assert [step.truncated_by for step in model.history_] == [()] * finished + [("interrupt",)]
        forest_so_far = RandomForestClassifier(finished, max_depth=4, random_state=0).fit(*data)
        expected = rulekit.build("rcprob", forest_so_far).fit(*data)
        assert model.ruleset_ == expected.ruleset_

    @pytest.mark.parametrize("moment", [*MOMENTS[:2], MOMENTS[-1]], ids=str)
    def test_without_rules_and_after_the_search_it_passes_on(self, data, forest, moment):
        model = rulekit.build("rcprob", forest, on_interrupt="best")
        before = state(model)
        with rulekit.observe(Presses(*moment)), pytest.raises(KeyboardInterrupt):
            model.fit(*data)
        assert state(model) == before


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("milliseconds", [1, 5, 20, 60, 120, 250])
@pytest.mark.parametrize("on_interrupt", ["raise", "best"])
def test_whenever_it_comes_the_model_is_whole(data, forest, milliseconds, on_interrupt):
    """From another thread, in the midst of anything: the rules are those of some number of trees, or none."""
    X, y = np.tile(data[0], (40, 1)), np.tile(data[1], 40)
    model = rulekit.build("rc+", forest, on_interrupt=on_interrupt)
    done = threading.Event()

    def press() -> None:
        if not done.wait(milliseconds / 1000):
            os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    with suppress(KeyboardInterrupt):
        try:
            presser.start()
            model.fit(X, y)
        finally:
            done.set()
            presser.join()
    if not hasattr(model, "ruleset_"):
        assert not [name for name in vars(model) if name.endswith("_")]
        return
    finished = len([step for step in model.history_ if "interrupt" not in step.truncated_by])
    expected = rulekit.build("rc+", forest)
    expected.ensemble = RandomForestClassifier(finished, max_depth=4, random_state=0).fit(*data)
    assert model.ruleset_ == expected.fit(X, y).ruleset_


def test_a_fit_that_fails_leaves_no_trace(data, forest):
    model = rulekit.build("rcprob", forest).fit(*data)
    before = state(model)
    with pytest.raises(ValueError, match="was trained on 8 features"):
        model.fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert state(model) == before
