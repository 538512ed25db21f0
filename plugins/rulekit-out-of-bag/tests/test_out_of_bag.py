"""Who judges, what they say, and that nobody else has a say."""

import numpy as np
import pytest
from rulekit_out_of_bag import OutOfBag
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.testing import parametrize_with_checks


@parametrize_with_checks([OutOfBag(), OutOfBag("laplace", fraction=0.5, random_state=3)])
def test_it_keeps_what_probability_estimators_promise(component, check):
    check(component)


def test_it_is_discovered_through_its_entry_point():
    (component,) = [each for each in rulekit.list_components("probability") if each.name == "out-of-bag"]
    assert component.origin == "rulekit-out-of-bag 0.1.0"


class TestWhoJudges:
    @pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
    def test_the_fraction_is_that_of_every_class(self, fraction):
        y = np.repeat([0, 1, 2], [200, 90, 10])
        held = OutOfBag(fraction=fraction).hold_back(y)
        assert np.bincount(y[held]).tolist() == [200 * fraction, 90 * fraction, 10 * fraction]

    def test_no_class_is_left_without_samples_to_search_with(self):
        y = np.array([0, 1, 1, 2, 2, 2])
        held = OutOfBag(fraction=1.0).hold_back(y)
        assert np.bincount(y[~held]).tolist() == [1, 1, 1]

    def test_the_same_seed_chooses_the_same_samples_and_another_one_others(self):
        y = np.repeat([0, 1], 50)
        first, again, other = (OutOfBag(random_state=seed).hold_back(y) for seed in (1, 1, 2))
        assert first.tolist() == again.tolist()
        assert first.tolist() != other.tolist()

    @pytest.mark.parametrize("fraction", [0, -0.5, 1.5, "half"])
    def test_another_fraction_is_refused(self, fraction):
        with pytest.raises(rulekit.RulekitError, match="OutOfBag: fraction must be a number above 0 and at most 1"):
            OutOfBag(fraction=fraction).hold_back(np.array([0, 1]))


def test_rules_state_the_class_fractions_of_samples_that_judge():
    X, y = load_breast_cancer(return_X_y=True)
    estimator = OutOfBag("empirical", fraction=0.4, random_state=3)
    ruleset = rulekit.build("rcprob", "gbm", final_estimator=estimator, random_state=0).fit(X, y).ruleset_
    held = estimator.hold_back(y)
    n_checked = 0
    for matches, rule in zip(ruleset.matches(X), ruleset[:-1], strict=True):
        counts = np.bincount(y[held & matches], minlength=2)
        if counts.sum():
            assert (counts / counts.sum()).tolist() == rule.probabilities.tolist()
            n_checked += 1
    assert n_checked > 2


def test_any_estimator_can_be_asked_and_its_parameters_nest():
    X, y = load_iris(return_X_y=True)
    model = rulekit.build("rcprob", final_estimator=OutOfBag(rulekit.build("rcprob").final_estimator), random_state=0)
    strict = model.set_params(final_estimator__estimator__crossover=5.0, final_estimator__fraction=0.2).fit(X, y)
    assert (strict.final_estimator.estimator.crossover, strict.final_estimator.fraction) == (5.0, 0.2)


def test_the_model_says_where_the_probabilities_came_from():
    model = rulekit.build("rcprob", final_estimator=OutOfBag("answered"), random_state=0).fit(
        *load_iris(return_X_y=True)
    )
    assert model.final_report_["honest"] == "out-of-bag"


def test_an_estimator_that_needs_an_order_still_does():
    """Under aggregate inference, `answered` spoke of regions through this estimator, without a word."""
    model = rulekit.build("rcprob", final_estimator=OutOfBag("answered"), inference="aggregate", random_state=0)
    with pytest.raises(ValueError, match="is the first to match"):
        model.fit(*load_iris(return_X_y=True))


def test_coin_flips_do_not_flatter_a_rule():
    """Where labels have nothing to do with the samples, the best that a rule can honestly state is one half."""
    random = np.random.default_rng(0)
    X, X_new = random.normal(size=(2, 600, 8))
    y = random.integers(0, 2, 600)

    def confidence(probability):
        forest = RandomForestClassifier(30, max_depth=5, random_state=0)
        return (
            rulekit.build("rc+", forest, final_estimator=probability).fit(X, y).predict_proba(X_new).max(axis=1).mean()
        )

    assert confidence("empirical") > 0.75
    assert confidence(OutOfBag("laplace", fraction=0.5)) < 0.6
