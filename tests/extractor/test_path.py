"""The lists of other lengths that a refine stage passed through, as models."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from extractor.worlds import small_forest
from sklearn.base import clone
from sklearn.metrics import f1_score, log_loss

import rulekit
from rulekit.core.errors import InvalidParameterError, NoPathError
from rulekit.core.interfaces import RefineStage
from rulekit.core.rules import Refined


class Cuts(RefineStage):
    """The list of the loop, and its first 1 and its first 3 rules, in no order."""

    def refine(self, rules, pool, context):
        return Refined(rules, tuple(rules.take(np.arange(n_rules)) for n_rules in (3, 1)))


@pytest.fixture(scope="module")
def relisted(data):
    return rulekit.build("rclist", small_forest(), refine="relist").fit(*data)


@pytest.fixture(scope="module")
def cut(data):
    return rulekit.build("rcprob", small_forest(), refine=Cuts(), inference="aggregate").fit(*data)


def alone(model, X, y):
    """Log-loss of what the other samples of a rule say of each sample."""
    answering, y = model.ruleset_.first_matches(X), np.asarray(y)
    losses = []
    for sample in range(len(y)):
        others = (answering == answering[sample]) & (np.arange(len(y)) != sample)
        above = (others & (y == y[sample])).sum() + 2 * (y == y[sample]).mean() + 0.5
        losses.append(-np.log(above / (others.sum() + 2 + 0.5 * len(model.classes_))))
    return np.mean(losses)


def test_there_is_a_list_of_every_length_and_the_last_is_that_of_the_model(relisted):
    assert [step.n_rules for step in relisted.path_] == list(range(1, len(relisted.ruleset_)))
    assert [len(step.ruleset) - 1 for step in relisted.path_] == [step.n_rules for step in relisted.path_]
    assert relisted.path_[-1].ruleset is relisted.ruleset_


@pytest.mark.parametrize("name", ["relisted", "cut"])
def test_its_measures_are_those_of_its_models_on_the_training_samples(name, data, request):
    model, (X, y) = request.getfixturevalue(name), data
    for step in model.path_:
        shorter = model.with_rules(step.n_rules)
        probabilities = shorter.predict_proba(X)
        assert step.log_loss == pytest.approx(log_loss(y, np.clip(probabilities, 1e-12, None), labels=[0, 1]))
        assert step.macro_f1 == pytest.approx(f1_score(y, shorter.predict(X), average="macro"))
        assert step.leave_one_out_log_loss == pytest.approx(alone(shorter, X, y))


def test_with_rules_is_a_fitted_copy_that_leaves_the_model_as_it_is(relisted, data):
    X, _ = data
    before = relisted.predict_proba(X)
    shorter = relisted.with_rules(np.int64(1))
    assert type(shorter) is type(relisted)
    assert len(shorter.ruleset_) == 2
    assert shorter.transform(X).shape[1] == 1
    assert shorter.get_params() == relisted.get_params()
    np.testing.assert_array_equal(before, relisted.predict_proba(X))
    np.testing.assert_array_equal(before, shorter.with_rules(len(relisted.path_)).predict_proba(X))


def test_its_rules_are_among_those_of_the_next_longer_list(relisted):
    """Deletion takes one rule at a time, and none comes back."""
    shown = [{str(rule.conditions) for rule in step.ruleset[:-1]} for step in relisted.path_]
    assert all(shorter < longer for shorter, longer in pairwise(shown))


def test_a_path_of_any_refine_stage_is_sorted_and_has_the_final_list_too(cut):
    assert [step.n_rules for step in cut.path_] == [1, 3, len(cut.ruleset_) - 1]


def test_a_path_is_a_frame_a_slice_and_a_line(relisted):
    frame = relisted.path_.to_frame()
    assert frame.columns.tolist() == ["n_rules", "n_conditions", "log_loss", "leave_one_out_log_loss", "macro_f1"]
    assert frame["n_conditions"].tolist() == [step.ruleset.n_conditions for step in relisted.path_]
    assert len(relisted.path_[:2]) == 2
    assert repr(relisted.path_) == f"<ListPath: 1 to {len(relisted.path_)} rules>"


def test_a_path_survives_pickling_and_holds_no_samples(relisted, data):
    X, _ = data
    copy = pickle.loads(pickle.dumps(relisted))
    np.testing.assert_array_equal(relisted.with_rules(2).predict(X), copy.with_rules(2).predict(X))
    assert len(pickle.dumps(relisted.path_)) < 50_000
    assert not hasattr(clone(relisted), "path_")


@pytest.mark.parametrize("n_rules", [0, 99, 1.5, True, "3"])
def test_a_length_that_the_path_does_not_have_is_an_error_that_names_those_it_has(relisted, n_rules):
    with pytest.raises(InvalidParameterError, match=rf"1 to {len(relisted.path_)}; got {n_rules!r}"):
        relisted.with_rules(n_rules)


def test_without_a_refine_stage_there_is_no_path_and_an_error_says_how_to_get_one(data):
    model = rulekit.build("rcprob", small_forest()).fit(*data)
    assert model.path_ is None
    with pytest.raises(NoPathError, match=r"refine=None found none.* Fit with a refine stage"):
        model.with_rules(2)
