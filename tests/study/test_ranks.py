"""Several variants compared by their ranks."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from study import toy

from rulekit.core.errors import InvalidParameterError
from rulekit.study.statistics import (
    average_ranks,
    compare_pair,
    critical_difference,
    dataset_means,
    friedman_tests,
    median_changes,
    nemenyi_p,
    post_hoc_tests,
)

SIX = toy.results(toy.SIX)


class TestSeveralVariants:
    def test_friedman_by_hand(self):
        # Ranks 1, 2, 3 on all six datasets: 12 / (6 * 3 * 4) * (6² + 12² + 18²) - 3 * 6 * 4 = 12; p is exp(-12 / 2).
        tests = friedman_tests(SIX, ensemble="rf", measures=["log_loss"])
        assert tests.loc["log_loss", "statistic"] == pytest.approx(12)
        assert tests.loc["log_loss", "p"] == pytest.approx(math.exp(-6))
        assert tests.loc["log_loss", "n_variants"] == 3

    def test_average_ranks_know_which_way_is_better(self):
        ranks = average_ranks(SIX, ensemble="rf")
        assert ranks.loc["log_loss"].tolist() == [1, 2, 3]
        assert ranks.loc["macro_f1"].tolist() == pytest.approx([7 / 6, 11 / 6, 3])

    def test_ties_share_their_ranks(self):
        results = toy.only("log_loss", a=[1, 1], b=[1, 2], c=[3, 3])
        assert average_ranks(results, ensemble="rf").loc["log_loss"].tolist() == [1.25, 1.75, 3]

    def test_ranks_come_in_the_order_asked_for(self):
        ranks = average_ranks(SIX, ensemble="rf", variants=["third", "new"])
        assert list(ranks.columns) == ["third", "new"]

    def test_two_variants_or_five_datasets_are_not_testable(self):
        two = friedman_tests(SIX, ensemble="rf", variants=["new", "old"])
        five = friedman_tests(SIX[SIX["dataset"] != "f"], ensemble="rf")
        assert two["p"].isna().all()
        assert five["p"].isna().all()
        assert set(post_hoc_tests(SIX, "new", ensemble="rf", variants=["new", "old"])["verdict"]) == {"not tested"}

    def test_equal_variants_have_p_1(self):
        results = toy.only("log_loss", a=[1] * 6, b=[1] * 6, c=[1] * 6)
        tests = friedman_tests(results, ensemble="rf")
        assert tests.loc["log_loss", ["statistic", "p"]].tolist() == [0, 1]

    def test_a_variant_without_the_measure_does_not_leave_out_every_dataset(self):
        results = SIX.assign(fidelity=SIX["macro_f1"].where(SIX["variant"] != "third"))
        tests = friedman_tests(results, ensemble="rf", variants=["new", "old", "third"], measures=["fidelity"])
        assert tests.loc["fidelity", ["n_datasets", "n_variants"]].tolist() == [6, 2]
        ranks = average_ranks(
            results, ensemble="rf", variants=["new", "old", "third"], measures=["fidelity", "n_rules"]
        )
        assert math.isnan(ranks.loc["fidelity", "third"])

    def test_an_unknown_variant_is_rejected(self):
        with pytest.raises(InvalidParameterError, match="no variant 'fourth'"):
            friedman_tests(SIX, ensemble="rf", variants=["new", "old", "fourth"])

    def test_post_hoc_tests_are_corrected_over_the_variants_of_one_measure(self):
        values = {"a": range(1, 9), "b": range(11, 19), "c": range(31, 39)}
        results = toy.only("log_loss", **{name: list(numbers) for name, numbers in values.items()})
        tests = post_hoc_tests(results, "b", ensemble="rf").set_index("other")
        assert tests["p"].tolist() == [2 / 256, 2 / 256]
        assert tests["p_holm"].tolist() == [4 / 256, 4 / 256]
        assert tests["verdict"].to_dict() == {"a": "worse", "c": "better"}

    def test_post_hoc_tests_of_two_measures_are_one_family(self):
        values = {"a": range(1, 9), "b": range(11, 19), "c": range(31, 39)}
        numbers = {name: list(each) for name, each in values.items()}
        results = toy.results({"log_loss": numbers, "brier": numbers}).assign(seconds=1.0)
        tests = post_hoc_tests(results, "b", ensemble="rf", measures=["log_loss", "brier", "seconds"])
        assert tests["measure"].tolist() == ["log_loss", "log_loss", "brier", "brier"]
        assert tests["p_holm"].tolist() == tests["p_smallest"].tolist() == [8 / 256] * 4

    def test_post_hoc_tests_that_could_not_be_significant_say_so(self):
        values = {name: [10 * position + n for n in range(6)] for position, name in enumerate("abc")}
        tests = post_hoc_tests(toy.only("log_loss", **values), "b", ensemble="rf")
        assert tests["p_smallest"].tolist() == [4 / 64] * 2
        assert set(tests["verdict"]) == {"cannot be significant"}

    def test_where_friedman_finds_nothing_no_pair_is_tested(self):
        results = toy.only("log_loss", a=[1, 2, 3, 1, 2, 3], b=[2, 3, 1, 2, 3, 1], c=[3, 1, 2, 3, 1, 2])
        tests = post_hoc_tests(results, "a", ensemble="rf")
        assert set(tests["verdict"]) == {"not tested"}
        assert tests["p"].isna().all()

    def test_median_changes_are_those_of_the_comparisons(self):
        changes = median_changes(SIX, "new", ensemble="rf", variants=["new", "old", "third"])
        expected = {other: compare_pair(SIX, "new", other, ensemble="rf")["change"] for other in ("old", "third")}
        pd.testing.assert_frame_equal(changes, pd.DataFrame(expected), check_names=False)

    def test_the_order_of_the_rows_does_not_matter(self):
        shuffled = SIX.sample(frac=1, random_state=1)
        options = {"ensemble": "rf", "variants": ["new", "old", "third"]}
        for function in (friedman_tests, average_ranks):
            pd.testing.assert_frame_equal(function(shuffled, **options), function(SIX, **options))


class TestNemenyi:
    @pytest.fixture
    def means(self) -> pd.DataFrame:
        return dataset_means(SIX, "log_loss", ensemble="rf", variants=["new", "old", "third"]).table

    def test_agrees_with_the_studentized_range(self, means):
        # Ranks 1 and 3 of three variants on six datasets.
        statistic = 2 / math.sqrt(3 * 4 / (6 * 6)) * math.sqrt(2)
        expected = stats.studentized_range.sf(statistic, 3, np.inf)
        assert nemenyi_p(means).loc["new", "third"] == pytest.approx(expected, rel=1e-3)

    def test_no_pair_differs_where_friedman_finds_nothing(self):
        means = pd.DataFrame({"a": [1, 2, 3, 1, 2, 3], "b": [2, 3, 1, 2, 3, 1], "c": [3, 1, 2, 3, 1, 2]})
        assert (nemenyi_p(means) == 1).all(axis=None)

    def test_the_critical_difference_is_that_of_the_tables(self):
        # Demšar (2006) tabulates q = 2.728 for five classifiers.
        assert critical_difference(5, 30) == pytest.approx(2.728 * math.sqrt(5 * 6 / (6 * 30)), abs=1e-3)
