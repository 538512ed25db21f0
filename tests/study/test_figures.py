"""Figures draw what they should, without a display, and hold on to nothing."""

import numpy as np
import pandas as pd
import pytest
from study import toy

from rulekit.render.figure import COLOURS, look, wrapped
from rulekit.study import figures
from rulekit.study.statistics import BANDS, dataset_means, predicted_bands, read_rules, reliability_bins

SIX = toy.results(toy.SIX)
LONG = "rcprob final_estimator=m-estimate priors=mean inference=aggregate"


def texts(ax) -> str:
    return " ".join(text.get_text() for text in ax.texts)


@pytest.fixture
def means() -> pd.DataFrame:
    return dataset_means(SIX, "log_loss", ensemble="rf", variants=["new", "old", "third"]).table


class TestPairedScatter:
    def test_has_a_panel_for_each_ensemble_with_logarithmic_axes(self, means):
        figure = figures.paired_scatter({"rf": means, "gbm": means}, "new", "old")
        assert [ax.get_title() for ax in figure.axes] == ["rf", "gbm"]
        assert {(ax.get_xscale(), ax.get_yscale()) for ax in figure.axes} == {("log", "log")}
        assert figure.axes[0].get_xlabel() == "Log-loss of old"
        assert figure.axes[0].get_ylabel() == "Log-loss of new"

    def test_counts_the_wins(self, means):
        assert "new is better (below the line) on 6 of 6" in texts(
            figures.paired_scatter({"rf": means}, "new", "old").axes[0]
        ).replace("\n", " ")

    def test_wins_know_which_way_is_better(self, means):
        ax = figures.paired_scatter({"rf": means}, "new", "old", "macro_f1").axes[0]
        assert "(above the line) on 0 of 6" in texts(ax)

    def test_names_the_few_datasets_that_the_first_loses(self, means):
        table = means.assign(new=[9.0, *means["new"][1:]])
        ax = figures.paired_scatter({"rf": table}, "new", "old").axes[0]
        assert "a" in [text.get_text() for text in ax.texts]

    def test_a_log_loss_of_0_lies_within_the_axes(self, means):
        ax = figures.paired_scatter({"rf": means.assign(new=0.0)}, "new", "old").axes[0]
        heights = np.concatenate([points.get_offsets()[:, 1] for points in ax.collections])
        assert (heights > ax.get_ylim()[0]).all()

    @pytest.mark.parametrize("factor", [1, 100])
    def test_axes_have_a_few_plain_numbers(self, means, factor):
        figure = figures.paired_scatter({"rf": means.assign(old=means["old"] * factor)}, "new", "old")
        figure.draw_without_rendering()
        axis = figure.axes[0].xaxis
        lowest, highest = axis.get_view_interval()
        labels = [float(text.get_text()) for text in axis.get_ticklabels(minor=False)]
        assert 2 <= sum(lowest <= label <= highest for label in labels) <= 7
        assert {text.get_text() for text in axis.get_ticklabels(minor=True)} <= {""}

    def test_nothing_but_zeros_can_be_drawn(self, means):
        figures.paired_scatter({"rf": means * 0}, "new", "old")


class TestReliability:
    def test_has_a_panel_for_each_variant_with_the_share_of_each_bin(self):
        bins = reliability_bins(toy.predictions(SIX))
        figure = figures.reliability(bins, ["new", LONG], "Reliability")
        assert [ax.get_title() for ax in figure.axes] == ["new", wrapped(LONG)]
        assert [bar.get_height() for bar in figure.axes[0].patches] == [1]
        predicted, right = figure.axes[0].lines[1].get_xydata()[0]
        assert (predicted, right) == pytest.approx((0.85, 0.9))


class TestPredictedProbabilities:
    def test_has_a_bar_for_each_band_and_variant(self):
        fractions = predicted_bands(read_rules(toy.rulesets(SIX)).rules).loc["rf"]
        ax = figures.predicted_probabilities(fractions, "Stated").axes[0]
        assert [label.get_text() for label in ax.get_xticklabels()] == list(BANDS)
        heights = {bars.get_label(): [bar.get_height() for bar in bars] for bars in ax.containers}
        assert heights["old"][-1] == 50
        assert heights["new"][-2:] == [50, 0]


class TestCriticalDifference:
    def test_shows_average_ranks_and_the_difference_that_counts(self, means):
        ax = figures.critical_difference_diagram(means, "log_loss", "Log-loss, rf").axes[0]
        assert "new (1.00)" in texts(ax)
        assert "(3.00) third" in texts(ax)
        assert "critical difference 1.35; 6 datasets" in ax.get_title()

    def test_long_names_that_differ_at_the_end_stay_apart(self, means):
        named = means.set_axis([LONG, LONG.replace("aggregate", "decision-list"), "third"], axis=1)
        ax = figures.critical_difference_diagram(named, "log_loss", "Log-loss, rf").axes[0]
        assert "inference=aggregate" in texts(ax)
        assert "inference=decision-list" in texts(ax)


class TestTradeOff:
    def test_fills_the_variants_on_the_front(self):
        points = pd.DataFrame({"n_rules": [10, 20, 30], "log_loss": [0.9, 0.5, 0.6]}, index=["a", "b", "c"])
        ax = figures.trade_off(points, "Size").axes[0]
        faces = {line.get_label(): line.get_markerfacecolor() for line in ax.lines[1:]}
        assert faces["c"] == "none"
        assert "none" not in (faces["a"], faces["b"])
        assert ax.lines[0].get_xydata().tolist() == [[10, 0.9], [20, 0.5]]

    def test_more_is_better_where_the_measure_says_so(self):
        points = pd.DataFrame({"n_rules": [10, 20], "macro_f1": [0.9, 0.5]}, index=["a", "b"])
        ax = figures.trade_off(points, "Size").axes[0]
        assert ax.lines[0].get_xydata().tolist() == [[10, 0.9]]


class TestStyle:
    def test_no_two_of_many_variants_look_the_same(self):
        assert len({look(position) for position in range(40)}) == 40

    def test_names_are_broken_but_never_cut(self):
        assert wrapped(LONG).replace("\n", " ") == LONG

    def test_colours_differ(self):
        assert len(set(COLOURS)) == len(COLOURS)


class TestSaving:
    def test_writes_the_same_file_for_the_same_figure(self, means, tmp_path):
        for name in ("first", "second"):
            figures.save(figures.paired_scatter({"rf": means}, "new", "old"), tmp_path, name, ["svg"])
        assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()

    def test_writes_every_format(self, means, tmp_path):
        figure = figures.paired_scatter({"rf": means}, "new", "old")
        paths = figures.save(figure, tmp_path, "some", ["png", "svg"])
        assert [path.name for path in paths] == ["some.png", "some.svg"]
        assert all(path.stat().st_size for path in paths)

    def test_pyplot_holds_no_figure(self, means):
        from matplotlib import pyplot

        before = pyplot.get_fignums()
        figures.critical_difference_diagram(means, "log_loss", "Log-loss, rf")
        assert pyplot.get_fignums() == before
