"""The quality of lists of every length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import FloatArray
from rulekit.core.errors import NoPathError
from rulekit.evaluation import log_loss, macro_f1
from rulekit.explain.ensemble import ensemble_probabilities
from rulekit.model import transformed
from rulekit.render.figure import BLUE, COLUMN, ORANGE, axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rulekit.extractor import RuleExtractor


def list_path(
    model: RuleExtractor,
    X: Any = None,
    y: npt.ArrayLike | None = None,
    *,
    train: tuple[Any, npt.ArrayLike] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Log-loss, and macro-F1 on a second axis, of the list of each length in `model.path_`.

    Parameters
    ----------
    model : RuleExtractor
        Fitted with a refine stage that finds lists of several lengths.
    X : array-like or DataFrame of shape (n_samples, n_features), optional
        Held-out samples, for the measures and for those of the ensemble. By default the measures are those on the
        training samples, and the ensemble is left out.
    y : array-like of shape (n_samples,), optional
        Their labels.
    train : tuple of X and y, optional
        Training samples. A decision tree is grown on them for each length, with as many leaves as the list has rules
        and the default rule, and with add-one smoothing; it is drawn beside the rules.
    ax : Axes, optional
        Axes to draw on; by default those of a new figure. Macro-F1 is drawn on a twin of them, the figure's last axes.

    Returns
    -------
    ax : Axes
    """
    if model.path_ is None:
        raise NoPathError("The model has no path_: fit with a refine stage that finds one, such as refine='relist'.")
    lengths = [step.n_rules for step in model.path_]
    curves = {"rules": [(step.log_loss, step.macro_f1) for step in model.path_]}
    if X is not None and y is not None:
        shorter = [model.with_rules(n_rules) for n_rules in lengths]
        curves["rules"] = [_quality(y, each.predict_proba(X), model) for each in shorter]
        if train is not None:
            curves["tree with as many leaves"] = _of_trees(model, lengths, train, X, y)
        of_ensemble = ensemble_probabilities(model, X)
        if of_ensemble is not None:
            curves["ensemble"] = [_quality(y, of_ensemble, model)] * len(lengths)
    with styled():
        ax = axes(ax, width=COLUMN * 1.6)
        scores = ax.twinx()
        scores.spines["right"].set_visible(True)
        for (name, values), style in zip(curves.items(), ("o-", "s--", ":"), strict=False):
            losses, right = zip(*values, strict=True)
            ax.plot(lengths, losses, style, color=BLUE, label=f"log-loss, {name}")
            scores.plot(lengths, right, style, color=ORANGE, label=f"macro-F1, {name}")
        where = "training" if X is None or y is None else "held-out"
        ax.set(xlabel="Rules, not counting the default rule", ylabel=f"Log-loss on {where} samples", ylim=(0, None))
        ax.locator_params(axis="x", integer=True)
        scores.set_ylabel(f"Macro-F1 on {where} samples")
        ax.legend(handles=[*ax.lines, *scores.lines], loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax


def _quality(y: npt.ArrayLike, probabilities: FloatArray, model: RuleExtractor) -> tuple[float, float]:
    """Log-loss and macro-F1."""
    predicted = model.classes_[probabilities.argmax(axis=1)]
    return log_loss(y, probabilities, model.classes_), macro_f1(y, predicted)


def _of_trees(
    model: RuleExtractor, lengths: Sequence[int], train: tuple[Any, npt.ArrayLike], X: Any, y: npt.ArrayLike
) -> list[tuple[float, float]]:
    """The quality of trees with as many leaves as lists have rules, the default rule included."""
    from sklearn.tree import DecisionTreeClassifier

    some, others = (model.ruleset_.as_numbers(transformed(model.transformer_, each)) for each in (train[0], X))
    labels = np.asarray(train[1])
    qualities = []
    for n_rules in lengths:
        tree = DecisionTreeClassifier(max_leaf_nodes=n_rules + 1, random_state=0).fit(some, labels)
        counts = (labels[:, None] == model.classes_).astype(np.float64)
        in_leaf = np.zeros((tree.tree_.node_count, len(model.classes_)))
        np.add.at(in_leaf, tree.apply(some), counts)
        smoothed = in_leaf[tree.apply(others)] + 1
        qualities.append(_quality(y, smoothed / smoothed.sum(axis=1, keepdims=True), model))
    return qualities
