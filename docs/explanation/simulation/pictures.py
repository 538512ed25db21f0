"""The pictures of the pages, each from its numbers."""

from typing import Any

import numpy as np
import pandas as pd
from experiments import COMBINERS, ESTIMATORS

from rulekit.render.figure import BLUE, COLOURS, GREY, MARKERS, ORANGE, new_figure

WIDTH, HEIGHT = 6.4, 2.6
EXCESS = "excess log-loss"
LOOKS = {
    name: {"color": COLOURS[position], "marker": MARKERS[position]} for position, name in enumerate(ESTIMATORS)
} | {
    "answered, counts alone": {"color": GREY, "marker": "x", "linestyle": "--"},
    "answered": {"color": "black", "marker": "o"},
}


def two_panels() -> tuple[Any, Any, Any]:
    """A figure as wide as a page, with two panels."""
    figure = new_figure(WIDTH, HEIGHT)
    return figure, *figure.subplots(1, 2)


def estimators(by_support: pd.DataFrame) -> Any:
    """Excess log-loss against samples, a panel for each world."""
    figure = new_figure(WIDTH, 2 * HEIGHT)
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    enough = by_support[by_support["rules"] >= 5]
    for axes, (world, rows) in zip(grid.flat, enough.groupby("world", sort=False), strict=True):
        for name, line in rows.groupby("estimator", sort=False):
            axes.loglog(line["samples"], line["excess"], label=name, **LOOKS[name])
        axes.set(title=world)
        axes.grid(True)
    for axes in grid[-1]:
        axes.set_xlabel("training samples of a rule")
    for axes in grid[:, 0]:
        axes.set_ylabel(EXCESS)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    return figure


def answered(by_answered: pd.DataFrame) -> Any:
    """Excess log-loss against samples that a rule answers, a panel for each world."""
    figure = new_figure(WIDTH, 2 * HEIGHT)
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    enough = by_answered[by_answered["rules"] >= 5]
    for axes, (world, rows) in zip(grid.flat, enough.groupby("world", sort=False), strict=True):
        for name, line in rows.groupby("estimator", sort=False):
            axes.loglog(line["answered"], line["excess"], label=name, **LOOKS[name])
        axes.set(title=world)
        axes.grid(True)
    for axes in grid[-1]:
        axes.set_xlabel("training samples that a rule answers")
    for axes in grid[:, 0]:
        axes.set_ylabel(EXCESS)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def empirical(table: pd.DataFrame) -> Any:
    """What is predicted, what is true, and what new samples show, a panel for each search."""
    figure, *panels = two_panels()
    for axes, method in zip(panels, ("rc+", "rcprob"), strict=True):
        rows = table.loc[method]
        positions = np.arange(len(rows))
        axes.plot(
            positions, rows["predicted"], label="predicted: fraction of training samples", color=ORANGE, marker="s"
        )
        axes.plot(positions, rows["truth"], label="truth", color="black", marker="o")
        axes.plot(
            positions, rows["on new samples"], label="fraction of new samples", color=BLUE, marker="^", linestyle="--"
        )
        axes.set(title=f"rules found by {method}", xlabel="training samples of a rule", ylim=(0.5, 1.02))
        axes.set_xticks(positions, rows.index)
        axes.grid(True, axis="y")
    panels[0].set_ylabel("probability of the rule's class")
    panels[1].legend(loc="lower right")
    return figure


def laplace(table: pd.DataFrame) -> Any:
    """What a pure rule predicts, and the excess by strength."""
    figure, left, right = two_panels()
    samples = np.geomspace(1, 200, 60)
    for position, n_classes in enumerate((2, 5, 10)):
        left.semilogx(
            samples, (samples + 1) / (samples + n_classes), label=f"{n_classes} classes", color=COLOURS[position]
        )
    left.axhline(1, color=GREY, linewidth=0.8)
    left.set(
        title="a rule without errors, smoothing 1",
        xlabel="training samples of the rule",
        ylabel="predicted probability",
    )
    left.legend(loc="lower right")
    _sweep(right, table, "smoothing", default=1.0)
    return figure


def m_estimate(table: pd.DataFrame) -> Any:
    """The excess by weight, and for rules of a rare class."""
    figure, left, right = two_panels()
    rare = [name for name in table.columns if name.startswith("rare")]
    _sweep(left, table.drop(columns=rare), "strength", default=5.0)
    _sweep(right, table[rare].rename(columns=lambda name: name.removeprefix("rare: ")), "strength", default=5.0)
    right.set_title("world with a rare class")
    right.get_legend().set_title("rules that conclude")
    return figure


def ensemble_m_estimate(table: pd.DataFrame) -> Any:
    """How many priors are certain, and the excess by weight."""
    figure, left, right = two_panels()
    names = [f"{ensemble},\n{combiner}" for ensemble, combiner in table.index]
    left.bar(names, table["priors above 0.999"], color=COLOURS[: len(names)])
    left.set(title="rules whose prior is above 0.999", ylabel="fraction of rules", ylim=(0, 1))
    weights = [name for name in table.columns if name.startswith("strength=")]
    for position, (kind, row) in enumerate(table.iterrows()):
        right.loglog(
            [float(name.removeprefix("strength=")) for name in weights],
            row[weights],
            label=", ".join(kind),
            color=COLOURS[position],
            marker=MARKERS[position],
        )
        right.axhline(row["m-estimate"], color=COLOURS[position], linewidth=0.8, linestyle="--")
    right.set(title="correlated world; dashed: m-estimate", xlabel="strength", ylabel=EXCESS)
    right.grid(True)
    _legend_above(right)
    return figure


