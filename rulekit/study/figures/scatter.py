"""Two variants against each other, one point per dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.render.figure import BLUE, COLUMN, GREY, ORANGE, panels, styled, wrapped
from rulekit.study.statistics import outcome
from rulekit.study.statistics.libraries import library
from rulekit.study.statistics.paired import differences

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

#: More names than this would cover one another.
_MOST_NAMES = 5
#: From this ratio of the limits on, an axis has powers of ten enough.
_WIDE = 100


def paired_scatter(means: Mapping[str, pd.DataFrame], first: str, second: str, measure: str = "log_loss") -> Figure:
    """Mean of two variants on each dataset, on logarithmic axes, with the diagonal and the wins of the first.

    Parameters
    ----------
    means : mapping of str to DataFrame
        By the title of the panel, mostly the ensemble: one row per dataset, with columns `first` and `second`.
    first, second : str
        Variants, on the y axis and on the x axis.
    measure : str, default="log_loss"

    Returns
    -------
    figure : matplotlib Figure
        Datasets on which the first is not better carry their names, if they are few.
    """
    with styled():
        figure, axes = panels(len(means), width=COLUMN, height=COLUMN)
        figure.suptitle(f"{outcome(measure).heading}, one point per dataset", fontsize=9)
        for ax, (title, table) in zip(axes, means.items(), strict=True):
            _draw(ax, table[[first, second]].dropna(), measure)
            ax.set_title(title)
            ax.set_xlabel(wrapped(f"{outcome(measure).heading} of {second}", width=50))
            ax.set_ylabel(wrapped(f"{outcome(measure).heading} of {first}", width=50))
        return figure


def _draw(ax: Axes, table: pd.DataFrame, measure: str) -> None:
    ours, theirs = (table.iloc[:, position].to_numpy(dtype=np.float64) for position in (0, 1))
    is_win = outcome(measure).sign * differences(ours, theirs) > 0
    lowest, highest = _limits(ours, theirs)
    ax.set(xscale="log", yscale="log", xlim=(lowest, highest), ylim=(lowest, highest), aspect="equal")
    for axis in (ax.xaxis, ax.yaxis):
        _label(axis, lowest, highest)
    ax.grid(visible=True)
    ax.plot([lowest, highest], [lowest, highest], color=GREY, linewidth=0.8, zorder=1)
    shown = np.column_stack([np.maximum(theirs, lowest * 1.1), np.maximum(ours, lowest * 1.1)])
    for is_shown, colour, marker in ((is_win, BLUE, "o"), (~is_win, ORANGE, "^")):
        ax.scatter(
            shown[is_shown, 0], shown[is_shown, 1], s=18, c=colour, marker=marker, alpha=0.85, linewidths=0, zorder=2
        )
    _name(ax, shown, is_win, [str(name) for name in table.index])
    side = "below" if outcome(measure).sign < 0 else "above"
    label = f"{wrapped(str(table.columns[0]))} is better\n({side} the line) on {int(is_win.sum())} of {len(table)}"
    corner = (0.03, 0.97, "left", "top") if outcome(measure).sign < 0 else (0.97, 0.03, "right", "bottom")
    ax.text(*corner[:2], label, transform=ax.transAxes, ha=corner[2], va=corner[3], fontsize=7)


def _label(axis: Axis, lowest: float, highest: float) -> None:
    """Powers of ten in plain numbers, with 2 and 5 between them where few powers would be left."""
    ticker = library("matplotlib.ticker")
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if highest / lowest < _WIDE else (1,)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(ticker.NullFormatter())


def _limits(ours: FloatArray, theirs: FloatArray) -> tuple[float, float]:
    """Both axes alike, a little beyond the values; 0, which has no logarithm, will lie on the edge."""
    values = np.concatenate([ours, theirs])
    positive = values[values > 0]
    if not len(positive):
        return 0.1, 1.0
    return float(positive.min() / 1.5), float(positive.max() * 1.5)


def _name(ax: Axes, points: FloatArray, is_win: BoolArray, names: list[str]) -> None:
    if 0 < (~is_win).sum() <= _MOST_NAMES:
        for position in np.flatnonzero(~is_win):
            ax.annotate(
                names[position], points[position], textcoords="offset points", xytext=(-5, 2), ha="right", fontsize=6
            )
