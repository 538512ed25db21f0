"""How two factors depend on one another."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from rulekit.render.figure import COLUMN, look, panels, styled, wrapped
from rulekit.study.statistics import outcome

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def interactions(means: pd.DataFrame, levels: Mapping[str, Mapping[str, str]], measure: str, title: str) -> Figure:
    """A panel for each two factors: the measure by the level of one, a line for each level of the other.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_variants)
        Complete, as `dataset_means` returns them. Lines are means over the datasets and over all other factors;
        parallel lines are no interaction.
    levels : mapping of str to mapping of str to str
        By factor, the level of each variant, as `levels_of` returns them.
    measure, title : str
    """
    pairs = list(combinations(levels, 2))
    of_variants = means.mean()
    with styled():
        figure, axes = panels(len(pairs), width=COLUMN, height=COLUMN)
        figure.suptitle(title, fontsize=9)
        for ax, (across, lines) in zip(axes, pairs, strict=True):
            grouped = of_variants.groupby([levels[across], levels[lines]]).mean()
            _draw(
                ax, grouped, list(dict.fromkeys(levels[across].values())), list(dict.fromkeys(levels[lines].values()))
            )
            ax.set_xlabel(across.replace("_", " "))
            ax.set_ylabel(f"{outcome(measure).heading}, mean")
            ax.legend(title=lines.replace("_", " "), loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2)
        return figure


def _draw(ax: Axes, values: pd.Series, across: list[str], lines: list[str]) -> None:
    for position, line in enumerate(lines):
        colour, marker = look(position)
        heights = [float(values[level, line]) for level in across]
        ax.plot(range(len(across)), heights, color=colour, marker=marker, label=wrapped(line))
    ax.set_xticks(range(len(across)), [wrapped(level, 12) for level in across])
    ax.margins(x=0.15)
    ax.grid(visible=True, axis="y")
