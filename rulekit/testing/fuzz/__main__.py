"""Fuzzing the adapters of a library at length: `python -m rulekit.testing.fuzz lightgbm --n 10000 --seed 0`.

The exit code is 1 if rulekit and the library differ somewhere; the script of each kind of failure is printed.
"""

import argparse
import sys

from rulekit.testing.fuzz.libraries import SPACES, library_space
from rulekit.testing.fuzz.running import run


def main(arguments: list[str] | None = None) -> int:
    """Try configurations of a library, each with the registered adapter of its model; 0 if nothing failed."""
    parser = argparse.ArgumentParser(
        prog="python -m rulekit.testing.fuzz", description="Compare rulekit with a library over random configurations."
    )
    parser.add_argument("library", choices=SPACES)
    parser.add_argument("--n", type=int, default=1000, help="number of configurations")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first configuration")
    parser.add_argument("--seconds", type=float, help="no configuration starts later than this")
    asked = parser.parse_args(arguments)
    space = library_space(asked.library)
    report = run(space, asked.n, asked.seed, name=asked.library, first=asked.first, seconds=asked.seconds)
    print(report)
    shown = set()
    for failure in report.failures:
        kind = (failure.kind, failure.configuration.model)
        if kind not in shown:
            print(f"\nNumber {failure.number}: {failure.message}\n\n{failure.script}")
        shown.add(kind)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
