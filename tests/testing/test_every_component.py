"""Components that break what all kinds promise are caught, by the check that is meant for it."""

import numpy as np
import pytest
from testing.catching import assert_caught, assert_only_caught, of_one_fault, passed_by

from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.testing import check_probability_estimator, checks_for
from rulekit.testing.every_component import fresh


class Estimator(ProbabilityEstimator):
    """Class fractions after adding half a sample to each class; keeps every promise."""

    def estimate(self, rules):
        return normalised(rules.counts + 0.5)


def normalised(counts):
    return counts / counts.sum(axis=1, keepdims=True)


class Converts(Estimator):
    def __init__(self, strength=1.0):
        self.strength = float(strength)


class Replaces(Estimator):
    def __init__(self, strengths=None):
        self.strengths = strengths or (1.0,)


class Prepares(Estimator):
    def __init__(self, strength=1.0):
        self.strength = strength
        self.table = {}


class TakesAnything(Estimator):
    def __init__(self, strength=1.0, **others):
        self.strength = strength


class Hidden(Estimator):
    """Has a parameter that `__init__` does not know."""

    strength = 0.5

    def estimate(self, rules):
        return normalised(rules.counts + self.strength)


def hidden():
    estimator = Hidden()
    estimator.strength = 20.0
    return estimator


class KeepsALambda(Estimator):
    def fit(self, data):
        self.smooth_ = lambda counts: counts + 0.5
        return self


class LosesItsFit(Estimator):
    def fit(self, data):
        self.fractions_ = data.class_counts / data.n_samples
        return self

    def estimate(self, rules):
        return normalised(rules.counts + self.fractions_)

    def __getstate__(self):
        return {}


class FitsOnce(Estimator):
    def fit(self, data):
        if not hasattr(self, "fractions_"):
            self.fractions_ = data.class_counts / data.n_samples
        return self

    def estimate(self, rules):
        return normalised(rules.counts + self.fractions_)


class Adds(Estimator):
    """Every fit adds to what the last one left."""

    total_ = 1.0

    def fit(self, data):
        self.total_ = self.total_ + data.n_samples
        return self

    def estimate(self, rules):
        return normalised(rules.counts + self.total_)


class Rolls(Estimator):
    """Uses a seed that cannot be set."""

    def estimate(self, rules):
        return normalised(rules.counts + np.random.default_rng().random())


class Seeded(Estimator):
    """Is random, and has a seed."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, data):
        self.strength_ = np.random.default_rng(self.random_state).random()
        return self

    def estimate(self, rules):
        return normalised(rules.counts + self.strength_)


class WritesToPriors(Estimator):
    def estimate(self, rules):
        rules.priors[:] += 1e-9
        return normalised(rules.counts + rules.priors)


class WritesToCounts(Estimator):
    def estimate(self, rules):
        counts = rules.counts
        counts += 1
        return normalised(counts)


class WritesToTheIndex(Estimator):
    def fit(self, data):
        data.class_counts[:] = 1
        return self


BROKEN = [
    (Converts(), "check_init_only_stores", "TypeError: float() argument must be"),
    (Replaces(), "check_init_only_stores", "strengths is not what was passed"),
    (Prepares(), "check_init_only_stores", "it also sets table"),
    (TakesAnything(), "check_init_only_stores", "takes parameters without names: (strength=1.0, **others)"),
    (hidden(), "check_clone", "two classes, the clone: probabilities: row"),
    (KeepsALambda(), "check_pickle", "KeepsALambda.fit.<locals>.<lambda>"),
    (LosesItsFit(), "check_pickle", "AttributeError: 'LosesItsFit' object has no attribute 'fractions_'"),
    (FitsOnce(), "check_refit_forgets", "ValueError: operands could not be broadcast"),
    (Adds(), "check_refit_forgets", "after other uses: probabilities: row 0 is"),
    (Rolls(), "check_same_seed_same_result", "two classes, the second time: probabilities: row 0 is"),
    (WritesToPriors(), "check_inputs_are_not_written_to", "read-only"),
    (WritesToCounts(), "check_inputs_are_not_written_to", "read-only"),
    (WritesToTheIndex(), "check_inputs_are_not_written_to", "read-only"),
]
SHARED = {
    "check_init_only_stores",
    "check_clone",
    "check_pickle",
    "check_refit_forgets",
    "check_same_seed_same_result",
    "check_inputs_are_not_written_to",
}


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_component_is_caught(component, check, got):
    assert_caught(check, component, got)


#: What differs each time, or was written to, differs in all comparisons.
SPOILING_MORE = (Rolls, WritesToPriors)


@pytest.mark.parametrize(
    ("component", "check", "got"), of_one_fault(BROKEN, SPOILING_MORE), ids=lambda value: str(value)[:40]
)
def test_no_other_check_fails_for_a_broken_component(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert {check for _, check, _ in BROKEN} == SHARED


@pytest.mark.parametrize("component", [component for component, _, _ in BROKEN[:3]], ids=lambda value: str(value)[:40])
def test_what_is_not_broken_passes(component):
    """A parameter that is stored wrongly fails that one check and possibly `check_clone`, but no other."""
    names = {name for name, _ in checks_for(component)}
    assert names - passed_by(component) <= {"check_init_only_stores", "check_clone"}


@pytest.mark.parametrize("component", [Estimator(), Seeded(), Seeded(random_state=3)], ids=str)
def test_a_sound_component_passes(component):
    check_probability_estimator(component)


def test_a_class_that_cannot_be_imported_can_be_checked():
    class Local(Estimator):
        pass

    check_probability_estimator(Local())


def test_a_seed_that_was_left_open_is_set_and_one_that_was_not_is_kept():
    assert [fresh(Seeded(seed)).random_state for seed in (None, 7)] == [0, 7]


def test_the_component_itself_is_not_fitted():
    component = Seeded()
    check_probability_estimator(component)
    assert vars(component) == {"random_state": None}
