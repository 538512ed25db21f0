"""Which rules cover the same samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit import evaluation
from rulekit.render.figure import COLUMN, axes, styled
from rulekit.ruleset import RuleSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Beyond this many rules, numbers in the cells would be too small to read, and not every rule gets a tick.
_MOST_NUMBERS, _MOST_TICKS = 14, 40


def rule_overlap(ruleset: RuleSet, X: Any, *, ax: Axes | None = None) -> Axes:
    """Heat map of shared coverage: the fraction of the row's samples that the column's rule covers too.

    Pairs that predict the same class are blue; pairs that predict different classes, which conflict, are orange.

    Parameters
    ----------
    ruleset : RuleSet
    X : array-like or DataFrame of shape (n_samples, n_features)
    ax : Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    ax : Axes
    """
    fractions = evaluation.rule_overlap(ruleset, X).to_numpy()
    concluded = ruleset.probabilities[:-1].argmax(axis=1)
    conflicts = concluded[:, None] != concluded
    positions, n_rules = np.arange(1, len(ruleset)), len(fractions)
    with styled():
        ax = axes(ax, width=COLUMN * 1.4, height=COLUMN * 1.3)
        for is_drawn, colours in ((~conflicts, "Blues"), (conflicts, "Oranges")):
            ax.imshow(np.where(is_drawn & (fractions > 0), fractions, np.nan), cmap=colours, vmin=0, vmax=1.15)
        if n_rules <= _MOST_NUMBERS:
            for (row, column), fraction in np.ndenumerate(fractions):
                if fraction > 0:
                    colour = "white" if fraction > 0.75 else "black"
                    ax.text(column, row, f"{fraction:.2f}", ha="center", va="center", fontsize=6, color=colour)
        step = max(1, -(-n_rules // _MOST_TICKS))
        names = [f"{position} {ruleset[int(position) - 1].label}" for position in positions[::step]]
        ax.set_xticks(positions[::step] - 1, [str(position) for position in positions[::step]])
        ax.set_yticks(positions[::step] - 1, names)
        ax.set(xlabel="... that this rule covers too", ylabel="Fraction of the samples of this rule ...")
        ax.set_title("blue: same class, orange: another class", fontsize=8)
    return ax
