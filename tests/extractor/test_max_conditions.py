"""No rule has more than `max_conditions` conditions, whatever the method, the ensemble and its depth."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.errors import InvalidParameterError
from rulekit.core.interfaces import RefineStage
from rulekit.evaluation import macro_f1

METHODS = {
    "rc+": {},
    "rcprob": {},
    "rclist": {"refine": "relist"},
    "rcprob without simplify": {"simplify": None},
    "rcprob that keeps redundant conditions": {"simplify": "drop-redundant"},
}


def longest(ruleset):
    return max(len(antecedent) for antecedent in ruleset.antecedents)


def fitted(name, model, X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rules, or many
        return rulekit.build(name.split()[0], model, **METHODS[name], **parameters).fit(X, y)


@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=6, deadline=None)
@given(st.integers(0, 99), st.integers(1, 4), st.sampled_from([3, 7, None]), st.booleans())
def test_no_rule_of_any_list_is_longer(name, seed, max_conditions, depth, boosted):
    X, y = make_classification(80, 5, n_informative=4, n_redundant=0, n_classes=2 + seed % 2, random_state=seed)
    kind = GradientBoostingClassifier if boosted else RandomForestClassifier
    model = fitted(name, kind(n_estimators=5, max_depth=depth, random_state=seed), X, y, max_conditions=max_conditions)
    assert longest(model.ruleset_) <= max_conditions
    assert all(longest(step.ruleset) <= max_conditions for step in model.path_ or ())


class Restores(RefineStage):
    """Returns rules of the ensemble, which are long."""

    def refine(self, rules, pool, context):
        return context.data.leaf_rules().take([0, 1, 2])


def test_rules_of_a_refine_stage_that_knows_no_limit_are_shortened():
    X, y = make_classification(200, 5, random_state=0)
    lengths = [
        longest(rulekit.build("rcprob", max_conditions=most, refine=Restores(), random_state=0).fit(X, y).ruleset_)
        for most in (None, 2)
    ]
    assert lengths[0] > 2 >= lengths[1]


def test_short_rules_are_nearly_as_good_as_long_ones():
    X, y = make_classification(600, 6, n_informative=3, n_redundant=0, class_sep=1.5, random_state=0)
    free, short = (
        rulekit.build("rclist", "rf", refine="relist", max_conditions=most, random_state=0).fit(X[::2], y[::2])
        for most in (None, 2)
    )
    assert longest(short.ruleset_) == 2 < longest(free.ruleset_)
    assert macro_f1(y[1::2], short.predict(X[1::2])) > macro_f1(y[1::2], free.predict(X[1::2])) - 0.05


def test_a_limit_that_no_rule_exceeds_changes_nothing():
    X, y = make_classification(200, 5, random_state=0)
    free, limited = (
        rulekit.build("rcprob", max_conditions=most, random_state=0).fit(X, y).ruleset_ for most in (None, 12)
    )
    assert longest(free) < 12
    assert free.to_dict() == limited.to_dict()


@pytest.mark.parametrize("wrong", [0, -1, 2.0, True, "3"])
def test_a_limit_that_is_no_whole_number_from_1_on_is_rejected(wrong):
    with pytest.raises(InvalidParameterError, match="max_conditions must be None or a whole number of at least 1"):
        rulekit.build("rcprob", max_conditions=wrong).fit([[0.0], [1.0]], [0, 1])
