from rulekit_jeffreys import Jeffreys
from sklearn.datasets import load_iris

import rulekit
from rulekit.testing import parametrize_with_checks


@parametrize_with_checks([Jeffreys()])
def test_it_keeps_what_probability_estimators_promise(component, check):
    check(component)


def test_it_is_discovered_through_its_entry_point():
    (component,) = [component for component in rulekit.list_components("probability") if component.name == "jeffreys"]
    assert component.origin == "rulekit-jeffreys 0.1.0"


def test_rules_state_smoothed_class_shares():
    X, y = load_iris(return_X_y=True)
    ruleset = rulekit.build("rcprob", final_estimator="jeffreys", random_state=0).fit(X, y).ruleset_
    for rule in ruleset[:-1]:
        expected = [(count + 0.5) / (rule.n_covered + 1.5) for count in rule.counts.tolist()]
        assert expected == rule.probabilities.tolist()
