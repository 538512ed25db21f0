"""Estimators that break a promise are caught, by the check that is meant for it."""

from typing import ClassVar

import numpy as np
import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, of_one_fault
from testing.test_every_component import SHARED, Estimator, normalised

from rulekit.testing import check_probability_estimator
from rulekit.testing.world import worlds


class ReturnsNothing(Estimator):
    def fit(self, data):
        pass


class Flat(Estimator):
    def estimate(self, rules):
        return super().estimate(rules)[:, 0]


class Single(Estimator):
    def estimate(self, rules):
        return super().estimate(rules).astype(np.float32)


class Listed(Estimator):
    def estimate(self, rules):
        return super().estimate(rules).tolist()


class NotNormalised(Estimator):
    def estimate(self, rules):
        return super().estimate(rules) * 0.9


class Negative(Estimator):
    def estimate(self, rules):
        return super().estimate(rules) * 3 - 2 / rules.priors.shape[1]


class PerCondition(Estimator):
    """Divides by the number of conditions."""

    def estimate(self, rules):
        n_conditions = (rules.conditions != rules.index.pad).sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return normalised(rules.counts + 1 / n_conditions)


class Precision(Estimator):
    """Divides by the number of samples."""

    def estimate(self, rules):
        with np.errstate(invalid="ignore"):
            return rules.counts / rules.support[:, None]


class NeedsARule(Estimator):
    def estimate(self, rules):
        assert rules.counts.max() >= 0
        return super().estimate(rules)


class LooksAround(Estimator):
    """Smooths by the mean of the batch."""

    def estimate(self, rules):
        return normalised(rules.counts + rules.counts.sum(axis=0) / max(len(rules), 1) + 1)


class FirstColumn(Estimator):
    """Takes the first column for a condition."""

    def estimate(self, rules):
        return normalised(rules.counts + 1.0 + (rules.conditions[:, :1] == rules.index.pad))


class Private(Estimator):
    """Looks where removals have not been removed yet."""

    def estimate(self, rules):
        n_conditions = (rules._conditions != rules.index.pad).sum(axis=1, keepdims=True)
        return normalised(rules.counts + 1.0 + np.resize(n_conditions, (len(rules), 1)))


class WeighsNothing(Estimator):
    """Smooths by the number of samples, whatever they weigh."""

    supports_weights = True

    def fit(self, data):
        self.n_samples_ = data.n_samples
        return self

    def estimate(self, rules):
        return normalised(rules.counts + self.n_samples_ / 10)


class FirstSample(Estimator):
    """Looks at whether the first sample is covered."""

    def estimate(self, rules):
        is_covered = rules.index.samples(rules.index.cover(rules.conditions))[:, :1]
        return normalised(rules.counts + 1.0 + is_covered)


class Favours(Estimator):
    def estimate(self, rules):
        return normalised(rules.counts + np.arange(1, rules.counts.shape[1] + 1))


class WholeSupport(Estimator):
    def support(self, rules):
        return rules.support


class NegativeSupport(Estimator):
    def support(self, rules):
        return rules.support - 1.0


class SaysItReadsNothing(Estimator):
    uses_counts: ClassVar[bool] = False


class ForgetsItsSupport(Estimator):
    uses_counts: ClassVar[bool] = False

    def estimate(self, rules):
        return rules.priors.copy()


class Prior(Estimator):
    """Reads no samples, as it declares."""

    uses_counts: ClassVar[bool] = False

    def estimate(self, rules):
        return rules.priors.copy()

    def support(self, rules):
        return np.ones(len(rules))


class CountsByItself(Prior):
    """Goes to the index for what the batch would not give."""

    def estimate(self, rules):
        index = rules.index
        return normalised(index.count(index.cover(rules.conditions)) + 1.0)


class KeepsTheIndex(Prior):
    """Goes to an index that it has kept."""

    def fit(self, data):
        self.index_ = data.index
        return self

    def support(self, rules):
        return self.index_.samples(self.index_.cover(rules.conditions)).sum(axis=1).astype(float)


