"""Coverage and precision of each rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rulekit.evaluation import rule_diagnostics
from rulekit.render.figure import BLUE, COLUMN, ORANGE, axes, styled
from rulekit.ruleset import Rule, RuleSet

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def coverage_and_precision(
    ruleset: RuleSet,
    X: Any = None,
    y: npt.ArrayLike | None = None,
    *,
    max_rules: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """A line for each rule: coverage, training precision with its interval, and the predicted probability.

    The precision is that of the training samples that the rule answers, if they are known and it answers any; in other
    inference modes than the decision list, it is that of the samples that it covers.

    Parameters
    ----------
    ruleset : RuleSet
    X : array-like or DataFrame of shape (n_samples, n_features), optional
        Held-out samples, to show the precision on those that a rule answers.
    y : array-like of shape (n_samples,), optional
        Their labels.
    max_rules : int, default=40
        Number of rules to show, from the first.
    ax : Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    ax : Axes
    """
    rules = ruleset[:max_rules]
    positions = np.arange(len(rules))
    precisions, low, high = np.array([_precision(rule) for rule in rules]).T
    with styled():
        ax = axes(ax, width=COLUMN * 1.5, height=0.9 + 0.19 * len(rules))
        ax.barh(positions, [rule.coverage for rule in rules], 0.7, color="#d9d9d9", label="coverage")
        # An interval that ends at the precision may lie a rounding on its wrong side.
        errors = np.maximum(0.0, [precisions - low, high - precisions])
        ax.errorbar(
            precisions,
            positions - 0.17,
            xerr=errors,
            fmt="o",
            color=BLUE,
            ms=3.5,
            lw=1.0,
            label=f"{'answered ' if ruleset.knows_answered else ''}precision, 95 % interval",
        )
        predicted = [rule.probability for rule in rules]
        ax.scatter(
            predicted, positions + 0.17, 14, ORANGE, marker="D", label="predicted probability", clip_on=False, zorder=3
        )
        if X is not None and y is not None:
            _draw_held_out(ax, rule_diagnostics(ruleset, X, y)[: len(rules)])
        ax.set_yticks(positions, [_name(rule.position, str(rule.label), rule.is_default) for rule in rules])
        ax.set(xlim=(-0.02, 1.02), ylim=(len(rules) - 0.4, -0.6), xlabel="Fraction of the samples")
        ax.grid(visible=True, axis="x")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax


def _draw_held_out(ax: Axes, diagnostics: pd.DataFrame) -> None:
    """The precision on held-out samples; larger markers for rules that answer more of them."""
    fired = diagnostics[diagnostics["n_fired"] > 0]
    n_fired = fired["n_fired"].to_numpy()
    ax.scatter(
        fired["held_out_precision"],
        fired.index - 1,
        6 + 60 * n_fired / n_fired.max(initial=1),
        marker="s",
        facecolors="none",
        edgecolors="black",
        clip_on=False,
        zorder=3,
        label="held-out precision (larger: more samples)",
    )


def _precision(rule: Rule) -> tuple[float, float, float]:
    """The precision that the predicted probability is about, and its interval; NaN for a rule that answers nothing."""
    if rule.answered_counts is None:
        return rule.precision, *rule.interval
    if rule.answered_precision is None or rule.answered_interval is None:
        return np.nan, np.nan, np.nan
    return rule.answered_precision, *rule.answered_interval


def _name(position: int, label: str, is_default: bool) -> str:
    return f"{position} {label}{' (default)' if is_default else ''}"