def naive_bayes(table: pd.DataFrame, by_support: pd.DataFrame) -> Any:
    """The excess by dependence, and by support."""
    figure, left, right = two_panels()
    for name, line in table.items():
        left.plot(line.index, line, label=name, **LOOKS[name])
    left.set(title="1000 training samples", xlabel="correlation within classes", ylabel=EXCESS)
    left.legend()
    _by_support(right, by_support, "naive-bayes", ("independent", "correlated"))
    return figure


def hybrid(table: pd.DataFrame, by_support: pd.DataFrame) -> Any:
    """Its parts and itself by support, and the excess by crossover."""
    figure, left, right = two_panels()
    rows = by_support[(by_support["world"] == "correlated") & (by_support["rules"] >= 5)]
    for name in ("ensemble-m-estimate", "naive-bayes", "hybrid"):
        line = rows[rows["estimator"] == name]
        left.loglog(line["samples"], line["excess"], label=name, **LOOKS[name])
    left.set(title="correlated world", xlabel="training samples of a rule", ylabel=EXCESS)
    left.legend()
    left.grid(True)
    _sweep(right, table, "crossover", default=50.0)
    return figure


def combiners(table: pd.DataFrame) -> Any:
    """What combiners make of two distributions, and the excess of what they lead to."""
    from rulekit.plugin import make_component

    figure, left, right = two_panels()
    second = np.linspace(0.01, 0.99, 99)
    pairs = np.column_stack([1 - second, second])
    for position, name in enumerate(COMBINERS):
        combiner = make_component("priors", name)
        joined = combiner.combine(np.array([[0.2, 0.8]]), pairs, np.array([300]), np.full(99, 100))
        left.plot(second, joined[0, :, 1], label=name, color=COLOURS[position])
    left.axhline(0.8, color=GREY, linewidth=0.8)
    left.set(
        title="a rule that predicts 0.8, and a leaf",
        xlabel="probability of the leaf",
        ylabel="prior of the conjunction",
    )
    left.legend()
    rows = table.loc["correlated"]
    positions = np.arange(len(rows))
    for offset, (name, colour) in enumerate({"hybrid": COLOURS[5], "m-estimate": COLOURS[2]}.items()):
        right.bar(positions + 0.4 * offset - 0.2, rows[name], 0.36, label=name, color=colour)
    right.set_xticks(positions, rows.index, rotation=15)
    right.set(title="correlated world", ylabel=EXCESS)
    right.legend()
    return figure


def inference(by_matches: pd.DataFrame) -> Any:
    """Log-loss of both modes by the number of rules that match, a panel for each world."""
    figure, *panels = two_panels()
    for axes, (world, rows) in zip(panels, by_matches.groupby("world", sort=False), strict=True):
        axes.plot(rows["matches"], rows["decision-list"], label="decision-list", color=BLUE, marker="o")
        axes.plot(rows["matches"], rows["aggregate"], label="aggregate", color=ORANGE, marker="s")
        labels = [str(number) for number in rows["matches"]]
        axes.set_xticks(rows["matches"], [*labels[:-1], f"{labels[-1]} or more"])
        axes.set(title=f"{world} world", xlabel="rules that match a sample", ylim=(0, None))
        axes.grid(True, axis="y")
    panels[0].set_ylabel("log-loss")
    panels[0].legend()
    return figure


def _sweep(axes: Any, table: pd.DataFrame, parameter: str, default: float) -> None:
    """A line for each column against the parameter in the index."""
    for position, (name, line) in enumerate(table.items()):
        axes.loglog(line.index.astype(float), line, label=name, color=COLOURS[position], marker=MARKERS[position])
    axes.axvline(default, color=GREY, linewidth=0.8, linestyle="--")
    axes.set(title=f"the dashed line is the default {parameter}", xlabel=parameter, ylabel=EXCESS)
    axes.grid(True)
    _legend_above(axes)


def _by_support(axes: Any, by_support: pd.DataFrame, name: str, worlds: tuple[str, str]) -> None:
    """An estimator beside the m-estimate against samples, in two worlds."""
    enough = by_support[by_support["rules"] >= 5]
    for world, style in zip(worlds, ("-", "--"), strict=True):
        for each in (name, "m-estimate"):
            line = enough[(enough["world"] == world) & (enough["estimator"] == each)]
            axes.loglog(line["samples"], line["excess"], linestyle=style, **LOOKS[each])
    axes.set(title="solid: {}, dashed: {}".format(*worlds), xlabel="training samples of a rule", ylabel=EXCESS)
    axes.grid(True)


def _legend_above(axes: Any) -> None:
    """A legend over the lines of a logarithmic axis, which is made longer for it."""
    low, high = axes.get_ylim()
    axes.set_ylim(top=high * (high / low) ** 0.4)
    axes.legend(loc="upper center", ncols=2, frameon=True, framealpha=1, edgecolor="none")
