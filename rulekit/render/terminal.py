"""How tables look on a terminal: a line under the headings, no frame, two spaces between columns."""

from rich import box
from rich.table import Table
from rich.text import Text


def plain_table(title: Text | str) -> Table:
    """An empty table with a title above it, on the left."""
    heading = Text(title, style="bold") if isinstance(title, str) else title
    return Table(
        box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False, title=heading, title_justify="left"
    )
