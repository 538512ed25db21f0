"""Counts of a report against one sample after the other."""

import attrs
import numpy as np
import pytest
from report.conftest import mixed, mixed_samples

from rulekit.evaluation import rule_diagnostics, rule_overlap
from rulekit.report.facts import Facts, Fraction
from rulekit.report.ranges import range_of


@pytest.fixture(scope="module")
def counted():
    ruleset, (X, y) = mixed(), mixed_samples(80)
    return ruleset, X, y, Facts.of(ruleset, X, y)


def test_counts_are_those_of_one_sample_after_the_other(counted):
    ruleset, X, y, facts = counted
    matches = ruleset.matches(X)
    labels = [rule.label for rule in ruleset]
    for one in range(len(ruleset) - 1):
        mine = [sample for sample in range(len(y)) if matches[one, sample]]
        others = {
            sample: [each for each in range(len(matches)) if matches[each, sample] and each != one] for sample in mine
        }
        assert facts.coverage.part[one] == len(mine)
        assert facts.precision.part[one] == sum(y[sample] == labels[one] for sample in mine)
        assert facts.overlap.part[one] == sum(bool(others[sample]) for sample in mine)
        clash = [any(labels[each] != labels[one] for each in others[sample]) for sample in mine]
        assert facts.conflict.part[one] == sum(clash)
        for other in range(len(ruleset) - 1):
            both = [sample for sample in mine if matches[other, sample]]
            assert facts.shared[one, other] == len(both)
            assert facts.right[one, other] == sum(y[sample] == labels[one] for sample in both)


def test_agrees_with_the_diagnostics_and_the_overlap(counted):
    ruleset, X, y, facts = counted
    diagnostics = rule_diagnostics(ruleset, X, y)
    assert facts.fired.whole[:-1].tolist() == diagnostics["n_fired"].tolist()
    np.testing.assert_array_equal(facts.fired.values[:-1], diagnostics["held_out_precision"])
    assert facts.fired.whole.sum() == len(y)
    fractions = rule_overlap(ruleset, X).to_numpy()
    np.testing.assert_allclose(fractions * facts.coverage.part[:-1, None], facts.shared)


def test_a_default_rule_that_training_never_needed_covered_nothing():
    ruleset = mixed()
    counts = ruleset.counts.copy()
    counts[-1] = [ruleset.n_samples, 0]
    facts = Facts.of(attrs.evolve(ruleset, counts=counts), *mixed_samples(10))
    assert facts.trained_coverage.part[-1] == 0


def test_shares_differ_where_their_intervals_lie_apart():
    before = Fraction(np.array([100, 100, 3, 0]), np.array([100, 100, 3, 0]))
    after = Fraction(np.array([50, 99, 1, 5]), np.array([100, 100, 1, 5]))
    assert after.differs_from(before).tolist() == [True, False, False, False]


def test_each_sample_needs_a_label():
    X, y = mixed_samples(10)
    with pytest.raises(ValueError, match="X has 10 samples and y has 9 labels"):
        Facts.of(mixed(), X, y[:9])


@pytest.mark.parametrize(
    "values",
    [[0.137, 1, 7.891], [5, 5], [0], [-1.7e308, 1.7e308], [1e15, 1e15 + 0.25], [5e-324], [np.nan, 2.0], [np.nan]],
)
def test_a_range_holds_every_value_in_at_most_a_thousand_steps(values):
    column = np.array(values, dtype=np.float64)
    found = range_of(column)
    known = column[~np.isnan(column)]
    assert all(found.low <= value <= found.high for value in known)
    assert found.low <= found.start <= found.high
    assert 1 <= round((found.high / 2 - found.low / 2) / found.step * 2) <= 1002
