"""Rules applied one after the other, record by record."""

import numpy as np
import pytest
from core.samples import Sample, conditions_of, random_rules, random_sample, sets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from rulekit.search.sequence import default_counts, first_match_counts, macro_f1

pytestmark = pytest.mark.usefixtures("engine")

quickly = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def answers(sample, sets):
    """For each record the place of the first rule that covers it, or None."""
    return [
        next((place for place, antecedent in enumerate(sets) if record in sample.covered(antecedent)), None)
        for record in range(len(sample.y))
    ]


def ruleset(seed, n_rules=8, n_classes=3, shortest=0, absent=None):
    sample = random_sample(seed, n_classes=n_classes)
    sample.y[sample.y == absent] = 0
    index = sample.index()
    rules = random_rules(sample, index, seed, n_rules=n_rules, shortest=shortest)
    return sample, index, rules, sets_of(rules, index.pad)


@quickly
@given(seeds, st.integers(0, 8), st.integers(2, 9))
def test_first_match_counts_are_the_records_that_each_rule_answers_for(seed, n_rules, n_classes):
    sample, index, rules, sets = ruleset(seed, n_rules, n_classes)
    first = answers(sample, sets)
    expected = [sample.count(record for record, place in enumerate(first) if place == rule) for rule in range(n_rules)]
    assert expected == first_match_counts(rules, index).tolist()


@quickly
@given(seeds, st.integers(0, 8))
def test_default_counts_are_of_the_records_without_an_answer(seed, n_rules):
    sample, index, rules, sets = ruleset(seed, n_rules, shortest=1)
    unanswered = [record for record, place in enumerate(answers(sample, sets)) if place is None]
    expected = sample.count(unanswered or sample.everything)
    assert expected == default_counts(first_match_counts(rules, index), index).tolist()


def test_default_counts_are_of_everyone_if_every_record_has_an_answer():
    sample, index, _, _ = ruleset(0)
    everyone = np.array([sample.count(sample.everything)])
    assert everyone[0].tolist() == default_counts(everyone, index).tolist()


@quickly
@given(seeds, st.integers(0, 8), st.integers(2, 6), st.integers(1, 6))
def test_macro_f1_is_scikit_learns_of_the_decision_list(seed, n_rules, n_classes, absent):
    """Also where rules predict a class that no record is of."""
    sample, index, rules, sets = ruleset(seed, n_rules, n_classes, shortest=1, absent=absent)
    first = answers(sample, sets)
    unanswered = [record for record, place in enumerate(first) if place is None]
    default = int(np.argmax(sample.count(unanswered or sample.everything)))
    predicted = [default if place is None else int(rules.classes[place]) for place in first]
    expected = f1_score(sample.y, predicted, average="macro", zero_division=0)
    np.testing.assert_allclose(macro_f1(rules, index), expected, rtol=1e-12)


def two_class_index():
    """Class 1 is above 0."""
    sample = Sample(np.array([[-1.0], [-2.0], [1.0]]), np.array([0, 0, 1]), conditions_of([(0, 0.0)], 1), 3)
    return sample, sample.index()


def test_macro_f1_of_a_perfect_list_is_exactly_one():
    """The search stops there; a class without records and predictions does not count."""
    sample, index = two_class_index()
    rules = random_rules(sample, index, 0, n_rules=1)
    above = int(np.flatnonzero(~sample.conditions.is_upper)[0])
    perfect = type(rules).of(np.array([[above]]), np.array([[0.0, 1.0, 0.0]]), np.array([1]), index, None)
    assert macro_f1(perfect, index) == 1.0


def test_macro_f1_without_rules_is_that_of_the_most_frequent_class():
    sample, index = two_class_index()
    nothing = random_rules(sample, index, 0, n_rules=0)
    np.testing.assert_allclose(macro_f1(nothing, index), 0.8 / 2, rtol=1e-14)
