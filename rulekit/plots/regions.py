"""The predicted class in the plane of two features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.errors import InvalidParameterError
from rulekit.evaluation.labels import class_indices
from rulekit.explain.samples import read_samples
from rulekit.render.figure import COLOURS, COLUMN, MARKERS, axes, matplotlib, styled
from rulekit.ruleset import RuleSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@attrs.frozen(eq=False)
class Regions:
    """Predictions on a grid.

    Attributes
    ----------
    x, y : ndarrays of shape (n_points,)
        Values of the two features.
    classes : ndarray of shape (n_points, n_points)
        Indices of the predicted classes; a row for each value of `y`.
    probabilities : ndarray of shape (n_points, n_points)
        Of these classes.
    """

    x: FloatArray
    y: FloatArray
    classes: IntArray
    probabilities: FloatArray


def regions(ruleset: RuleSet, X: Any, features: tuple[str, str], n_points: int = 300) -> Regions:
    """Predictions where two features vary and the others are the medians of the samples.

    Parameters
    ----------
    ruleset : RuleSet
    X : DataFrame or array-like of shape (n_samples, n_features)
        Numeric features only: the grid spans slightly more than their ranges.
    features : tuple of two str
    n_points : int, default=300
        Number of points of the grid along each axis.
    """
    if ruleset.conditions.categories.by_feature:
        raise InvalidParameterError(
            "Not supported: decision_regions of rules with categorical features. Use rules of numeric features instead."
        )
    names = list(ruleset.feature_names)
    unknown = [name for name in features if name not in names]
    if unknown or len(features) != 2 or features[0] == features[1]:
        raise InvalidParameterError(
            f"features must be two of {', '.join(map(repr, names))}, got {features!r}. Name two different columns."
        )
    numbers = read_samples(X, names).values
    columns = [names.index(name) for name in features]
    x, y = (_span(numbers[:, column], n_points) for column in columns)
    grid = np.tile(np.nanmedian(numbers, axis=0), (n_points * n_points, 1))
    grid[:, columns[0]], grid[:, columns[1]] = np.tile(x, n_points), np.repeat(y, n_points)
    predicted = ruleset.predict_proba(grid)
    shape = (n_points, n_points)
    return Regions(x, y, predicted.argmax(axis=1).reshape(shape), predicted.max(axis=1).reshape(shape))


def decision_regions(
    ruleset: RuleSet,
    X: Any,
    y: npt.ArrayLike | None = None,
    *,
    features: tuple[str, str],
    n_points: int = 300,
    ax: Axes | None = None,
) -> Axes:
    """The predicted class over two features, paler where it is less probable; other features have their medians.

    Parameters
    ----------
    ruleset : RuleSet
    X : DataFrame or array-like of shape (n_samples, n_features)
        Numeric features only.
    y : array-like of shape (n_samples,), optional
        Labels, to show the samples too.
    features : tuple of two str
        Columns on the x axis and on the y axis.
    n_points : int, default=300
        Number of points of the grid along each axis.
    ax : Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    ax : Axes
    """
    found = regions(ruleset, X, features, n_points)
    with styled():
        ax = axes(ax, width=COLUMN * 1.5, height=COLUMN * 1.1)
        ax.imshow(
            _coloured(found, len(ruleset.classes)),
            extent=(found.x[0], found.x[-1], found.y[0], found.y[-1]),
            origin="lower",
            aspect="auto",
            interpolation="nearest",
        )
        _draw_classes(ax, ruleset, X, y, features)
        ax.set(xlabel=features[0], ylabel=features[1], xlim=found.x[[0, -1]], ylim=found.y[[0, -1]])
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(4, len(ruleset.classes)))
    return ax


def _draw_classes(ax: Axes, ruleset: RuleSet, X: Any, y: npt.ArrayLike | None, features: tuple[str, str]) -> None:
    """The samples of each class, or only its colour in the legend."""
    names = list(ruleset.feature_names)
    points = read_samples(X, names).values[:, [names.index(name) for name in features]]
    truth = None if y is None else class_indices(y, ruleset.classes)
    for position, label in enumerate(ruleset.classes.tolist()):
        shown = points[truth == position] if truth is not None else np.empty((0, 2))
        ax.scatter(
            shown[:, 0],
            shown[:, 1],
            s=12,
            color=_colour(position),
            marker=MARKERS[position % len(MARKERS)],
            edgecolors="white",
            linewidths=0.4,
            label=str(label),
        )


def _coloured(found: Regions, n_classes: int) -> FloatArray:
    """Colours of the grid, of shape (n_points, n_points, 3): white where a class is no more probable than by chance."""
    to_rgb = matplotlib("matplotlib.colors").to_rgb
    palette = np.array([to_rgb(_colour(position)) for position in range(n_classes)])
    strength = 0.1 + 0.4 * np.clip((found.probabilities - 1 / n_classes) / (1 - 1 / n_classes), 0, 1)
    return np.asarray(1 - strength[..., None] * (1 - palette[found.classes]))


def _colour(position: int) -> str:
    return COLOURS[position % len(COLOURS)]


def _span(column: FloatArray, n_points: int) -> FloatArray:
    low, high = float(np.nanmin(column)), float(np.nanmax(column))
    margin = 0.05 * (high - low) or 1.0
    return np.linspace(low - margin, high + margin, n_points)
