"""Fuzz for as long as there is time: `python -m tests.fuzz_fit --seconds 600 --seed 1`."""

import argparse
import signal
import sys
from time import monotonic
from typing import Any

import attrs
from hypothesis import HealthCheck, Phase, given, seed, settings

from .outcome import check
from .trials import Trial, trials

TRIALS_PER_ROUND = 200
#: A trial takes milliseconds; one that takes so many seconds hangs.
HANGS_AFTER = 60


@attrs.define
class Tally:
    """What was tried, and what failed: the first trial of each kind of failure, and how many there were."""

    n_fits: int = 0
    n_predictions: int = 0
    failures: dict[str, str] = attrs.field(factory=dict)
    n_failed: int = 0

    def run(self, trial: Trial, number: int) -> None:
        """Check one trial and note what came."""
        self.n_fits += 1
        self.n_predictions += len(trial.questions)
        signal.alarm(HANGS_AFTER)
        try:
            check(trial)
        except Exception as error:  # whatever else comes is what is looked for
            self.n_failed += 1
            kind = f"{type(error).__name__}: {str(error).strip()[:90]}"
            self.failures.setdefault(kind, f"{error}\n  seed {number}: {trial}")
        finally:
            signal.alarm(0)


def main(arguments: list[str] | None = None) -> int:
    """Run rounds of trials until the time is over; print what failed. Returns how many kinds of failure there were."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_fit", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGALRM, _hangs)
    tally, number, end = Tally(), options.seed, monotonic() + options.seconds
    while monotonic() < end:
        _round(tally, number, end)
        number += 1
    for kind, first in tally.failures.items():
        print(f"{kind}\n  {first}\n")
    print(
        f"{tally.n_fits + tally.n_predictions:,} inputs: {tally.n_fits:,} of fit, {tally.n_predictions:,} of "
        f"predict_proba; seeds {options.seed} to {number - 1}; {tally.n_failed} failed, in {len(tally.failures)} ways"
    )
    return len(tally.failures)


def _round(tally: Tally, number: int, end: float) -> None:
    @seed(number)
    @settings(
        max_examples=TRIALS_PER_ROUND,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(trials())
    def run(trial: Trial) -> None:
        if monotonic() < end:
            tally.run(trial, number)

    run()


def _hangs(*_: Any) -> None:
    raise AssertionError(f"a trial took longer than {HANGS_AFTER} s")


if __name__ == "__main__":
    sys.exit(main())
