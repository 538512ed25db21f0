"""The parts of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

from rulekit.render.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@attrs.frozen(eq=False)
class Picture:
    """A figure of a report.

    Attributes
    ----------
    name : str
        Name of its files.
    caption : str
    figure : matplotlib Figure
    """

    name: str
    caption: str
    figure: Figure


#: A paragraph is a string.
Part: TypeAlias = Table | Picture | str


@attrs.frozen(eq=False)
class Section:
    """A heading, and what is under it: tables, figures, and paragraphs.

    Attributes
    ----------
    title : str
    parts : sequence of Table, Picture or str
    """

    title: str
    parts: Sequence[Part]
