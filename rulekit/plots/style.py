"""How figures look: column width, small type, colours that colour-blind readers can tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from rulekit.core.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches: what a column of a paper with two columns is wide.
COLUMN: Final = 3.4
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"
#: Of Okabe and Ito; no yellow, which is too pale for lines on white.
COLOURS: Final = (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: Markers differ too, and go on differing where the colours start again.
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h")

_STYLE: Final[dict[str, Any]] = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "savefig.dpi": 200,
    "svg.hashsalt": "rulekit",  # the same figure is the same file
}


@contextmanager
def styled() -> Iterator[None]:
    """Settings for drawing and for saving."""
    with matplotlib().rc_context(_STYLE):
        yield


def matplotlib(module: str = "matplotlib") -> Any:
    """Import matplotlib, or a part of it; where it is missing, say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            "Plots need matplotlib, which is not installed: pip install 'rulekit-rcprob[plots]'."
        ) from error


def axes(ax: Axes | None, width: float = COLUMN * 1.4, height: float = COLUMN) -> Axes:
    """The given axes, or those of a new figure of so many inches."""
    if ax is not None:
        return ax
    new: Axes = matplotlib("matplotlib.pyplot").subplots(figsize=(width, height), layout="constrained")[1]
    return new
