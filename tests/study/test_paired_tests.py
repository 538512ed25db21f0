"""Two variants compared: by hand, and what must hold for any study."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from study import toy

from rulekit.core.errors import InvalidParameterError
from rulekit.study.statistics import (
    compare_pair,
    holm,
)
from rulekit.study.statistics.paired import median_interval, signed_rank_p, smallest_p

SIX = toy.results(toy.SIX)
ALL = list(toy.SIX)


@pytest.fixture(scope="module")
def tests() -> pd.DataFrame:
    return compare_pair(SIX, "new", "old", ensemble="rf", primary=ALL)


class TestComparisonOfTwo:
    def test_p_values_are_those_counted_by_hand(self, tests):
        assert tests["p"].tolist() == [2 / 64, 4 / 64, 10 / 64]

    def test_holm_is_over_the_primary_measures(self, tests):
        some = compare_pair(SIX, "new", "old", ensemble="rf", primary=["macro_f1", "log_loss"])
        assert some.index.tolist() == ["macro_f1", "log_loss", "n_rules"]
        assert some["p_holm"].tolist()[:2] == [4 / 64, 4 / 64]
        assert math.isnan(some.loc["n_rules", "p_holm"])
        assert some.loc["n_rules", "verdict"] == "descriptive"
        assert tests["p_holm"].tolist() == [6 / 64, 8 / 64, 10 / 64]

    def test_changes_are_medians_of_relative_changes_of_the_first(self, tests):
        assert tests["change"].tolist() == [-50, 35, -15]

    def test_wins_know_which_way_is_better(self, tests):
        assert tests[["wins", "ties", "losses"]].to_numpy().tolist() == [[6, 0, 0], [5, 0, 1], [5, 0, 1]]
        assert tests["fraction_better"].tolist() == pytest.approx([1, 5 / 6, 5 / 6])

    def test_means_and_standard_deviations_are_over_the_datasets(self, tests):
        log_loss = tests.loc["log_loss"]
        assert (log_loss["first_mean"], log_loss["second_mean"]) == (3.5, 7)
        assert log_loss["first_sd"] == pytest.approx(math.sqrt(3.5))
        assert log_loss["n_datasets"] == 6

    def test_the_interval_holds_the_median_change(self, tests):
        assert ((tests["change_low"] <= tests["change"]) & (tests["change"] <= tests["change_high"])).all()

    def test_the_verdict_is_on_the_corrected_p(self):
        by_log_loss = {"ensemble": "rf", "primary": ["log_loss"]}
        assert compare_pair(SIX, "new", "old", **by_log_loss).loc["log_loss", "verdict"] == "better"
        assert compare_pair(SIX, "old", "new", **by_log_loss).loc["log_loss", "verdict"] == "worse"
        assert (
            compare_pair(SIX, "new", "old", ensemble="rf", primary=["n_rules"])["verdict"].tolist()[0]
            == "not significant"
        )

    def test_three_measures_cannot_be_significant_with_six_datasets(self, tests):
        assert tests["p_smallest"].tolist() == [6 / 64] * 3
        assert set(tests["verdict"]) == {"cannot be significant"}

    def test_effects_are_rank_biserial(self, tests):
        """The ranks are 1 to 6, 21 together, of which the rank 1 and then the rank 3 are on the other side."""
        assert tests["rank_biserial"].tolist() == pytest.approx([21 / 21, (20 - 1) / 21, (18 - 3) / 21])

    def test_equal_variants_are_in_no_family(self):
        """A measure that cannot differ, such as rules of variants with the same search, took from the others' p."""
        results = toy.results({**toy.SIX, "brier": {"new": [1, 2, 3, 4, 5, 6], "old": [1, 2, 3, 4, 5, 6]}})
        tests = compare_pair(results, "new", "old", ensemble="rf", primary=["log_loss", "brier"])
        row = tests.loc["brier"]
        assert (row["p"], row["ties"], row["change"], row["rank_biserial"], row["verdict"]) == (1, 6, 0, 0, "equal")
        assert tests.loc["log_loss", "p_holm"] == 2 / 64

    def test_durations_are_in_no_family(self):
        results = SIX.assign(seconds=SIX["log_loss"])
        tests = compare_pair(results, "new", "old", ensemble="rf", primary=["log_loss", "seconds"])
        assert tests.loc["seconds", "verdict"] == "descriptive"
        assert tests.loc["log_loss", "p_holm"] == 2 / 64

    def test_five_datasets_cannot_be_significant(self):
        tests = compare_pair(SIX[SIX["dataset"] != "f"], "new", "old", ensemble="rf", primary=["log_loss"])
        row = tests.loc["log_loss"]
        assert (row["p"], row["p_holm"], row["p_smallest"], row["change"]) == (2 / 32, 2 / 32, 2 / 32, -50)
        assert row["verdict"] == "cannot be significant"

    def test_datasets_that_are_equal_cannot_make_a_difference_significant(self):
        results = toy.only("log_loss", new=[1, 2, 3, 4, 5, 6, 7], old=[1, 2, 4, 5, 6, 7, 9])
        row = compare_pair(results, "new", "old", ensemble="rf").loc["log_loss"]
        assert (row["p_smallest"], row["verdict"]) == (2 / 32, "cannot be significant")

    def test_one_dataset_has_no_standard_deviation_and_none_has_no_mean(self):
        one = compare_pair(SIX[SIX["dataset"] == "a"], "new", "old", ensemble="rf").loc["log_loss"]
        assert one["first_mean"] == 1
        assert math.isnan(one["first_sd"])
        none = compare_pair(toy.fail(SIX, variant="old"), "new", "old", ensemble="rf").loc["log_loss"]
        assert none["n_datasets"] == 0
        assert none["n_left_out"] == 6
        assert math.isnan(none["first_mean"])
        assert math.isnan(none["fraction_better"])

    def test_left_out_datasets_are_counted(self):
        tests = compare_pair(toy.fail(SIX, dataset="b", variant="old"), "new", "old", ensemble="rf")
        assert tests["n_left_out"].tolist() == [1, 1, 1]
        assert tests["n_datasets"].tolist() == [5, 5, 5]

    def test_a_measure_that_one_variant_lacks_does_not_spoil_the_family(self):
        results = SIX.assign(fidelity=SIX["log_loss"].where(SIX["variant"] == "new"))
        tests = compare_pair(results, "new", "old", ensemble="rf", primary=[*ALL, "fidelity"])
        assert math.isnan(tests.loc["fidelity", "p_holm"])
        assert tests.loc["log_loss", "p_holm"] == 6 / 64

    def test_a_change_from_nothing_is_infinite_and_from_nothing_to_nothing_is_none(self):
        results = toy.results({"brier": {"new": [0, 1, 1], "old": [0, 0, 0]}}, offsets=[0])
        row = compare_pair(results, "new", "old", ensemble="rf").loc["brier"]
        assert row["change"] == math.inf
        assert math.isnan(row["change_low"])

    def test_a_variant_is_not_compared_with_itself(self):
        with pytest.raises(InvalidParameterError, match="two different variants, got 'new' twice"):
            compare_pair(SIX, "new", "new", ensemble="rf")


