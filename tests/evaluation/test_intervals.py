"""Rules whose probability held-out samples contradict."""

import math

import pytest
from scipy.stats import beta

from rulekit.evaluation import IntervalCounts, interval_counts


def rule(probability, n_right, n_fired):
    precision = n_right / n_fired if n_fired else math.nan
    return {"probability": probability, "n_fired": n_fired, "held_out_precision": precision}


class TestIntervalCounts:
    def test_by_hand_where_all_samples_are_right(self):
        # Of ten out of ten the lower limit is the p with p ** 10 = 0.025, the upper limit is 1.
        lower = 0.025**0.1
        assert lower == pytest.approx(0.6915, abs=1e-4)
        found = interval_counts([rule(lower + 1e-6, 10, 10), rule(lower - 1e-6, 10, 10), rule(1.0, 10, 10)])
        assert found == IntervalCounts(n_rules=3, n_below=1, n_above=0)

    def test_by_hand_where_none_is_right(self):
        upper = 1 - 0.025**0.1
        found = interval_counts([rule(upper - 1e-6, 0, 10), rule(upper + 1e-6, 0, 10), rule(0.0, 0, 10)])
        assert found == IntervalCounts(n_rules=3, n_below=0, n_above=1)

    @pytest.mark.parametrize(("n_right", "n_fired"), [(5, 10), (19, 20), (3, 47)])
    def test_are_those_of_clopper_and_pearson(self, n_right, n_fired):
        low = beta.ppf(0.025, n_right, n_fired - n_right + 1)
        high = beta.ppf(0.975, n_right + 1, n_fired - n_right)
        inside = [rule(low + 1e-6, n_right, n_fired), rule(high - 1e-6, n_right, n_fired)]
        outside = [rule(low - 1e-6, n_right, n_fired), rule(high + 1e-6, n_right, n_fired)]
        assert interval_counts(inside) == IntervalCounts(2, 0, 0)
        assert interval_counts(outside) == IntervalCounts(2, 1, 1)
        assert interval_counts([*inside, *outside]).fraction_outside == 0.5

    def test_leave_out_rules_that_answer_few_samples(self):
        found = interval_counts([rule(0.1, 9, 9), rule(0.1, 0, 0)])
        assert found == IntervalCounts(0, 0, 0)
        assert math.isnan(found.fraction_outside)

    def test_at_another_level(self):
        # 0.7 is above 0.025 ** 0.1 = 0.69 and below 0.25 ** 0.1 = 0.87.
        assert interval_counts([rule(0.7, 10, 10)]).n_below == 0
        assert interval_counts([rule(0.7, 10, 10)], level=0.5).n_below == 1
