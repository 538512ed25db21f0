"""Reliability diagrams of variants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulekit.plots.reliability import draw_bins
from rulekit.render.figure import COLUMN, panels, styled, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def reliability(bins: pd.DataFrame, variants: Sequence[str], title: str) -> Figure:
    """Accuracy by predicted probability, one panel per variant, and the fraction of samples in each bin.

    Parameters
    ----------
    bins : DataFrame
        Return value of `reliability_bins` for one ensemble.
    variants : sequence of str
    title : str
    """
    with styled():
        figure, axes = panels(len(variants), width=COLUMN * 0.7, height=COLUMN * 0.75)
        for ax, variant in zip(axes, variants, strict=True):
            draw_bins(ax, bins[bins["variant"] == variant])
            ax.set_title(wrapped(variant), fontsize=8)
            ax.set_xlabel("Predicted probability")
        figure.suptitle(title, fontsize=9)
        figure.supylabel("Fraction of samples", fontsize=8)
        _legend(figure, axes)
        return figure


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    if axes:
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
