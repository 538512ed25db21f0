"""A table: text to read, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    import pandas as pd


@attrs.frozen(eq=False)
class Table:
    """What a report shows as Markdown and LaTeX, and keeps as CSV.

    Attributes
    ----------
    name : str
        What its files are called.
    title : str
    headings : sequence of str
    rows : sequence of sequence of str
        As many texts as there are headings.
    numbers : DataFrame
        The same, unrounded, for CSV.
    notes : sequence of str
        Sentences below the table: what was left out, and how to read it.
    """

    name: str
    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]] = attrs.field(repr=False)
    numbers: pd.DataFrame = attrs.field(repr=False)
    notes: Sequence[str] = ()

    @rows.validator
    def _check_width(self, _attribute: object, rows: Sequence[Sequence[str]]) -> None:
        if any(len(row) != len(self.headings) for row in rows):
            raise ValueError(
                f"The table {self.name!r} has a row that is not as wide as its {len(self.headings)} headings."
            )


def to_csv(table: Table) -> str:
    """The numbers behind the table, with every digit."""
    return table.numbers.to_csv(index=False, lineterminator="\n")
