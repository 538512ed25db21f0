"""Fuzzing by hand: `python tests/fuzz TARGET --inputs 100000`; the suite runs short versions of the same.

Each input comes from its number and the seed alone, so that `--first NUMBER --inputs 1` repeats one. Every outcome must
be a correct result or a documented error, within the time limit; anything else is printed, and the exit code is 1.
"""

import argparse
import random
import signal
import sys
import traceback
import warnings
from collections import Counter
from time import perf_counter

from commands import command_line
from documents import document, json_text, samples
from records import fit, predict
from studies import study_file

TARGETS = {
    "dict": document,
    "json": json_text,
    "predict": predict,
    "fit": fit,
    "study": study_file,
    "command": command_line,
}


class TooSlow(Exception):
    """An input took longer than it may."""


def stop(signum: int, frame: object) -> None:
    raise TooSlow


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for one input")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after this time")
    asked = parser.parse_args()
    warnings.simplefilter("error")
    samples()  # what is loaded and compiled once is no input's time
    signal.signal(signal.SIGALRM, stop)
    outcomes: Counter[str] = Counter()
    failures, slowest, start = 0, (0.0, 0), perf_counter()
    for number in range(asked.first, asked.first + asked.inputs):
        began = perf_counter()
        if began - start > asked.seconds:
            break
        signal.setitimer(signal.ITIMER_REAL, asked.limit)
        try:
            outcomes[TARGETS[asked.target](random.Random(f"{asked.seed}-{number}"))] += 1
        except Exception:
            failures += 1
            print(f"input {number}:", traceback.format_exc(), file=sys.stderr, flush=True)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        slowest = max(slowest, (perf_counter() - began, number))
    told = ", ".join(f"{outcome} {count:,}" for outcome, count in outcomes.most_common())
    print(f"{asked.target}: {sum(outcomes.values()) + failures:,} inputs in {perf_counter() - start:.0f} s: {told}; "
          f"{failures} failures; the slowest took {slowest[0]:.2f} s (input {slowest[1]}).")  # fmt: skip
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