class TestHolm:
    def test_by_hand(self):
        assert holm(np.array([0.04, 0.01, 0.03])) == pytest.approx([0.06, 0.03, 0.06])

    def test_nothing_to_correct(self):
        assert np.isnan(holm(np.array([np.nan, np.nan]))).all()


def test_rounding_errors_are_ties():
    first = np.array([0.1 + 0.2, 1, 1, 1, 1, 1, 1])
    second = np.array([0.3, 1, 1, 1, 1, 1, 1])
    assert signed_rank_p(first, second) == 1


def test_the_interval_of_the_median_does_not_depend_on_the_order():
    values = np.array([3.0, -1, 4, 1, -5, 9, 2, 6])
    assert median_interval(values) == median_interval(values[::-1])


#: Few ties, because SciPy takes its time over them.
means = st.integers(1, 4096).map(lambda n: n / 1024)
results_of_two = st.integers(6, 9).flatmap(
    lambda n: st.tuples(*[st.lists(means, min_size=n, max_size=n, unique=True)] * 2)
)


class TestForAnyStudy:
    @settings(max_examples=8, deadline=None)
    @given(values=results_of_two, seed=st.integers(0, 99))
    def test_the_order_of_the_rows_does_not_matter(self, values, seed):
        results = toy.results({"macro_f1": {"new": values[0], "old": values[1]}})
        shuffled = results.sample(frac=1, random_state=seed)
        expected = compare_pair(results, "new", "old", ensemble="rf")
        pd.testing.assert_frame_equal(compare_pair(shuffled, "new", "old", ensemble="rf"), expected)

    @settings(max_examples=8, deadline=None)
    @given(values=results_of_two)
    def test_the_other_way_round_wins_are_losses_and_p_is_the_same(self, values):
        results = toy.results({"macro_f1": {"new": values[0], "old": values[1]}})
        there = compare_pair(results, "new", "old", ensemble="rf").loc["macro_f1"]
        back = compare_pair(results, "old", "new", ensemble="rf").loc["macro_f1"]
        assert there["p"] == back["p"]
        assert (there["wins"], there["ties"], there["losses"]) == (back["losses"], back["ties"], back["wins"])
        assert (there["first_mean"], there["first_sd"]) == (back["second_mean"], back["second_sd"])

    @settings(max_examples=8, deadline=None)
    @given(values=results_of_two)
    def test_p_is_scipys(self, values):
        results = toy.results({"macro_f1": {"new": values[0], "old": values[1]}})
        gaps = np.subtract(*values)
        expected = stats.wilcoxon(gaps).pvalue if gaps.any() else 1
        assert compare_pair(results, "new", "old", ensemble="rf").loc["macro_f1", "p"] == pytest.approx(expected)

    @settings(max_examples=8, deadline=None)
    @given(values=results_of_two)
    def test_the_effect_is_what_scipys_statistic_says(self, values):
        """The smaller of the two sums of ranks is the fraction (1 - |r|) / 2 of all ranks."""
        gaps = np.subtract(*values)
        gaps = gaps[gaps != 0]
        assume(len(gaps))
        all_ranks = len(gaps) * (len(gaps) + 1) / 2
        expected = 1 - 2 * stats.wilcoxon(gaps).statistic / all_ranks
        results = toy.results({"macro_f1": {"new": values[0], "old": values[1]}})
        row = compare_pair(results, "new", "old", ensemble="rf").loc["macro_f1"]
        assert abs(row["rank_biserial"]) == pytest.approx(expected)

    @pytest.mark.parametrize("n", range(1, 13))
    def test_the_smallest_p_is_scipys_for_differences_of_one_sign_tied_or_not(self, n):
        assert smallest_p(n) == pytest.approx(stats.wilcoxon(np.arange(1.0, n + 1)).pvalue)
        if n <= 8:
            assert smallest_p(n) <= stats.wilcoxon(np.ones(n)).pvalue + 1e-12
