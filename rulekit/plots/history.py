"""The history of the search, tree by tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulekit.core.context import SearchStep
from rulekit.render.figure import BLUE, COLUMN, GREY, ORANGE, axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Numbers with a larger ratio than this are drawn on a logarithmic axis.
_WIDE = 50


def search_history(history: Sequence[SearchStep], *, ax: Axes | None = None) -> Axes:
    """Candidates and rules of each tree, and the search score of its rules, on a second axis.

    Parameters
    ----------
    history : sequence of SearchStep
        `model.history_`. The refine stage's step is left out: it belongs to no tree.
    ax : Axes, optional
        Axes to draw on; by default those of a new figure. The score is drawn on a twin of them, the figure's last axes.

    Returns
    -------
    ax : Axes
    """
    history = [step for step in history if not step.is_refinement]
    trees = [step.tree + 1 for step in history]
    accepted = [step for step in history if step.accepted]
    with styled():
        ax = axes(ax, width=COLUMN * 1.6)
        ax.plot(trees, [step.n_candidates for step in history], color=GREY, label="candidates")
        ax.plot(trees, [step.n_after_simplify for step in history], color=BLUE, label="rules after simplify")
        sizes = [number for step in history for number in (step.n_candidates, step.n_after_simplify)]
        if max(sizes, default=0) > _WIDE * max(1, min(sizes, default=1)):
            ax.set_yscale("symlog", linthresh=1)
            ax.yaxis.set_major_formatter("{x:g}")
        ax.set_ylim(bottom=0)
        ax.set(xlabel="Tree", ylabel="Candidates and rules")
        ax.locator_params(axis="x", integer=True)
        scores = ax.twinx()
        scores.spines["right"].set_visible(True)
        scores.plot(trees, [step.score for step in history], color=ORANGE, linestyle=":", label="search score")
        scores.plot(
            [step.tree + 1 for step in accepted],
            [step.score for step in accepted],
            "o",
            color=ORANGE,
            label="accepted",
        )
        scores.set_ylabel("Search score on training samples")
        lines = [*ax.lines, *scores.lines]
        ax.legend(handles=lines, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax
