"""A table of rules as plain text, HTML, Markdown and LaTeX."""

from collections.abc import Callable
from html import escape

from rulekit.ruleset.escaping import latex, markdown, visible
from rulekit.ruleset.table import Table


def as_text(table: Table) -> str:
    """Cells in columns, below the title."""
    lines = _escaped(table, visible)
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    aligned = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in lines]
    rule = "  ".join("-" * min(width, 60) for width in widths)
    return "\n".join([visible(table.title), aligned[0], rule, *aligned[1:]])


def as_html(table: Table) -> str:
    """A table element with a caption, for notebooks."""
    header, *rows = _escaped(table, _html)
    head = "".join(f"<th style='text-align:left'>{cell}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    caption = f"<caption style='text-align:left'>{_html(table.title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def as_markdown(table: Table) -> str:
    """A table with pipes, below the title in bold."""
    rule = ["---:" if name in table.numeric else "---" for name in table.header]
    head, *body = _escaped(table, markdown)
    lines = (f"| {' | '.join(cells)} |" for cells in (head, rule, *body))
    return "\n".join([f"**{markdown(table.title)}**", "", *lines, ""])


def as_latex(table: Table) -> str:
    r"""A `table` environment with its title as caption; it needs the package booktabs."""
    columns = ["r" if name in table.numeric else "l" for name in table.header]
    columns[-1] = r"p{0.45\linewidth}"
    header, *rows = (f"    {' & '.join(cells)} \\\\" for cells in _escaped(table, latex))
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{latex(table.title)}}}",
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


def _html(text: str) -> str:
    return escape(visible(text))


def _escaped(table: Table, escape: Callable[[str], str]) -> list[list[str]]:
    """The header's cells, then those of each row."""
    return [[escape(cell) for cell in cells] for cells in (table.header, *table.rows)]
