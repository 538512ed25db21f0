"""Rules applied one after the other, sample by sample."""

from types import SimpleNamespace

import numpy as np
import pytest
from core.training_sets import TrainingSet, conditions_of, random_rules, random_training_set, sets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from rulekit.core.rules import answered_counts, default_counts
from rulekit.search.scores import MacroF1

pytestmark = pytest.mark.usefixtures("engine")

quickly = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def answers(drawn, sets):
    """For each sample the position of the first rule that covers it, or None."""
    return [
        next((rule for rule, antecedent in enumerate(sets) if sample in drawn.covered(antecedent)), None)
        for sample in range(len(drawn.y))
    ]


def ruleset(seed, n_rules=8, n_classes=3, shortest=0, absent=None):
    drawn = random_training_set(seed, n_classes=n_classes)
    drawn.y[drawn.y == absent] = 0
    index = drawn.index()
    rules = random_rules(drawn, index, seed, n_rules=n_rules, shortest=shortest)
    return drawn, index, rules, sets_of(rules, index.pad)


@quickly
@given(seeds, st.integers(0, 8), st.integers(2, 9))
def test_answered_counts_are_the_samples_that_each_rule_and_then_the_default_rule_answers(seed, n_rules, n_classes):
    drawn, index, rules, sets = ruleset(seed, n_rules, n_classes)
    first = answers(drawn, sets)
    of_rules = [*range(n_rules), None]
    expected = [drawn.count(sample for sample, rule in enumerate(first) if rule == each) for each in of_rules]
    assert expected == answered_counts(rules.bits, index).tolist()


@quickly
@given(seeds, st.integers(0, 8))
def test_default_counts_are_of_the_samples_without_an_answer(seed, n_rules):
    drawn, index, rules, sets = ruleset(seed, n_rules, shortest=1)
    unanswered = [sample for sample, rule in enumerate(answers(drawn, sets)) if rule is None]
    expected = drawn.count(unanswered or drawn.everything)
    assert expected == default_counts(answered_counts(rules.bits, index), index).tolist()


def test_default_counts_are_of_everyone_if_every_sample_has_an_answer():
    drawn, index, _, _ = ruleset(0)
    answered = np.array([drawn.count(drawn.everything), [0] * drawn.n_classes])
    assert drawn.count(drawn.everything) == default_counts(answered, index).tolist()


@quickly
@given(seeds, st.integers(0, 8), st.integers(2, 6), st.integers(1, 6))
def test_macro_f1_is_scikit_learns_of_the_decision_list(seed, n_rules, n_classes, absent):
    """Also where rules predict a class that no sample is of."""
    drawn, index, rules, sets = ruleset(seed, n_rules, n_classes, shortest=1, absent=absent)
    context = SimpleNamespace(index=index)
    first = answers(drawn, sets)
    unanswered = [sample for sample, rule in enumerate(first) if rule is None]
    default = int(np.argmax(drawn.count(unanswered or drawn.everything)))
    predicted = [default if rule is None else int(rules.classes[rule]) for rule in first]
    expected = f1_score(drawn.y, predicted, average="macro", zero_division=0)
    np.testing.assert_allclose(MacroF1().score(rules, context), expected, rtol=1e-12)


def two_class_index():
    """Class 1 is above 0."""
    drawn = TrainingSet(np.array([[-1.0], [-2.0], [1.0]]), np.array([0, 0, 1]), conditions_of([(0, 0.0)], 1), 3)
    return drawn, drawn.index()


def test_macro_f1_of_a_perfect_list_is_exactly_one():
    """The search stops there; a class without samples and predictions does not count."""
    drawn, index = two_class_index()
    context = SimpleNamespace(index=index)
    rules = random_rules(drawn, index, 0, n_rules=1)
    above = int(np.flatnonzero(~drawn.conditions.is_upper)[0])
    perfect = type(rules).of(np.array([[above]]), np.array([[0.0, 1.0, 0.0]]), np.array([1]), index, None)
    assert MacroF1().score(perfect, context) == 1.0


def test_macro_f1_without_rules_is_that_of_the_most_frequent_class():
    drawn, index = two_class_index()
    context = SimpleNamespace(index=index)
    nothing = random_rules(drawn, index, 0, n_rules=0)
    np.testing.assert_allclose(MacroF1().score(nothing, context), 0.8 / 2, rtol=1e-14)
