"""Fuzzing at length: `python -m tests.fuzz` tries everything, `python -m tests.fuzz TARGET` one thing.

Each input comes from its number and the seed alone, so that `--first NUMBER --inputs 1` repeats one. Every outcome must
be a correct result or a documented error, within the time limit; anything else is printed, and the exit code is 1.
"""

import argparse
import faulthandler
import random
import sys

from .running import Tally, run
from .targets import TARGETS

#: What compiled code may take beyond the limit, in which no alarm is heard, before the whole run is given up.
GRACE = 50.0


def main(arguments: list[str] | None = None) -> int:
    """Run one target or all of them; 0 if nothing failed."""
    asked = _parser().parse_args(arguments)
    chosen = [asked.target] if asked.target else list(TARGETS)
    usual = sum(TARGETS[name].n_inputs for name in chosen)
    fraction = 1.0 if asked.inputs is None else asked.inputs / usual
    tallies = [_run(name, max(1, round(TARGETS[name].n_inputs * fraction)), asked) for name in chosen]
    n_failed = sum(tally.n_failed for tally in tallies)
    if len(tallies) > 1:
        n_inputs, seconds = sum(tally.n_inputs for tally in tallies), sum(tally.seconds for tally in tallies)
        print(f"all: {n_inputs:,} inputs in {seconds:.0f} s, seed {asked.seed}; {n_failed} failures.")
    return 1 if n_failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("target", nargs="?", choices=TARGETS, help="without it, all of them in shares")
    parser.add_argument("--inputs", type=int, help="how many; without it, as many as a run of everything has")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for one input")
    return parser


def _run(name: str, n_inputs: int, asked: argparse.Namespace) -> Tally:
    def check(rng: random.Random) -> str | None:
        faulthandler.dump_traceback_later(asked.limit + GRACE, exit=True, file=sys.__stderr__)
        try:
            return TARGETS[name].check(rng)
        finally:
            faulthandler.cancel_dump_traceback_later()

    tally = run(
        name,
        check,
        n_inputs=n_inputs,
        seed=asked.seed,
        first=asked.first,
        limit=asked.limit,
        complain=lambda story: print(story, file=sys.stderr, flush=True),
    )
    print(tally, flush=True)
    return tally


if __name__ == "__main__":
    sys.exit(main())
