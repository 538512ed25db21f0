"""The final estimator is asked once about the finished list, and its last row is the default rule's."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.core.errors import BudgetWarning
from rulekit.core.interfaces import ProbabilityEstimator, RefineStage
from rulekit.core.rules import RuleList, concatenate
from rulekit.priors.mean import Mean

X, Y = load_iris(return_X_y=True)
FOREST = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, Y)
CALLS: list = []

#: What the estimator below predicts has nothing to do with the ensemble, nor with the classes.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::rulekit.core.errors.{warning}")
    for warning in ("LowFidelityWarning", "ClassWithoutRuleWarning")
]


class Recorded(ProbabilityEstimator):
    """Predicts values that cannot be mistaken for others."""

    def fit(self, data):
        CALLS.append(("fit", data))
        return self

    def estimate(self, rules):
        raise AssertionError("as the final estimator it is asked about the list")

    def estimate_list(self, rules):
        CALLS.append(("estimate_list", rules))
        weights = np.arange(1.0, (len(rules) + 1) * 3 + 1).reshape(-1, 3)
        return weights / weights.sum(axis=1, keepdims=True)


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def test_it_is_fitted_and_asked_once_with_a_list():
    rulekit.build("rc+", FOREST, final_estimator=Recorded()).fit(X, Y)
    assert [name for name, _ in CALLS] == ["fit", "estimate_list"]
    assert isinstance(CALLS[1][1], RuleList)
    assert CALLS[1][1].data is CALLS[0][1]


def test_the_ruleset_has_its_probabilities_row_by_row():
    ruleset = rulekit.build("rc+", FOREST, final_estimator=Recorded()).fit(X, Y).ruleset_
    weights = np.arange(1.0, len(ruleset) * 3 + 1).reshape(-1, 3)
    np.testing.assert_array_equal(ruleset.probabilities, weights / weights.sum(axis=1, keepdims=True))


def test_the_list_has_the_rules_in_the_order_of_the_ruleset():
    model = rulekit.build("rc+", FOREST, final_estimator=Recorded()).fit(X, Y)
    (_, (_, rules)) = CALLS
    matches = model.ruleset_.matches_of(X)
    assert matches.sum(axis=1).tolist() == rules.support.tolist()
    first = np.where(matches.any(axis=0), matches.argmax(axis=0), len(matches))
    assert first.tolist() == rules.answering.tolist()


def test_it_can_ask_for_what_the_ensemble_predicts():
    rulekit.build("rc+", FOREST, final_estimator=Recorded()).fit(X, Y)
    data = CALLS[0][1]
    np.testing.assert_allclose(data.ensemble_probabilities, FOREST.predict_proba(X), atol=1e-12)
    assert data.out_of_bag_probabilities.shape == (len(Y), 3)


class Learns(Mean):
    """A prior combiner that learns."""

    def fit(self, data):
        CALLS.append(("fit", data))
        return self

    def combine(self, *sides):
        CALLS.append(("combine", None))
        return super().combine(*sides)


def test_a_prior_combiner_is_fitted_once_before_it_combines():
    rulekit.build("rc+", FOREST, priors=Learns()).fit(X, Y)
    names = [name for name, _ in CALLS]
    assert names[0] == "fit"
    assert set(names[1:]) == {"combine"}
    assert CALLS[0][1].n_samples == len(Y)


def test_it_sees_only_the_samples_that_the_search_sees():
    class HoldsBack(Recorded):
        def hold_back(self, y):
            return np.arange(len(y)) % 3 == 0

    rulekit.build("rc+", FOREST, priors=Learns(), final_estimator=HoldsBack()).fit(X, Y)
    seen = {name: found.n_samples for name, found in reversed(CALLS) if name == "fit"}
    assert seen == {"fit": 100}
    assert CALLS[-1][1].data.n_samples == 50


class Doubles(RefineStage):
    """Every rule of the pool, also those that are there already."""

    def refine(self, rules, pool, context):
        return concatenate([rules, *pool], context.index.pad)


def test_a_refined_list_is_what_the_final_estimator_is_asked_about():
    plain = rulekit.build("rc+", FOREST).fit(X, Y)
    model = rulekit.build("rc+", FOREST, final_estimator=Recorded(), refine=Doubles()).fit(X, Y)
    assert len(model.ruleset_) > len(plain.ruleset_)
    assert len(CALLS[1][1]) + 1 == len(model.ruleset_)


def test_max_rules_holds_for_a_refined_list_and_is_warned_of():
    with pytest.warns(BudgetWarning, match="max_rules=4 dropped rules from the end of the list"):
        model = rulekit.build("rc+", FOREST, refine=Doubles(), max_rules=4).fit(X, Y)
    assert len(model.ruleset_) == 5
