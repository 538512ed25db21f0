"""What variants state, and what comes true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulekit.evaluation.measures import N_BINS
from rulekit.study.figures.style import BLUE, COLUMN, GREY, panels, styled, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def reliability(bins: pd.DataFrame, variants: Sequence[str], title: str) -> Figure:
    """Accuracy by stated probability, one panel per variant, above the share of records in each bin.

    Parameters
    ----------
    bins : DataFrame
        What `reliability_bins` returned, of one ensemble.
    variants : sequence of str
    title : str
    """
    with styled():
        figure, axes = panels(len(variants), width=COLUMN * 0.7, height=COLUMN * 0.75)
        for ax, variant in zip(axes, variants, strict=True):
            _draw(ax, bins[bins["variant"] == variant])
            ax.set_title(wrapped(variant), fontsize=8)
            ax.set_xlabel("Stated probability")
        figure.suptitle(title, fontsize=9)
        figure.supylabel("Share of records", fontsize=8)
        _legend(figure, axes)
        return figure


def _draw(ax: Axes, bins: pd.DataFrame) -> None:
    width = 1 / N_BINS
    ax.bar(bins["lower"] + width / 2, bins["share"], width * 0.92, color="#cfcfcf", label="in the bin, among all")
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--")
    ax.plot(bins["confidence"], bins["accuracy"], color=BLUE, linewidth=0.7)
    # The larger a bin, the larger its dot: a bin of three records says next to nothing.
    sizes = 3 + 45 * bins["share"]
    ax.scatter(
        bins["confidence"],
        bins["accuracy"],
        sizes,
        BLUE,
        zorder=3,
        clip_on=False,
        label="right, among those in the bin",
    )
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], aspect="equal")


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    if axes:
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
