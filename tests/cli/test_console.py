"""Text on a console is seen and does nothing else."""

import io

import pytest
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from rulekit.render.console import SafeConsole

HOSTILE = "a\x1b[2J\x1b]0;title\x07\u202eb\ud800"
SEEN = "a\\x1b[2J\\x1b]0;title"


def printed(*what, **options):
    console = SafeConsole(file=io.StringIO(), width=100, markup=False, **options)
    console.print(*what)
    return console.file.getvalue()


def table():
    table = Table("name", HOSTILE, title=HOSTILE)
    table.add_row(HOSTILE, Text(HOSTILE))
    return table


@pytest.mark.parametrize("what", [HOSTILE, Text(HOSTILE), table()], ids=["string", "styled", "table"])
def test_what_would_act_on_a_terminal_is_shown_as_its_code(what):
    shown = printed(what)
    assert SEEN in shown
    assert not {"\x1b", "\x07", "\u202e", "\ud800"} & set(shown)


def test_columns_are_as_wide_as_what_is_seen():
    table = Table("name", "n", box=None)
    table.add_row("\x1b[2J", "1")
    table.add_row("b", "2")
    assert [line.rstrip() for line in printed(table).splitlines()] == [" name     n", " \\x1b[2J  1", " b        2"]


def test_lines_stay_lines():
    assert printed("one\n  two\n") == "one\n  two\n\n"


def test_the_codes_of_styles_still_go_to_a_terminal():
    assert printed(Text("plain", style="bold"), force_terminal=True, color_system="standard") == "\x1b[1mplain\x1b[0m\n"


def test_a_bar_still_moves_the_cursor():
    console = SafeConsole(file=io.StringIO(), force_terminal=True, width=60)
    with Progress(console=console, transient=True) as display:
        display.add_task(HOSTILE, total=2)
    assert "\x1b[1A" in console.file.getvalue()
    assert "\x1b[2J" not in console.file.getvalue()
