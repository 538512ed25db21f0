"""The finished list: which samples each rule covers and answers, against an answer found sample by sample."""

import numpy as np
import pytest
from core.training_sets import random_antecedents, random_priors, random_training_set

from rulekit.core.rules import RuleList

pytestmark = pytest.mark.usefixtures("engine")
SEEDS = range(6)


def drawn_list(seed, n_rules=8, shortest=1):
    """Samples, and a list of rules on them."""
    drawn = random_training_set(seed, n_samples=70 + seed)
    antecedents = random_antecedents(drawn, seed, n_rules, longest=3, shortest=shortest)
    return drawn, RuleList(drawn.data(), antecedents, random_priors(seed, n_rules, drawn.n_classes))


def slow_answering(drawn, rules):
    """The first rule that covers each sample, by trying one after the other."""
    covered = [drawn.covered(row) for row in rules.conditions.tolist()]
    return [
        next((rule for rule, samples in enumerate(covered) if sample in samples), len(covered))
        for sample in range(len(drawn.y))
    ]


def slow_counts(drawn, rules):
    answering = slow_answering(drawn, rules)
    return [
        drawn.count(sample for sample, rule in enumerate(answering) if rule == position)
        for position in range(len(rules) + 1)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sample_is_answered_by_the_first_rule_that_covers_it(seed):
    drawn, rules = drawn_list(seed)
    assert slow_answering(drawn, rules) == rules.answering.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_answered_samples_are_counted_by_rule_and_class(seed):
    drawn, rules = drawn_list(seed)
    assert slow_counts(drawn, rules) == rules.answered_counts.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_covered_samples_are_counted_whichever_rule_answers_them(seed):
    drawn, rules = drawn_list(seed)
    assert drawn.counts_of(rules.conditions.tolist()) == rules.counts.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_default_rule_has_the_class_fractions_of_the_rest(seed):
    drawn, rules = drawn_list(seed, n_rules=3, shortest=2)
    rest = slow_counts(drawn, rules)[-1]
    assert sum(rest) > 0
    assert rest == rules.default_counts.tolist()
    assert [count / sum(rest) for count in rest] == rules.default_fractions.tolist()


def test_where_nothing_is_left_it_has_those_of_all_samples():
    drawn, rules = drawn_list(0, shortest=0)
    everything = RuleList(
        rules.data, np.vstack([rules.conditions, np.full_like(rules.conditions[:1], rules.index.pad)])
    )
    assert everything.answered_counts[-1].sum() == 0
    assert drawn.count(drawn.everything) == everything.default_counts.tolist()
    assert everything.default_fractions.sum() == pytest.approx(1.0)


def test_a_list_without_rules_leaves_every_sample_to_the_default_rule():
    drawn, rules = drawn_list(1)
    nothing = RuleList(rules.data, rules.conditions[:0], rules.priors[:0])
    assert nothing.answering.tolist() == [0] * len(drawn.y)
    assert nothing.answered_counts.tolist() == [drawn.count(drawn.everything)]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_sample_is_answered_once(seed):
    drawn, rules = drawn_list(seed)
    assert rules.answered_counts.sum(axis=0).tolist() == drawn.count(drawn.everything)


@pytest.mark.parametrize("seed", SEEDS)
def test_local_distributions_that_are_not_given_are_means_of_what_the_ensemble_predicts(seed):
    drawn, given = drawn_list(seed)
    predicted = random_priors(seed + 100, len(drawn.y), drawn.n_classes)
    vars(given.data)["ensemble_probabilities"] = predicted
    rules = RuleList(given.data, given.conditions)
    for row, prior in zip(rules.conditions.tolist(), rules.priors, strict=True):
        covered = sorted(drawn.covered(row)) or sorted(drawn.everything)
        np.testing.assert_allclose(prior, predicted[covered].mean(axis=0), rtol=1e-12)


def test_those_that_are_given_are_kept():
    _, rules = drawn_list(2)
    np.testing.assert_array_equal(rules.priors, random_priors(2, 8, 3))
