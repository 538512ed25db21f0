"""How figures look and are saved: column width, small type, colours that colour-blind readers can tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from rulekit.core.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches; it needs no display, and nothing but the caller holds it."""
    return matplotlib("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def panels(n_panels: int, *, width: float, height: float, most_columns: int = 3) -> tuple[Figure, list[Axes]]:
    """A figure of equal panels, each of so many inches, row by row."""
    n_columns = 2 if n_panels == 4 else max(1, min(n_panels, most_columns))
    n_rows = max(1, -(-n_panels // n_columns))
    figure = new_figure(max(width * n_columns, COLUMN), height * n_rows)
    grid = figure.subplots(n_rows, n_columns, squeeze=False)
    for spare in grid.flat[n_panels:]:
        spare.set_visible(False)
    return figure, list(grid.flat[:n_panels])


def look(position: int) -> tuple[str, str]:
    """Colour and marker of the line or point at that position."""
    return COLOURS[position % len(COLOURS)], MARKERS[position % len(MARKERS)]


def save(figure: Figure, folder: Path, name: str, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Write a figure in several formats; return the files."""
    paths = [folder / f"{name}.{suffix}" for suffix in formats]
    with styled():
        for path in paths:
            # Without the date, the same figure is the same file.
            figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    return paths


def wrapped(text: str, width: int = 26) -> str:
    """A long text over several lines; nothing is cut, because variants often differ only at the end."""
    return "\n".join(wrap(text, width, break_on_hyphens=False))
