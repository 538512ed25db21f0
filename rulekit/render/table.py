"""A table, and its layout as plain text, Markdown, LaTeX, HTML and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import attrs

from rulekit.render.escaping import latex, markdown, spreadsheet, visible

if TYPE_CHECKING:
    import pandas as pd

#: How cells in a column of numbers begin; a hyphen alone stands for no number.
_NUMBER = re.compile(r"^([+<-]?\d|-$)")
#: Cells that are numbers as a whole; a spreadsheet takes them for nothing else.
_ONLY_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?|-")
_LEFT = "style='text-align:left'"


@attrs.frozen(eq=False)
class Table:
    r"""Cells for display, and the numbers behind them.

    Attributes
    ----------
    name : str
        Name of its files, and its label in LaTeX.
    title : str
        Title without a full stop; if it is empty, HTML has no caption.
    headings : sequence of str
        If all are empty, HTML has no heading.
    rows : sequence of sequence of str
        One cell per heading.
    numbers : DataFrame or None
        The unrounded numbers, for CSV; if None, CSV has the cells.
    notes : sequence of str
        Sentences below the table: what was left out, and how to read it.
    numeric : frozenset of str or None
        Columns to align to the right; None means those whose cells all begin like numbers.
    wraps_last : bool
        Whether LaTeX has to wrap the cells of the last column, because they are long.
    bold : frozenset of (int, int)
        Row and column of the cells in bold, which plain text and CSV do not show.

    Examples
    --------
    >>> print(Table("sizes", "Two sizes", ["Variant", "Rules"], [["rcprob", "19.5"], ["rc+", "31.6"]]).to_markdown())
    **Two sizes**
    <BLANKLINE>
    | Variant | Rules |
    | --- | ---: |
    | rcprob | 19.5 |
    | rc+ | 31.6 |
    <BLANKLINE>
    """

    name: str
    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]] = attrs.field(repr=False)
    numbers: pd.DataFrame | None = attrs.field(default=None, repr=False)
    notes: Sequence[str] = ()
    numeric: frozenset[str] | None = attrs.field(default=None, kw_only=True)
    wraps_last: bool = attrs.field(default=False, kw_only=True)
    bold: frozenset[tuple[int, int]] = attrs.field(default=frozenset(), kw_only=True)

    @rows.validator
    def _check_width(self, _attribute: object, rows: Sequence[Sequence[str]]) -> None:
        if any(len(row) != len(self.headings) for row in rows):
            raise ValueError(
                f"Every row of the table {self.name!r} must have {len(self.headings)} cells, one per heading."
            )

    def to_text(self) -> str:
        """Cells in columns, below the title."""
        lines = self._escaped(visible)
        widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
        aligned = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in lines
        ]
        rule = "  ".join("-" * min(width, 60) for width in widths)
        notes = [visible(" ".join(self.notes))] if self.notes else []
        return "\n".join([visible(self.title), aligned[0], rule, *aligned[1:], *notes])

    def to_markdown(self) -> str:
        """A pipe table below its title in bold and above its notes; columns of numbers are aligned to the right."""
        rule = ["---:" if is_right else "---" for is_right in self._is_right()]
        head, *body = self._escaped(markdown, "**{}**")
        lines = (f"| {' | '.join(cells)} |" for cells in (head, rule, *body))
        notes = ["", markdown(" ".join(self.notes))] if self.notes else []
        return "\n".join([f"**{markdown(self.title)}**", "", *lines, *notes, ""])

    def to_latex(self) -> str:
        r"""A `table` environment for `\input`, labelled `tab:` and its name; it needs the package booktabs.

        Notes are part of the caption; columns of numbers are aligned to the right.
        """
        columns = ["r" if is_right else "l" for is_right in self._is_right()]
        if self.wraps_last:
            columns[-1] = r"p{0.45\linewidth}"
        header, *rows = (f"    {' & '.join(cells)} \\\\" for cells in self._escaped(latex, r"\textbf{{{}}}"))
        return "\n".join(
            [
                r"\begin{table}",
                r"  \centering",
                f"  \\caption{{{latex(' '.join([f'{self.title}.', *self.notes]))}}}",
                f"  \\label{{tab:{self.name}}}",
                f"  \\begin{{tabular}}{{{''.join(columns)}}}",
                r"    \toprule",
                header,
                r"    \midrule",
                *rows,
                r"    \bottomrule",
                r"  \end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    def to_html(self) -> str:
        """A table element with its title as caption and its notes below, for notebooks."""
        header, *rows = self._escaped(_html, "<strong>{}</strong>")
        caption = f"<caption {_LEFT}>{_html(self.title)}</caption>" if self.title else ""
        head = f"<thead>{_html_row('th', header)}</thead>" if any(header) else ""
        body = "".join(_html_row("td", row) for row in rows)
        notes = f"<p>{_html(' '.join(self.notes))}</p>" if self.notes else ""
        return f"<table>{caption}{head}<tbody>{body}</tbody></table>{notes}"

    def to_csv(self) -> str:
        """The numbers behind the table with all digits, or the cells if it has none.

        Names that a spreadsheet would run as a formula get an apostrophe in front.
        """
        if self.numbers is None:
            return "".join(_csv_line(_harmless(row)) for row in (self.headings, *self.rows))
        values = self.numbers.astype(object).where(self.numbers.notna(), "")
        rows = [list(self.numbers.columns), *values.to_numpy().tolist()]
        return "".join(_csv_line([spreadsheet(value) for value in row]) for row in rows)

    def _is_right(self) -> list[bool]:
        """Which columns Markdown and LaTeX align to the right."""
        if self.numeric is not None:
            return [heading in self.numeric for heading in self.headings]
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.headings)
        return [any(cells) and all(not cell or _NUMBER.match(cell) for cell in cells) for cells in columns]

    def _escaped(self, escape: Callable[[str], str], strong: str = "{}") -> list[list[str]]:
        """The headings, then the cells of each row, those in bold within `strong`."""
        rows = [
            [
                strong.format(escape(cell)) if (row, column) in self.bold else escape(cell)
                for column, cell in enumerate(cells)
            ]
            for row, cells in enumerate(self.rows)
        ]
        return [[escape(cell) for cell in self.headings], *rows]


def _harmless(cells: Sequence[str]) -> list[str]:
    return [cell if _ONLY_NUMBER.fullmatch(cell) else spreadsheet(cell) for cell in cells]


def _csv_line(values: Sequence[Any]) -> str:
    written = io.StringIO()
    # The writer quotes the characters of its own line ending only, and a carriage return in a name would end the line.
    csv.writer(written, lineterminator="\r\n").writerow(values)
    return written.getvalue().removesuffix("\r\n") + "\n"


def _html(cell: str) -> str:
    return escape(visible(cell))


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag} {_LEFT}>{cell}</{tag}>' for cell in cells)}</tr>"
