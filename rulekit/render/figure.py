"""How figures look and are saved: column width, small type, colours that are safe for colour-blind readers."""

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

#: Width of a column in a two-column paper, in inches.
COLUMN: Final = 3.4
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"
#: The palette of Okabe and Ito without yellow, which is too pale for lines on white.
COLOURS: Final = (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: There are more markers than colours, so they differ where the colours repeat.
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h")

#: What to leave out of a file, so that the same figure is the same file.
_DATES: Final[dict[str, dict[str, Any]]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}

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
    """Apply the style while drawing or saving."""
    with matplotlib().rc_context(_STYLE):
        yield


def matplotlib(module: str = "matplotlib") -> Any:
    """Import matplotlib, or a module of it; if it is missing, the error names the extra to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            "Plots need matplotlib, which is not installed: pip install 'rulekit-rcprob[plots]'."
        ) from error


def axes(ax: Axes | None, width: float = COLUMN * 1.4, height: float = COLUMN) -> Axes:
    """The given axes, or those of a new figure; its size is in inches."""
    if ax is not None:
        return ax
    new: Axes = matplotlib("matplotlib.pyplot").subplots(figsize=(width, height), layout="constrained")[1]
    return new


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, its size in inches; it needs no display, and pyplot keeps no reference to it."""
    return matplotlib("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def panels(n_panels: int, *, width: float, height: float, most_columns: int = 3) -> tuple[Figure, list[Axes]]:
    """A figure of equal panels, row by row; the size of each is in inches."""
    n_columns = 2 if n_panels == 4 else max(1, min(n_panels, most_columns))
    n_rows = max(1, -(-n_panels // n_columns))
    figure = new_figure(max(width * n_columns, COLUMN), height * n_rows)
    grid = figure.subplots(n_rows, n_columns, squeeze=False)
    for spare in grid.flat[n_panels:]:
        spare.set_visible(False)
    return figure, list(grid.flat[:n_panels])


def look(position: int) -> tuple[str, str]:
    """Colour and marker of the line or point at a position."""
    return COLOURS[position % len(COLOURS)], MARKERS[position % len(MARKERS)]


def save(figure: Figure, folder: Path, name: str, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Save a figure in several formats, and return the paths."""
    paths = [folder / f"{name}.{suffix}" for suffix in formats]
    with styled():
        for path in paths:
            # Without the date, the same figure is the same file.
            figure.savefig(path, metadata=_DATES.get(path.suffix))
    return paths


def wrapped(label: str, width: int = 26) -> str:
    """A long label over several lines; nothing is cut, because names often differ only at the end."""
    return "\n".join(wrap(label, width, break_on_hyphens=False))
