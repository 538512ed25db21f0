"""A table as Markdown."""

import re
from collections.abc import Sequence

from rulekit.study.tables.table import Table

_NUMBER = re.compile(r"^([+<-]?\d|-$)")
#: Signs that Markdown would take for its own, where it would: `a_b` and `<0.01` are left as they are.
_SIGN = re.compile(r"[\\|*`]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!])")


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
    notes = [f"\n{_escaped(' '.join(table.notes))}\n"] if table.notes else []
    return "\n".join([f"**{_escaped(table.title)}**\n", *lines, *notes]).rstrip("\n") + "\n"


def _is_numeric(cells: Sequence[str]) -> bool:
    return bool(cells) and all(_NUMBER.match(cell) or not cell for cell in cells) and any(cells)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    """Text whose signs mean themselves: a variant may be called `*` or `a|b`."""
    return _SIGN.sub(r"\\\g<0>", text)
