"""A table as Markdown."""

import re
from collections.abc import Sequence

from rulekit.ruleset.escaping import markdown
from rulekit.study.tables.table import Table

_NUMBER = re.compile(r"^([+<-]?\d|-$)")


def to_markdown(table: Table) -> str:
    """The table with its title in bold above it and its notes below.

    Columns of numbers are on the right.
    """
    columns = list(zip(*table.rows, strict=True)) if table.rows else [() for _ in table.headings]
    lines = [
        _line(table.headings),
        _line(["---:" if _is_numeric(cells) else "---" for cells in columns]),
        *(_line(row) for row in table.rows),
    ]
    notes = [f"\n{markdown(' '.join(table.notes))}\n"] if table.notes else []
    return "\n".join([f"**{markdown(table.title)}**\n", *lines, *notes]).rstrip("\n") + "\n"


def _is_numeric(cells: Sequence[str]) -> bool:
    return bool(cells) and all(_NUMBER.match(cell) or not cell for cell in cells) and any(cells)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(markdown(cell) for cell in cells)} |"
