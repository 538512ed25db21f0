"""Distribution of the rules' predicted probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rulekit.plots.predicted import draw_bands
from rulekit.render.figure import COLUMN, new_figure, styled, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def predicted_probabilities(fractions: pd.DataFrame, title: str) -> Figure:
    """Fraction of the non-default rules whose predicted probability lies in each band, one bar per variant.

    Parameters
    ----------
    fractions : DataFrame of shape (n_variants, n_bands)
        Return value of `predicted_bands` for one ensemble: the index has the variants.
    title : str
    """
    names = [wrapped(str(name), width=40) for name in fractions.index]
    with styled():
        n_lines = sum(1 + name.count("\n") for name in names) // 2
        figure = new_figure(COLUMN * 1.5, COLUMN * 0.8 + 0.12 * n_lines)
        ax = figure.subplots()
        draw_bands(ax, names, fractions.to_numpy(dtype=np.float64))
        ax.set_title(title)
        figure.legend(loc="outside lower center", ncols=2)
        return figure
