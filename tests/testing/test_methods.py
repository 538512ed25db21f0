"""Methods that break a promise are caught, by the check that is meant for it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from testing.catching import assert_caught, assert_every_check_is_tried
from testing.test_every_component import SHARED

import rulekit
from rulekit.testing.method_runs import ensemble_of
from rulekit.trees.methods import PlainTree


class Method(rulekit.RuleExtractor):
    """RCProb under another name; what is left of it is the base of what is broken below."""


class NoReturn(Method):
    def fit(self, X, y):
        super().fit(X, y)


class NoRules(Method):
    def fit(self, X, y):
        super().fit(X, y)
        self.ruleset_ = list(self.ruleset_)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


class FitsInPlace(Method):
    def fit(self, X, y):
        self.ensemble.fit(X, y)
        return super().fit(X, y)


class Replaces(Method):
    def fit(self, X, y):
        self.ensemble = clone(self.ensemble).fit(X, y)
        return super().fit(X, y)


class Retrains(Method):
    def fit(self, X, y):
        given = self.ensemble
        super().set_params(ensemble=clone(given))
        super().fit(X, y)
        self.ensemble = given
        return self


class SpoilsTheEnsemble(Method):
    def fit(self, X, y):
        super().fit(X, y)
        if hasattr(self.ensemble, "estimators_"):
            self.ensemble.estimators_ = self.ensemble.estimators_[:1]
        return self


class GrowsAnother(PlainTree):
    """Takes a smaller tree than the one that it says."""

    def fit(self, X, y):
        if self.ensemble is None:
            self.max_leaves = 2
        return super().fit(X, y)


class Positions(Method):
    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


class Backwards(Method):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1]
        return self


class NotNormalised(Method):
    def predict_proba(self, X):
        return super().predict_proba(X) + 0.1


class SaysMore(Method):
    """Mixes in something that its rules do not say."""

    def predict_proba(self, X):
        predicted = super().predict_proba(X)
        return 0.9 * predicted + 0.1 / predicted.shape[1]


class ForgetsNames(Method):
    def fit(self, X, y):
        return super().fit(np.asarray(X), y)

    def predict_proba(self, X):
        return super().predict_proba(np.asarray(X))


class FillsIn(Method):
    """Works on the table that it was given."""

    def fit(self, X, y):
        if hasattr(X, "iloc"):
            X.iloc[0, 0] = 0.0
        return super().fit(X, y)


class WritesToArrays(Method):
    def fit(self, X, y):
        if isinstance(X, np.ndarray):
            X[0, 0] = 0.0
        return super().fit(X, y)


class LooksAround(Method):
    """Draws every answer to the mean of all that are asked for."""

    def predict_proba(self, X):
        predicted = super().predict_proba(X)
        return 0.5 * predicted + 0.5 * predicted.mean(axis=0)


class Tolerant(Method):
    """Makes do with any training data."""

    def fit(self, X, y):
        return super().fit(X.replace(np.inf, 0.0), y)


class CutsToFit(Method):
    """Makes do with any columns."""

    def predict_proba(self, X):
        X = np.asarray(X)
        missing = np.zeros((len(X), max(0, self.n_features_in_ - X.shape[1])))
        return self.ruleset_.predict_proba(np.hstack([X, missing])[:, : self.n_features_in_])


class AttributeMissing(Method):
    def predict_proba(self, X):
        return self.ruleset_.predict_proba(X)


class Public(Method):
    """Sets an attribute in `fit` that looks like a parameter."""

    def fit(self, X, y):
        self.n_seen = len(y)
        return super().fit(X, y)


class TooMany(Method):
    """Says that any fit is small."""

    @classmethod
    def size_parameters(cls, n_rules):
        return {}


class Stale(Method):
    """Keeps the first rules."""

    def fit(self, X, y):
        first = getattr(self, "ruleset_", None)
        super().fit(X, y)
        self.ruleset_ = first or self.ruleset_
        return self


BROKEN = [
    (LogisticRegression(), "check_takes_an_ensemble", "the parameters C, "),
    (NoReturn(), "check_fit", "two classes: `fit` returns None."),
    (NoRules(), "check_fit", "two classes: `ruleset_` is [Rule("),
    (FitsInPlace(), "check_unfitted_ensemble", "two classes: the ensemble that was passed is fitted now."),
    (Replaces(), "check_unfitted_ensemble", "two classes: `ensemble` was replaced."),
    (Retrains(), "check_fitted_ensemble", "two classes: rules of a newly trained ensemble."),
    (SpoilsTheEnsemble(), "check_fitted_ensemble", "two classes, the ensemble afterwards: row"),
    (GrowsAnother(max_leaves=5), "check_needs_ensemble", "two classes: other rules than those of `chosen_ensemble()`."),
    (TooMany(), "check_size", "rules with {}."),
    (Positions(), "check_labels", "is predicted as another class than its most probable one."),
    (Backwards(), "check_labels", "`classes_` are ['well', 'sick'] instead of ['sick', 'well']."),
    (NotNormalised(), "check_probabilities", "which sums to 1.2"),
    (SaysMore(), "check_ruleset_predicts_the_same", "two classes, the ruleset: row 0 is"),
    (ForgetsNames(), "check_column_names", "['x0', 'x1', 'x2', 'x3'] instead of ['age', 'dose', 'weight', 'colour']."),
    (FillsIn(), "check_table_is_not_changed", "two classes: another table."),
    (WritesToArrays(), "check_inputs_are_not_written_to", "read-only"),
    (LooksAround(), "check_samples_are_predicted_independently", "two classes, one sample at a time: row"),
    (Tolerant(), "check_invalid_training_data", "an infinite value: no error."),
    (CutsToFit(), "check_other_columns", "one column too few: no error."),
    (AttributeMissing(), "check_not_fitted", "`predict_proba`: AttributeError: "),
    (Public(), "check_scikit_learn", "in check_"),
    (Stale(), "check_refit_forgets", "after other uses: rules are <RuleSet: "),
]


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_method_is_caught(component, check, got):
    assert_caught(check, component, got)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, Method(), elsewhere=SHARED)


class TestTheEnsembleThatAMethodIsTriedWith:
    def test_is_a_small_forest_if_it_has_none(self):
        ensemble = ensemble_of(rulekit.build("rcprob"))
        assert (type(ensemble), ensemble.n_estimators) == (RandomForestClassifier, 4)

    def test_is_a_small_one_of_the_kind_that_it_names(self):
        ensemble = ensemble_of(rulekit.build("rcprob", "gbm"))
        assert (type(ensemble), ensemble.n_estimators) == (GradientBoostingClassifier, 4)

    def test_is_its_own_if_it_has_one(self):
        assert ensemble_of(rulekit.build("rcprob", RandomForestClassifier(7))).n_estimators == 7

    def test_is_an_unfitted_clone_of_a_fitted_one(self):
        fitted = RandomForestClassifier(2).fit([[0.0], [1.0]], [0, 1])
        ensemble = ensemble_of(rulekit.build("rcprob", fitted))
        assert ensemble.n_estimators == 2
        assert not hasattr(ensemble, "estimators_")
