"""The command line: rulekit demo, extract and components."""

import io
import sys


def main() -> None:
    """Run the command line; the entry point of the `rulekit` script."""
    from rulekit.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A pipe may have an encoding without the letters of a column's name: a question mark is better than nothing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="rulekit")
