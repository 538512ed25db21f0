"""Distribution of the rules' predicted probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.evaluation.predicted import BANDS, band_fractions
from rulekit.render.figure import COLOURS, COLUMN, axes, styled
from rulekit.ruleset import RuleSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Bands before this one are as wide as they look; the others are narrow, near 1.
_FIRST_NEARLY_CERTAIN = list(BANDS).index("0.99-0.999")


def predicted_probabilities(rulesets: RuleSet | Mapping[str, RuleSet], *, ax: Axes | None = None) -> Axes:
    """Fraction of the non-default rules whose predicted probability lies in each band.

    Parameters
    ----------
    rulesets : RuleSet or mapping of str to RuleSet
        One, or several by name: a bar for each.
    ax : Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    ax : Axes
    """
    named = {"": rulesets} if isinstance(rulesets, RuleSet) else rulesets
    fractions = np.array([band_fractions(each.probabilities[:-1].max(axis=1)) for each in named.values()])
    with styled():
        ax = axes(ax, width=COLUMN * 1.5)
        draw_bands(ax, list(named), fractions)
        if any(named):
            ax.legend(loc="upper left")
    return ax


def draw_bands(ax: Axes, names: Sequence[str], fractions: FloatArray) -> None:
    """One group of bars for each band.

    Parameters
    ----------
    ax : Axes
    names : sequence of str
    fractions : ndarray of shape (n_names, n_bands)
    """
    positions, width = np.arange(len(BANDS)), 0.84 / max(len(fractions), 1)
    for order, name in enumerate(names):
        left = positions - 0.42 + (order + 0.5) * width
        hatch = "" if order < len(COLOURS) else "///"
        colour = COLOURS[order % len(COLOURS)]
        ax.bar(left, 100 * fractions[order], width * 0.95, color=colour, hatch=hatch, label=name)
    ax.axvspan(_FIRST_NEARLY_CERTAIN - 0.5, len(BANDS) - 0.5, color="#f0f0f0", zorder=0)
    ax.text(len(BANDS) - 0.55, 0.985, "nearly certain", transform=ax.get_xaxis_transform(), ha="right", va="top")
    ax.set_xticks(positions, list(BANDS), rotation=35, ha="right", rotation_mode="anchor")
    ax.set(xlim=(-0.5, len(BANDS) - 0.5), xlabel="Predicted probability", ylabel="Non-default rules (%)")
    ax.set_ylim(0, ax.get_ylim()[1] * 1.08)
    ax.grid(visible=True, axis="y")
