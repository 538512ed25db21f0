"""Reliability diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from rulekit import evaluation
from rulekit.evaluation.measures import N_BINS
from rulekit.render.figure import BLUE, GREY, axes, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def reliability(model: Any, X: Any, y: npt.ArrayLike, *, n_bins: int = N_BINS, ax: Axes | None = None) -> Axes:
    """Accuracy by predicted probability, and the fraction of samples in each bin.

    Parameters
    ----------
    model : classifier or RuleSet
        Any model with `predict_proba` and `classes_` or `classes`.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Samples that it was not trained on.
    y : array-like of shape (n_samples,)
        Their labels.
    n_bins : int, default=10
    ax : Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    ax : Axes
    """
    classes = model.classes_ if hasattr(model, "classes_") else model.classes
    bins = evaluation.reliability(y, model.predict_proba(X), classes, n_bins=n_bins)
    with styled():
        ax = axes(ax)
        draw_bins(ax, bins, n_bins)
        ax.set(xlabel="Predicted probability", ylabel="Fraction of samples")
        ax.legend(loc="upper left")
    return ax


def draw_bins(ax: Axes, bins: pd.DataFrame, n_bins: int = N_BINS) -> None:
    """Draw the bins that `rulekit.evaluation.reliability` returned."""
    width = 1 / n_bins
    ax.bar(bins["lower"] + width / 2, bins["fraction"], width * 0.92, color="#cfcfcf", label="samples in the bin")
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--")
    ax.plot(bins["confidence"], bins["accuracy"], color=BLUE, linewidth=0.7)
    # Dots are larger for larger bins: the accuracy of a bin of three samples is hardly informative.
    sizes = 3 + 45 * bins["fraction"]
    ax.scatter(
        bins["confidence"],
        bins["accuracy"],
        sizes,
        BLUE,
        zorder=3,
        clip_on=False,
        label="accuracy in the bin",
    )
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], aspect="equal")
