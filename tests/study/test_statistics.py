"""Outcomes of a study and their means, by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study import toy

from rulekit.core.errors import InvalidParameterError, MissingExtraError
from rulekit.study import statistics
from rulekit.study.statistics import (
    FAMILY,
    dataset_means,
    measured,
    outcome,
    outcomes,
    pareto_front,
)
from rulekit.study.statistics.libraries import library

SIX = toy.results(toy.SIX)


class TestOutcomes:
    def test_the_family_is_the_twelve_outcomes_of_the_published_study(self):
        assert len(FAMILY) == 12
        of_ranks = {"roc_auc", "average_precision", "ks", "lift_at_10", "rarest_class_recall"}
        untested = {"accuracy", "balanced_accuracy", "search_seconds", *of_ranks}
        assert untested == set(outcomes()) - set(FAMILY)

    def test_know_which_way_is_better(self):
        higher = {name for name, each in outcomes().items() if each.is_higher_better}
        areas = {"roc_auc", "average_precision", "ks", "lift_at_10", "rarest_class_recall"}
        assert higher == {"accuracy", "balanced_accuracy", "macro_f1", "fidelity", "uniqueness", *areas}

    def test_an_unknown_measure_is_rejected_with_the_nearest_name(self):
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
        results = toy.only("log_loss", ensemble=[1, 2], new=[1, 2])
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
        assert (0.1 + 0.2) + 0.3 != (0.3 + 0.2) + 0.1  # not sum(), which newer versions of Python round differently
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

    def test_a_cell_that_is_there_twice_is_rejected(self):
        with pytest.raises(InvalidParameterError, match=r"contain a cell twice: \{'dataset': 'a'"):
            dataset_means(pd.concat([SIX, SIX.iloc[:1]]), "log_loss", ensemble="rf")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"ensemble": "rff"}, r"no ensemble 'rff'\. Did you mean 'rf'\? They have: rf"),
            ({"ensemble": "rf", "variants": ["newer"]}, r"no variant 'newer'\. Did you mean 'new'\?"),
        ],
    )
    def test_unknown_names_are_rejected_with_the_nearest(self, options, message):
        with pytest.raises(InvalidParameterError, match=message):
            dataset_means(SIX, "log_loss", **options)

    def test_a_measure_that_the_results_lack_is_rejected(self):
        with pytest.raises(InvalidParameterError, match=r"no measure 'brier'\. They have: log_loss, macro_f1, n_rules"):
            dataset_means(SIX, "brier", ensemble="rf")


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
