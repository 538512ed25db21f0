"""Size of the rules against quality of their probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.render.figure import COLUMN, GREY, look, new_figure, styled, wrapped
from rulekit.study.statistics import outcome, pareto_front

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def trade_off(points: pd.DataFrame, title: str) -> Figure:
    """One point per variant, and the front of those that no other variant beats in both.

    Parameters
    ----------
    points : DataFrame of shape (n_variants, 2)
        Means over the datasets; the columns are named after measures, such as `n_rules` and `log_loss`.
    title : str
    """
    level, upright = (outcome(str(name)) for name in points.columns)
    costs = points.to_numpy(dtype=np.float64) * [-level.sign, -upright.sign]
    is_on_front = pareto_front(costs)
    with styled():
        names = [wrapped(str(name), width=40) for name in points.index]
        # The legend is beside the axes, and needs a line for each variant and for the front.
        n_lines = 2 + sum(1 + name.count("\n") for name in names)
        figure = new_figure(COLUMN * 1.8, max(COLUMN * 0.85, 0.2 * n_lines))
        ax = figure.subplots()
        _draw_front(ax, points[is_on_front].sort_values(level.name), level.is_higher_better)
        for position, (name, (x, y)) in enumerate(zip(names, points.to_numpy(dtype=np.float64), strict=True)):
            colour, marker = look(position)
            face = colour if is_on_front[position] else "none"
            ax.plot(x, y, marker, color=colour, markerfacecolor=face, markersize=6, label=name)
        ax.set_xlabel(f"{level.heading}, mean over the datasets")
        ax.set_ylabel(f"{upright.heading}, mean over the datasets")
        ax.set_title(title)
        ax.set_xlim(_limits(points[level.name].to_numpy(dtype=np.float64)))
        ax.set_ylim(_limits(points[upright.name].to_numpy(dtype=np.float64)))
        ax.grid(visible=True)
        figure.legend(loc="outside right upper")
        return figure


def _limits(values: FloatArray) -> tuple[float, float]:
    """A little beyond the values, and from 0 on unless that would press them into a corner."""
    low, high = float(values.min()), float(values.max())
    margin = 0.1 * ((high - low) or abs(high) or 1.0)
    return (0.0 if 0 <= low < high / 2 else low - margin), high + margin


def _draw_front(ax: Axes, front: pd.DataFrame, is_higher_better: bool | None) -> None:
    """Steps through the front: what lies beyond them would beat a variant."""
    x, y = front.to_numpy(dtype=np.float64).T
    ax.plot(
        x,
        y,
        drawstyle="steps-pre" if is_higher_better else "steps-post",
        color=GREY,
        linewidth=1.0,
        linestyle="--",
        label="Pareto front",
    )
