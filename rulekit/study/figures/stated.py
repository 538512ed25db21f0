"""How sure the rules say they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rulekit.study.figures.style import COLOURS, COLUMN, new_figure, styled, wrapped
from rulekit.study.statistics import BANDS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: Bands before this one are as wide as they look; the rest only isolate claims of near certainty.
_FIRST_NEARLY_CERTAIN = list(BANDS).index("0.99-0.999")


def stated_probabilities(shares: pd.DataFrame, title: str) -> Figure:
    """Share of the non-default rules that state a probability of each band, one bar per variant.

    Parameters
    ----------
    shares : DataFrame of shape (n_variants, n_bands)
        What `stated_bands` returned, of one ensemble: the index holds the variants.
    title : str
    """
    names = [wrapped(str(name), width=40) for name in shares.index]
    with styled():
        n_lines = sum(1 + name.count("\n") for name in names) // 2
        figure = new_figure(COLUMN * 1.5, COLUMN * 0.8 + 0.12 * n_lines)
        ax = figure.subplots()
        places, width = np.arange(len(BANDS)), 0.84 / max(len(shares), 1)
        for order, name in enumerate(names):
            left = places - 0.42 + (order + 0.5) * width
            hatch = "" if order < len(COLOURS) else "///"
            colour = COLOURS[order % len(COLOURS)]
            ax.bar(left, 100 * shares.iloc[order], width * 0.95, color=colour, hatch=hatch, label=name)
        ax.axvspan(_FIRST_NEARLY_CERTAIN - 0.5, len(BANDS) - 0.5, color="#f0f0f0", zorder=0)
        ax.text(len(BANDS) - 0.55, 0.985, "nearly certain", transform=ax.get_xaxis_transform(), ha="right", va="top")
        ax.set_xticks(places, list(BANDS), rotation=35, ha="right", rotation_mode="anchor")
        ax.set(xlim=(-0.5, len(BANDS) - 0.5), xlabel="Stated probability", ylabel="Non-default rules (%)", title=title)
        ax.set_ylim(0, ax.get_ylim()[1] * 1.08)
        ax.grid(visible=True, axis="y")
        figure.legend(loc="outside lower center", ncols=2)
        return figure
