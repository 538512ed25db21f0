"""Figures of a report: of how many panels, how wide, and in which files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from rulekit.plots.style import COLOURS, COLUMN, MARKERS, matplotlib, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
