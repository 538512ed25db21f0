"""Engines and threads change the time that a fit takes, and nothing else."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.engine import choice
from rulekit.core.errors import InvalidParameterError
from rulekit.plugin.hookspecs import hookimpl

BINARY, MULTICLASS = load_breast_cancer(return_X_y=True), load_wine(return_X_y=True)
FOREST = RandomForestClassifier(20, max_depth=4, random_state=0)
BOOSTING = GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=0)


def document(method, data, ensemble, **parameters):
    """A ruleset to the last digit."""
    X, y = data
    return rulekit.build(method, ensemble, **parameters).fit(X, y).ruleset_.to_dict()


def fitted(data, ensemble):
    return ensemble.fit(*data)


@pytest.mark.parametrize("method", ["rc+", "rcprob"])
@pytest.mark.parametrize("data", [BINARY, MULTICLASS], ids=["binary", "multiclass"])
@pytest.mark.parametrize("ensemble", [FOREST, BOOSTING], ids=["forest", "boosting"])
@pytest.mark.parametrize("parameters", [{}, {"min_coverage": 0.02, "min_precision": 0.7}], ids=["default", "stricter"])
def test_both_engines_give_the_same_rules_to_the_last_digit(method, data, ensemble, parameters):
    pytest.importorskip("numba")
    model = fitted(data, ensemble)
    with rulekit.using_engine("numpy"):
        expected = document(method, data, model, **parameters)
    with rulekit.using_engine("numba"):
        assert expected == document(method, data, model, **parameters)


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
@pytest.mark.parametrize("method", ["rc+", "rcprob"])
@pytest.mark.usefixtures("engine")
def test_any_number_of_threads_gives_the_same_rules(method, n_jobs, monkeypatch):
    model = fitted(MULTICLASS, FOREST)
    expected = document(method, MULTICLASS, model)
    monkeypatch.setattr("rulekit.core.engine.interface.WORDS_WORTH_A_THREAD", 1)
    assert expected == document(method, MULTICLASS, model, n_jobs=n_jobs)


@pytest.mark.usefixtures("engine")
def test_work_in_many_blocks_gives_the_same_rules(monkeypatch):
    model = fitted(BINARY, FOREST)
    expected = document("rc+", BINARY, model)
    monkeypatch.setattr("rulekit.core.engine.numpy_engine.BLOCK_WORDS", 8)
    monkeypatch.setattr("rulekit.search.simplify.BLOCK_WORDS", 8)
    assert expected == document("rc+", BINARY, model)


@pytest.mark.usefixtures("engine")
def test_a_model_that_keeps_its_index_can_be_saved(engine):
    model = rulekit.build("rc+", "tree", keep_index=True, n_jobs=2, random_state=0).fit(*BINARY)
    again = pickle.loads(pickle.dumps(model))
    ids = np.arange(3)
    assert model.index_.bits(ids).tolist() == again.index_.bits(ids).tolist()


@pytest.mark.parametrize("n_jobs", ["two", 0])
def test_a_bad_number_of_threads_is_rejected(n_jobs):
    with pytest.raises(
        InvalidParameterError, match=f"n_jobs must be None or a whole number other than 0, got {n_jobs!r}"
    ):
        rulekit.build("rc+", "tree", n_jobs=n_jobs).fit(*BINARY)


class Listener:
    def __init__(self):
        self.heard = []

    @hookimpl
    def rulekit_engine_loading(self, engine):
        self.heard.append(engine)


@pytest.mark.parametrize(("loaded", "expected"), [(False, ["numba"]), (True, [])])
def test_observers_hear_that_machine_code_is_loaded_only_when_it_is(loaded, expected, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr("rulekit.classifier.is_loaded", lambda: loaded)
    listener = Listener()
    with rulekit.using_engine("numba"), rulekit.observe(listener):
        rulekit.build("rc+", "tree", random_state=0).fit(*BINARY)
    assert expected == listener.heard


def test_numpy_has_nothing_to_load():
    with rulekit.using_engine("numpy"):
        assert choice.is_loaded()
