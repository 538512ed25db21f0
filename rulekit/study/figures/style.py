"""How figures look: column width, small type, colours that colour-blind readers can tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from rulekit.study.statistics.libraries import library

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
    with library("matplotlib").rc_context(_STYLE):
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches; it needs no display, and nothing but the caller holds it."""
    return library("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def panels(n_panels: int, *, width: float, height: float, most_columns: int = 3) -> tuple[Figure, list[Axes]]:
    """A figure of equal panels, each of so many inches, row by row."""
    n_columns = 2 if n_panels == 4 else max(1, min(n_panels, most_columns))
    n_rows = max(1, -(-n_panels // n_columns))
    figure = new_figure(max(width * n_columns, COLUMN), height * n_rows)
    grid = figure.subplots(n_rows, n_columns, squeeze=False)
    for spare in grid.flat[n_panels:]:
        spare.set_visible(False)
    return figure, list(grid.flat[:n_panels])


def look(place: int) -> tuple[str, str]:
    """Colour and marker of the variant at that place."""
    return COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]


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
