"""The tables of toy studies by hand, and what must hold for any study."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from study import toy

from rulekit.core.errors import InvalidParameterError, MissingExtraError
from rulekit.study import statistics
from rulekit.study.statistics import (
    FAMILY,
    OUTCOMES,
    average_ranks,
    band_shares,
    compare_pair,
    critical_difference,
    dataset_means,
    diagnostics_summary,
    friedman_tests,
    holm,
    measured,
    median_changes,
    nemenyi_p,
    outcome,
    pareto_front,
    post_hoc_tests,
    read_rules,
    reliability_bins,
    stated_bands,
    use_summary,
)
from rulekit.study.statistics.libraries import library
from rulekit.study.statistics.paired import median_interval, signed_rank_p

SIX = toy.results(toy.SIX)


def only(measure: str, **variants: list[float]) -> pd.DataFrame:
    return toy.results({measure: variants})


class TestOutcomes:
    def test_the_family_is_the_twelve_outcomes_of_the_published_study(self):
        assert len(FAMILY) == 12
        assert {"accuracy", "search_seconds"} == set(OUTCOMES) - set(FAMILY)

    def test_know_which_way_is_better(self):
        higher = {name for name, each in OUTCOMES.items() if each.is_higher_better}
        assert higher == {"accuracy", "macro_f1", "fidelity", "uniqueness"}

    def test_an_unknown_measure_is_refused_with_the_nearest_name(self):
        with pytest.raises(
            InvalidParameterError, match=r"No measure named 'logloss'\. Did you mean 'log_loss'\? Known"
        ):
            outcome("logloss")

    def test_only_measures_with_a_value_count_as_measured(self):
        results = SIX.assign(brier=np.nan)
        assert measured(results) == ("log_loss", "macro_f1", "n_rules")


class TestDatasetMeans:
    def test_folds_are_averaged_first(self):
        means = dataset_means(SIX, "log_loss", ensemble="rf", variants=["new", "old"])
        assert means.table["new"].tolist() == [1, 2, 3, 4, 5, 6]
        assert means.counts == {"n_datasets": 6, "n_left_out": 0, "n_shortened": 0}

    def test_the_ensemble_itself_is_not_among_the_variants_unless_named(self):
        results = only("log_loss", ensemble=[1, 2], new=[1, 2])
        assert list(dataset_means(results, "log_loss", ensemble="rf").table) == ["new"]

    def test_a_dataset_without_a_value_for_one_variant_is_left_out_and_named(self):
        results = toy.fail(SIX, dataset="b", variant="old")
        means = dataset_means(results, "log_loss", ensemble="rf", variants=["new", "old"])
        assert means.left_out == ("b",)
        assert list(means.table.index) == ["a", "c", "d", "e", "f"]

    def test_a_fold_that_one_variant_lacks_counts_for_none(self):
        results = toy.fail(SIX, dataset="b", variant="old", fold=0)
        means = dataset_means(results, "log_loss", ensemble="rf", variants=["new", "old"])
        assert means.shortened == ("b",)
        assert means.table.loc["b"].tolist() == [2.25, 4.25]

    def test_a_cell_that_is_not_there_is_treated_like_one_that_failed(self):
        results = SIX[~((SIX["dataset"] == "b") & (SIX["variant"] == "old"))]
        means = dataset_means(results, "log_loss", ensemble="rf", variants=["new", "old"])
        assert means.left_out == ("b",)

    def test_a_dataset_where_everything_failed_is_left_out_and_counted(self):
        results = toy.fail(SIX, dataset="b")
        assert dataset_means(results, "log_loss", ensemble="rf").left_out == ("b",)

    def test_the_values_of_a_failed_cell_do_not_count(self):
        results = SIX.assign(status=np.where(SIX["dataset"] == "b", "failed", "done"))
        assert dataset_means(results, "log_loss", ensemble="rf").left_out == ("b",)

    def test_the_order_of_folds_does_not_break_a_tie(self):
        folds = [0.1, 0.2, 0.3]
        assert sum(folds) != sum(reversed(folds))
        rows = [
            {**toy.key(variant=variant, fold=fold), "status": "done", "brier": value}
            for variant, values in (("new", folds), ("old", folds[::-1]))
            for fold, value in enumerate(values)
        ]
        means = dataset_means(pd.DataFrame(rows), "brier", ensemble="rf").table
        assert means.loc["a", "new"] == means.loc["a", "old"]

    def test_no_variant_in_common_leaves_an_empty_table(self):
        results = toy.fail(SIX, variant="old")
        means = dataset_means(results, "log_loss", ensemble="rf", variants=["new", "old"])
        assert means.table.shape == (0, 2)
        assert len(means.left_out) == 6

    def test_a_cell_that_is_there_twice_is_refused(self):
        with pytest.raises(InvalidParameterError, match=r"have a cell twice: \{'dataset': 'a'"):
            dataset_means(pd.concat([SIX, SIX.iloc[:1]]), "log_loss", ensemble="rf")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"ensemble": "rff"}, r"no ensemble 'rff'\. Did you mean 'rf'\? They have: rf"),
            ({"ensemble": "rf", "variants": ["newer"]}, r"no variant 'newer'\. Did you mean 'new'\?"),
        ],
    )
    def test_unknown_names_are_refused_with_the_nearest(self, options, message):
        with pytest.raises(InvalidParameterError, match=message):
            dataset_means(SIX, "log_loss", **options)

    def test_a_measure_that_the_results_lack_is_refused(self):
        with pytest.raises(InvalidParameterError, match=r"no measure 'brier'\. They have: log_loss, macro_f1, n_rules"):
            dataset_means(SIX, "brier", ensemble="rf")


@pytest.fixture(scope="module")
def tests() -> pd.DataFrame:
    return compare_pair(SIX, "new", "old", ensemble="rf")


class TestComparisonOfTwo:
    def test_p_values_are_those_counted_by_hand(self, tests):
        assert tests["p"].tolist() == [2 / 64, 4 / 64, 10 / 64]

    def test_holm_is_over_the_measures(self, tests):
        assert tests["p_holm"].tolist() == [6 / 64, 8 / 64, 10 / 64]

    def test_changes_are_medians_of_relative_changes_of_the_first(self, tests):
        assert tests["change"].tolist() == [-50, 35, -15]

    def test_wins_know_which_way_is_better(self, tests):
        assert tests[["wins", "ties", "losses"]].to_numpy().tolist() == [[6, 0, 0], [5, 0, 1], [5, 0, 1]]
        assert tests["share_better"].tolist() == pytest.approx([1, 5 / 6, 5 / 6])

    def test_means_and_standard_deviations_are_over_the_datasets(self, tests):
        log_loss = tests.loc["log_loss"]
        assert (log_loss["first_mean"], log_loss["second_mean"]) == (3.5, 7)
        assert log_loss["first_sd"] == pytest.approx(math.sqrt(3.5))
        assert log_loss["n_datasets"] == 6

    def test_the_interval_holds_the_median_change(self, tests):
        assert ((tests["change_low"] <= tests["change"]) & (tests["change"] <= tests["change_high"])).all()

    def test_the_verdict_is_on_the_corrected_p(self):
        assert compare_pair(SIX, "new", "old", ensemble="rf")["verdict"].tolist() == ["not significant"] * 3
        assert compare_pair(SIX, "new", "old", ensemble="rf", measures=["log_loss"])["verdict"].tolist() == ["better"]
        assert compare_pair(SIX, "old", "new", ensemble="rf", measures=["log_loss"])["verdict"].tolist() == ["worse"]

    def test_equal_variants_have_p_1(self):
        tests = compare_pair(
            only("log_loss", new=[1, 2, 3, 4, 5, 6], old=[1, 2, 3, 4, 5, 6]), "new", "old", ensemble="rf"
        )
        row = tests.loc["log_loss"]
        assert (row["p"], row["ties"], row["change"], row["verdict"]) == (1, 6, 0, "not significant")

    def test_five_datasets_are_not_testable(self):
        results = SIX[SIX["dataset"] != "f"]
        tests = compare_pair(results, "new", "old", ensemble="rf")
        assert tests["p"].isna().all()
        assert tests["p_holm"].isna().all()
        assert tests.loc["log_loss", "change"] == -50
        assert set(tests["verdict"]) == {"not tested"}

    def test_one_dataset_has_no_standard_deviation_and_none_has_no_mean(self):
        one = compare_pair(SIX[SIX["dataset"] == "a"], "new", "old", ensemble="rf").loc["log_loss"]
        assert one["first_mean"] == 1
        assert math.isnan(one["first_sd"])
        none = compare_pair(toy.fail(SIX, variant="old"), "new", "old", ensemble="rf").loc["log_loss"]
        assert none["n_datasets"] == 0
        assert none["n_left_out"] == 6
        assert math.isnan(none["first_mean"])
        assert math.isnan(none["share_better"])

    def test_left_out_datasets_are_counted(self):
        tests = compare_pair(toy.fail(SIX, dataset="b", variant="old"), "new", "old", ensemble="rf")
        assert tests["n_left_out"].tolist() == [1, 1, 1]
        assert tests["n_datasets"].tolist() == [5, 5, 5]

    def test_a_measure_that_one_variant_lacks_does_not_spoil_the_family(self):
        results = SIX.assign(fidelity=SIX["log_loss"].where(SIX["variant"] == "new"))
        tests = compare_pair(results, "new", "old", ensemble="rf")
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
        results = only("log_loss", a=[1, 1], b=[1, 2], c=[3, 3])
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
        results = only("log_loss", a=[1] * 6, b=[1] * 6, c=[1] * 6)
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

    def test_an_unknown_variant_is_refused(self):
        with pytest.raises(InvalidParameterError, match="no variant 'fourth'"):
            friedman_tests(SIX, ensemble="rf", variants=["new", "old", "fourth"])

    def test_post_hoc_tests_are_corrected_over_the_variants_of_one_measure(self):
        values = {"a": range(1, 9), "b": range(11, 19), "c": range(31, 39)}
        results = only("log_loss", **{name: list(numbers) for name, numbers in values.items()})
        tests = post_hoc_tests(results, "b", ensemble="rf").set_index("other")
        assert tests["p"].tolist() == [2 / 256, 2 / 256]
        assert tests["p_holm"].tolist() == [4 / 256, 4 / 256]
        assert tests["verdict"].to_dict() == {"a": "worse", "c": "better"}

    def test_where_friedman_finds_nothing_no_pair_is_tested(self):
        results = only("log_loss", a=[1, 2, 3, 1, 2, 3], b=[2, 3, 1, 2, 3, 1], c=[3, 1, 2, 3, 1, 2])
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


class TestRules:
    def test_rules_of_all_cells_are_pooled(self):
        stored = [
            (toy.key(), toy.document(1.0, 0.8), toy.diagnostics((1.0, 4, 0.25), (0.8, 0, None)), toy.use()),
            (toy.key(dataset="b"), toy.document(0.9995), toy.diagnostics((0.9995, 200, 0.01)), toy.use()),
            (toy.key(dataset="c"), toy.document(), [], toy.use()),
        ]
        row = diagnostics_summary(read_rules(stored)).loc[("rf", "new")]
        assert row["n_non_default_rules"] == 3
        assert row["states_1"] == pytest.approx(1 / 3)
        assert row["states_at_least_0.999"] == pytest.approx(2 / 3)
        assert row["never_fired"] == pytest.approx(1 / 3)
        assert (row["gap_1-9"], row["gap_>=100"]) == (0.25, 0.01)

    def test_use_is_averaged_over_folds_first_and_then_over_datasets(self):
        stored = [
            (toy.key(fold=0), toy.document(), [], toy.use(n_rules=2)),
            (toy.key(fold=1), toy.document(), [], toy.use(n_rules=4)),
            (toy.key(dataset="b"), toy.document(), [], toy.use(n_rules=9, matches=None)),
        ]
        row = use_summary(read_rules(stored)).loc[("rf", "new")]
        assert row["n_non_default_rules"] == 6
        assert row["matches_per_covered"] == 1.5

    def test_diagnostics_may_be_a_frame(self):
        frame = pd.DataFrame(toy.diagnostics((1.0, 4, 0.25)))
        assert len(read_rules([(toy.key(), toy.document(1.0), frame, toy.use())]).rules) == 1

    def test_equal_rules_have_equal_fingerprints_whatever_the_inference(self):
        documents = [toy.document(0.9), toy.document(0.9, inference="aggregate"), toy.document(0.8)]
        stored = [(toy.key(fold=fold), document, [], toy.use()) for fold, document in enumerate(documents)]
        prints = read_rules(stored).cells["fingerprint"].tolist()
        assert prints[0] == prints[1] != prints[2]

    def test_no_rulesets_give_empty_frames(self):
        facts = read_rules([])
        assert facts.rules.empty
        assert facts.cells.empty
        assert stated_bands(facts.rules).empty
        assert diagnostics_summary(facts).empty
        assert use_summary(facts).empty

    def test_bands_isolate_claims_of_near_certainty(self):
        stated = np.array([0.4, 0.5, 0.99, 0.9989, 0.999, 0.99999, 1.0, 1.0])
        assert (band_shares(stated) * 8).tolist() == [1, 1, 0, 0, 0, 0, 2, 2, 2]

    def test_bands_are_by_ensemble_and_variant(self):
        rules = pd.DataFrame({"ensemble": "rf", "variant": ["new", "old"], "probability": [0.95, 1.0]})
        assert stated_bands(rules).loc[("rf", "old"), "= 1"] == 1


class TestReliability:
    def test_bins_hold_what_is_stated_and_what_comes_true(self):
        stated = np.array([[0.8, 0.2], [0.75, 0.25], [0.1, 0.9], [0.0, 1.0]])
        bins = reliability_bins([(toy.key(), [0, 1, 1, 1], stated)])
        assert bins["lower"].tolist() == [0.7, 0.8, 0.9]
        assert bins["n_records"].tolist() == [2, 1, 1]
        assert bins["confidence"].tolist() == pytest.approx([0.775, 0.9, 1.0])
        assert bins["accuracy"].tolist() == [0.5, 1, 1]
        assert bins["share"].tolist() == [0.5, 0.25, 0.25]

    def test_the_mean_gap_is_the_confidence_ece(self):
        from rulekit.evaluation import confidence_ece

        rng = np.random.default_rng(0)
        stated, y = rng.dirichlet([1, 1, 1], 200), rng.integers(0, 3, 200)
        bins = reliability_bins([(toy.key(), y[:90], stated[:90]), (toy.key(dataset="b"), y[90:], stated[90:])])
        gap = (bins["share"] * (bins["confidence"] - bins["accuracy"]).abs()).sum()
        assert gap == pytest.approx(confidence_ece(y, stated, [0, 1, 2]))

    def test_variants_and_ensembles_are_apart(self):
        stated = [[0.8, 0.2]]
        cells = [toy.key(variant=variant, ensemble=ensemble) for variant, ensemble in product("ab", ("rf", "gbm"))]
        assert len(reliability_bins([(cell, [0], stated) for cell in cells])) == 4

    def test_no_predictions_give_an_empty_frame(self):
        assert reliability_bins([]).empty


class TestParetoFront:
    def test_equal_points_are_both_on_it(self):
        assert pareto_front(np.array([[1.0, 1], [1, 1], [1, 2]])).tolist() == [True, True, False]

    @settings(max_examples=30, deadline=None)
    @given(points=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
    def test_nobody_on_it_is_beaten_and_everybody_else_is(self, points):
        def beats(a: tuple[int, int], b: tuple[int, int]) -> bool:
            return a != b and a[0] <= b[0] and a[1] <= b[1]

        expected = [not any(beats(other, point) for other in points) for point in points]
        assert pareto_front(np.array(points, dtype=float)).tolist() == expected


def test_a_missing_library_names_the_extra():
    with pytest.raises(MissingExtraError, match=r"needs nosuchlibrary.*pip install 'rulekit-rcprob\[study\]'"):
        library("nosuchlibrary.part")


def test_everything_public_is_there():
    assert [name for name in statistics.__all__ if not hasattr(statistics, name)] == []
