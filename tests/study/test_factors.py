"""Factorials: main effects and interactions, by hand and against a linear model."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from study import toy

from rulekit.study import figures, tables
from rulekit.study.report import write_report
from rulekit.study.statistics import dataset_means, factor_effects, level_means, levels_of

#: Six datasets; b adds 1, q adds 2, and both together 4 more, times the number of the dataset.
VALUES = {name: [base + n * add for n in range(1, 7)] for name, base, add in
          (("a · p", 10, 0), ("a · q", 10, 2), ("b · p", 10, 1), ("b · q", 10, 7))}  # fmt: skip


def factorial_results(values, factors=("one", "two")):
    results = toy.only("log_loss", **values)
    for position, factor in enumerate(factors):
        results[f"factor_{factor}"] = results["variant"].str.split(" · ").str[position]
    return results


RESULTS = factorial_results(VALUES)


class TestEffects:
    def test_are_those_computed_by_hand(self):
        """On dataset n: ((1 + 7) - (0 + 2)) n / 2, ((2 + 7) - (0 + 1)) n / 2, and ((0 + 7) - (1 + 2)) n / 2."""
        effects = factor_effects(RESULTS, ensemble="rf")
        assert effects["effect"].tolist() == ["one: b against a", "two: q against p", "one b × two q"]
        assert effects["difference"].tolist() == [3 * 3.5, 4 * 3.5, 2 * 3.5]
        assert effects["rank_biserial"].tolist() == [-1, -1, -1]
        assert effects["p"].tolist() == [2 / 64] * 3
        assert effects["p_holm"].tolist() == effects["p_smallest"].tolist() == [6 / 64] * 3
        assert set(effects["verdict"]) == {"cannot be significant"}

    def test_differences_are_the_coefficients_of_a_linear_model(self):
        """With effect coding and one dataset, a coefficient is half of the difference."""
        random = np.random.default_rng(0)
        names = list(itertools.product("ab", "pq", "xy"))
        values = {" · ".join(name): [random.normal()] for name in names}
        results = factorial_results(values, ("one", "two", "three"))
        coded = np.array([[1 if level in "bqy" else -1 for level in name] for name in names], dtype=float)
        pairs = np.column_stack([coded[:, i] * coded[:, j] for i, j in ((0, 1), (0, 2), (1, 2))])
        design = np.column_stack([np.ones(8), coded, pairs, coded.prod(axis=1)])
        coefficients = np.linalg.solve(design, [value[0] for value in values.values()])[1:7]
        found = factor_effects(results, ensemble="rf")["difference"]
        assert found.to_numpy() == pytest.approx(2 * coefficients, abs=1e-11)

    def test_of_eight_datasets_can_be_significant(self):
        values = {"a · p": range(8), "a · q": range(8), "b · p": range(1, 9), "b · q": range(1, 9)}
        effects = factor_effects(factorial_results({k: list(v) for k, v in values.items()}), ensemble="rf")
        assert effects["verdict"].tolist() == ["worse", "equal", "equal"]
        assert effects["p_holm"].tolist()[0] == 2 / 256
        assert effects["p_smallest"].isna().tolist() == [False, True, True]

    def test_levels_have_means_and_ranks(self):
        means = level_means(RESULTS, ensemble="rf", measure="log_loss")
        assert means[["factor", "level"]].to_numpy().tolist() == [
            ["one", "a"],
            ["one", "b"],
            ["two", "p"],
            ["two", "q"],
        ]
        assert means["mean"].tolist() == [10 + 3.5, 10 + 3.5 * 4, 10 + 3.5 * 0.5, 10 + 3.5 * 4.5]
        assert means["rank"].tolist() == [1, 2, 1, 2]

    def test_there_are_none_without_a_full_factorial(self):
        assert levels_of(RESULTS[RESULTS["variant"] != "b · q"]) == {}
        assert levels_of(toy.results(toy.SIX)) == {}
        assert factor_effects(toy.results(toy.SIX), ensemble="rf").empty


def twelve():
    random = np.random.default_rng(1)
    levels = (["hybrid", "m-estimate", "laplace"], ["product", "mean"], ["decision-list", "aggregate"])
    values = {" · ".join(name): list(0.3 + random.random(8)) for name in itertools.product(*levels)}
    results = factorial_results(values, ("final_estimator", "priors", "inference"))
    return results.assign(n_rules=[10.0 + 3 * (hash_of % 7) for hash_of in range(len(results))])


class TestReport:
    def test_of_twelve_variants_has_their_tables_and_figures(self, tmp_path, monkeypatch):
        monkeypatch.setattr(Figure, "savefig", lambda self, path, **_: path.touch())  # drawing them takes ten seconds
        results = twelve()
        path = write_report(results, toy.rulesets(results), toy.predictions(results), tmp_path, formats=["png"])
        text = path.read_text(encoding="utf-8")
        assert "**Main effects and interactions, rf**" in text
        assert "**Log-loss ↓ by level of each factor, rf**" in text
        names = {each.stem for each in (tmp_path / "figures").iterdir()}
        assert "interactions-log-loss-rf" in names
        assert max(map(len, names)) <= 80

    def test_the_interaction_plot_has_a_line_for_each_level(self):
        results = twelve()
        levels = levels_of(results)
        means = dataset_means(results, "log_loss", ensemble="rf").table
        figure = figures.interactions(means, levels, "log_loss", "Title")
        assert [[line.get_label() for line in ax.get_lines()] for ax in figure.axes if ax.get_visible()] == [
            ["product", "mean"],
            ["decision-list", "aggregate"],
            ["decision-list", "aggregate"],
        ]
        expected = means[[name for name in means if name.startswith("hybrid · product")]].to_numpy().mean()
        assert figure.axes[0].get_lines()[0].get_ydata()[0] == pytest.approx(expected)

    def test_the_table_says_what_cannot_be_significant(self):
        table = tables.effect_table(factor_effects(RESULTS, ensemble="rf"), ensemble="rf")
        assert table.rows[0][-1] == "cannot be significant with 6 datasets"
        assert isinstance(table.numbers, pd.DataFrame)


@pytest.mark.parametrize("n_variants", [3, 12])
def test_the_trade_off_has_a_complete_legend_inside_the_figure(n_variants):
    """With twelve variants the last two names were outside."""
    names = twelve()["variant"].unique()[:n_variants]
    points = pd.DataFrame(
        {"n_rules": np.arange(n_variants) + 18.0, "log_loss": 0.9 - np.arange(n_variants) / 50}, names
    )
    figure = figures.trade_off(points, "Title")
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert {each.get_text().replace("\n", " ") for each in legend.get_texts()} == {"Pareto front", *names}
    box = legend.get_window_extent()
    assert box.y0 >= 0
    assert box.x1 <= figure.bbox.x1
    (ax,) = figure.axes
    assert ax.get_xlim()[1] > points["n_rules"].max()
    assert ax.get_xlim()[0] > 10
