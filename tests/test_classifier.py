"""A method of one's own: `extract` is all that it writes."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

import rulekit
from rulekit.core.checks import check_number
from rulekit.core.errors import InvalidParameterError, UnsupportedFitParameterError
from rulekit.inference.decision_list import DecisionList


class BestLeaves(rulekit.RuleMethod):
    """The leaves that cover most."""

    def __init__(self, ensemble=None, *, n_leaves=3, inference="decision-list", adapter=None, random_state=None):
        super().__init__(ensemble, adapter=adapter, random_state=random_state)
        self.n_leaves = n_leaves
        self.inference = inference

    def check_parameters(self):
        super().check_parameters()
        check_number(self, "n_leaves", 1, 100)

    def extract(self, data, components):
        leaves = data.leaf_rules()
        best = leaves.take(np.argsort(-leaves.covered, kind="stable")[: self.n_leaves])
        fractions = (best.counts + 1) / (best.counts + 1).sum(axis=1, keepdims=True)
        probabilities = np.vstack([fractions, data.rule_list(best.conditions).default_fractions])
        return rulekit.RuleSet.from_rules(data, best.conditions, probabilities, components["inference"])


@pytest.fixture
def data():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture
def registered():
    from rulekit.plugin.manager import plugins

    rulekit.register("method", "best-leaves", BestLeaves)
    yield
    plugins.cache_clear()


@parametrize_with_checks([BestLeaves("tree", n_leaves=100, random_state=0)])
def test_is_a_scikit_learn_classifier(estimator, check):
    check(estimator)


def test_its_rules_are_what_extract_returned(data):
    X, y = data
    forest = RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, y)
    model = BestLeaves(forest, n_leaves=2).fit(X, y)
    leaves = np.concatenate(
        [tree.apply(X.to_numpy(np.float32)) + 100 * position for position, tree in enumerate(forest)]
    )
    largest = np.sort(np.unique(leaves, return_counts=True)[1])[::-1][:2]
    assert [int(rule.n_covered) for rule in model.ruleset_[:-1]] == largest.tolist()
    assert model.ensemble_ is forest
    covered = model.ruleset_.matches(X).any(axis=0)
    rest = np.bincount(y[~covered], minlength=3)
    np.testing.assert_array_equal(rest, model.ruleset_.counts[-1])
    np.testing.assert_array_equal(rest / rest.sum(), model.ruleset_.probabilities[-1])


def test_what_it_predicts_is_what_its_rules_state(data):
    X, y = data
    model = BestLeaves(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.ruleset_.predict_proba(X), model.predict_proba(X))
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict_proba(X), model.predict_proba(X))


class Overstated(rulekit.RuleMethod):
    """Sure of the first class, and a rounding more than sure."""

    def extract(self, data, components):
        leaves = data.leaf_rules()
        probabilities = np.zeros((len(leaves) + 1, data.n_classes))
        probabilities[:, 0], probabilities[:, 1] = np.nextafter(1, 2), -1e-17
        return rulekit.RuleSet.from_rules(data, leaves.conditions, probabilities, DecisionList())


@pytest.mark.filterwarnings("ignore::rulekit.core.errors.LowFidelityWarning")
def test_a_rounding_beyond_one_does_not_reach_the_scores(data):
    """DefragTrees once predicted 1.0000000000000002, which scikit-learn's scores reject."""
    X, y = data
    predicted = Overstated("tree", random_state=0).fit(X, y).predict_proba(X)
    assert (predicted.min(), predicted.max()) == (0.0, 1.0)
    assert log_loss(y, predicted) > 0


@pytest.mark.usefixtures("registered")
class TestBuiltByName:
    def test_a_fitted_ensemble_survives_a_clone(self, data):
        X, y = data
        forest = GradientBoostingClassifier(n_estimators=3, random_state=0).fit(X, y)
        assert clone(rulekit.build("best-leaves", forest, n_leaves=2)).fit(X, y).ensemble_ is forest

    def test_parameters_nest(self):
        model = rulekit.build("best-leaves", "rf", ensemble__max_depth=2, n_leaves=4)
        assert (model.ensemble.max_depth, model.n_leaves) == (2, 4)

    def test_an_unknown_parameter_is_rejected_with_the_known_ones(self):
        with pytest.raises(
            InvalidParameterError, match=r"'best-leaves'.*unknown parameters: leaves\. Known: .*n_leaves"
        ):
            rulekit.build("best-leaves", leaves=2)

    def test_an_unknown_component_is_rejected(self):
        with pytest.raises(rulekit.RulekitError, match="No inference mode named 'decision'"):
            rulekit.build("best-leaves", inference="decision")


def test_a_wrong_value_is_rejected_before_the_ensemble_is_fitted(data):
    class Forest(RandomForestClassifier):
        def fit(self, X, y):
            raise AssertionError("fitted")

    with pytest.raises(ValueError, match="n_leaves"):
        BestLeaves(Forest(), n_leaves=0).fit(*data)


def test_weights_are_rejected_by_its_own_name(data):
    with pytest.raises(UnsupportedFitParameterError, match=r"BestLeaves\.fit with sample_weight"):
        BestLeaves().fit(*data, sample_weight=np.ones(150))
