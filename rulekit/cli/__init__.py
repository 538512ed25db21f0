"""The command line: `rulekit demo`, `extract`, `export`, `report`, `study` and others."""

import io
import sys


def main() -> None:
    """Run the command line; the entry point of the `rulekit` script."""
    from rulekit.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A pipe's encoding may lack characters of a column's name: print a question mark instead of failing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="rulekit")