class LooksAtConditions(Prior):
    """Reads conditions one by one when it is fitted; keeps every promise."""

    def fit(self, data):
        all_samples = data.index.count(data.index.cover(np.full((1, 1), data.pad)))
        self.fraction_ = normalised(all_samples)
        return self

    def estimate(self, rules):
        return (rules.priors + self.fraction_) / 2


class Answered(Estimator):
    """Counts the samples that a rule answers, not all that it covers; keeps every promise."""

    needs_order = True

    def estimate_list(self, rules):
        return normalised(rules.answered_counts + 0.5)


class SaysOrderPlaysNoRole(Answered):
    needs_order = False


class NoTruthValue(Estimator):
    needs_order = "no"


class ForgetsTheDefault(Answered):
    def estimate_list(self, rules):
        return super().estimate_list(rules)[:-1]


class ListNotNormalised(Answered):
    def estimate_list(self, rules):
        return super().estimate_list(rules) * 0.9


class FirstRule(Answered):
    """Looks at what the first rule answers."""

    def estimate_list(self, rules):
        return normalised(rules.answered_counts + 0.5 + rules.counts[0].sum())


class RestOnly(Answered):
    """Divides by the number of samples that are left to the default rule."""

    def estimate_list(self, rules):
        rest = rules.answered_counts[-1:]
        with np.errstate(invalid="ignore"):
            return np.vstack([self.estimate(rules), rest / rest.sum()])


class WeighsClasses(Answered):
    """Divides by the number of samples of each class."""

    def estimate_list(self, rules):
        with np.errstate(divide="ignore", invalid="ignore"):
            return normalised((rules.answered_counts + 0.5) / rules.data.class_counts)


class OrderOfSamples(Answered):
    """Lets the rule that answers the first sample count more."""

    def estimate_list(self, rules):
        return normalised(rules.answered_counts + 0.5 + (np.arange(len(rules) + 1) == rules.answering[0])[:, None])


class FavoursInLists(Answered):
    def estimate_list(self, rules):
        return normalised(rules.answered_counts + np.arange(1, rules.index.n_classes + 1))


class TellsListsApart(Estimator):
    """Says something else of the rules of a list than of those of a batch."""

    def estimate(self, rules):
        return normalised(rules.counts + (3.0 if hasattr(rules, "answering") else 0.5))


class AsksTheEnsemble(Estimator):
    """Mixes in what the ensemble predicts, out of bag where the trees tell; keeps every promise."""

    needs_order = True

    def estimate_list(self, rules):
        predicted = rules.data.ensemble_probabilities
        if rules.data.out_of_bag_probabilities is not None:
            unknown = np.isnan(rules.data.out_of_bag_probabilities)
            predicted = np.where(unknown, predicted, rules.data.out_of_bag_probabilities)
        counts = np.full((len(rules) + 1, predicted.shape[1]), 0.5)
        np.add.at(counts, rules.answering, predicted)
        return normalised(counts)


class HoldsAllBack(Estimator):
    def hold_back(self, y):
        return np.ones(len(y), dtype=bool)


class HoldsOneClassBack(Estimator):
    def hold_back(self, y):
        return (y == 0) & (np.arange(len(y)) % 2 == 0)


class HoldsOthersBack(Estimator):
    def hold_back(self, y):
        return np.random.default_rng().random(len(y)) < 0.5


BROKEN = [
    (ReturnsNothing(), "check_fit_returns_self", "Got: None."),
    (Flat(), "check_shape", "two classes: the shape (16,) instead of (16, 2)."),
    (Single(), "check_shape", "two classes: the type float32 instead of float64."),
    (Listed(), "check_shape", "two classes: an object of type list, not an array."),
    (NotNormalised(), "check_rows_sum_to_one", "which sums to 0.9."),
    (Negative(), "check_rows_sum_to_one", "partly negative."),
    (PerCondition(), "check_empty_antecedent", "two classes: row 0 is [nan, nan], not all finite."),
    (Precision(), "check_rule_without_samples", "two classes: row 0 is [nan, nan], not all finite."),
    (NeedsARule(), "check_no_rules", "ValueError: zero-size array to reduction operation"),
    (LooksAround(), "check_rules_are_estimated_independently", "two classes, rule 0 alone: row 0 is"),
    (FirstColumn(), "check_pads_do_not_matter", "two classes, with pads in front: row"),
    (Private(), "check_removals", "two classes, probabilities of removals: row"),
    (FirstSample(), "check_order_of_samples", "samples shuffled: row"),
    (WeighsNothing(), "check_weights", "samples of whole weights and repeated: row"),
    (Favours(), "check_order_of_classes", "two classes, classes renamed: row 0 is"),
    (WholeSupport(), "check_support", "two classes: the type int64 instead of float64."),
    (NegativeSupport(), "check_support", "-1.0"),
    (SaysItReadsNothing(), "check_reads_no_samples", "`estimate`: it read `rules.counts`."),
    (ForgetsItsSupport(), "check_reads_no_samples", "`support`: it read `rules.support`."),
    (CountsByItself(), "check_reads_no_samples", "`estimate`: it called `cover` of the index."),
    (KeepsTheIndex(), "check_reads_no_samples", "`support`: it called `cover` of the index."),
    (ForgetsTheDefault(), "check_list", "two classes: the shape ("),
    (ListNotNormalised(), "check_list", "which sums to 0.9."),
    (FirstRule(), "check_list_without_rules", "IndexError: index 0 is out of bounds"),
    (RestOnly(), "check_list_rules_that_answer_no_sample", "two classes: row 16 is [nan, nan], not all finite."),
    (WeighsClasses(), "check_list_class_without_samples", "two classes: row 0 is [ 0., nan], not all finite."),
    (OrderOfSamples(), "check_order_of_samples", "samples shuffled: row"),
    (FavoursInLists(), "check_order_of_classes", "two classes, classes renamed: row 0 is"),
    (TellsListsApart(), "check_list_by_default", "two classes: row 2 is"),
    (SaysOrderPlaysNoRole(), "check_needs_order", "two classes, rules of a list in another order: row"),
    (NoTruthValue(), "check_needs_order", "`needs_order` is 'no'."),
    (HoldsAllBack(), "check_hold_back", "two classes: no sample of class [0, 1] is left."),
    (HoldsOneClassBack(), "check_hold_back", "two classes: no sample of class [1] is held back."),
    (HoldsOthersBack(), "check_hold_back", "two classes: other samples the second time."),
]


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_estimator_is_caught(component, check, got):
    assert_caught(check, component, got)


#: An answer of the wrong form fails wherever its rows are looked at.
SPOILING_MORE = (
    ReturnsNothing,
    Flat,
    Single,
    Listed,
    NotNormalised,
    Negative,
    ForgetsTheDefault,
    ListNotNormalised,
    PerCondition,
    Precision,
    FirstColumn,
    ForgetsItsSupport,
)


@pytest.mark.parametrize(
    ("component", "check", "got"), of_one_fault(BROKEN, SPOILING_MORE), ids=lambda value: str(value)[:40]
)
def test_no_other_check_fails_for_a_broken_estimator(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, Estimator(), elsewhere=SHARED)


class HoldsHalfBack(Estimator):
    """Keeps the promise of `hold_back`."""

    def hold_back(self, y):
        held = np.zeros(len(y), dtype=bool)
        for label in np.unique(y):
            held[np.flatnonzero(y == label)[::2]] = True
        return held


@pytest.mark.parametrize(
    "component", [HoldsHalfBack(), Prior(), LooksAtConditions(), Answered(), AsksTheEnsemble()], ids=str
)
def test_a_sound_estimator_passes(component):
    check_probability_estimator(component)


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
def test_lists_leave_samples_to_the_default_rule_and_have_rules_that_answer(world):
    """Checks on lists in which one rule answers everything would say nothing."""
    answered = world.rule_list().answered_counts.sum(axis=1)
    assert answered[-1] > 0
    assert (answered[:-1] > 0).sum() > 3
    assert answered[:-1].min() == 0


def test_one_world_has_trees_that_tell_which_samples_they_did_not_see():
    assert [world.data.out_of_bag_probabilities is not None for world in worlds()] == [False, True, False]
