"""Interface of the executors that run a study."""

from collections.abc import Generator, Sequence
from typing import Protocol, TypeAlias

from rulekit.study.jobs import Job
from rulekit.study.plan import Cell
from rulekit.study.result import Failure, Result

#: Groups that are worked on together, for each worker: enough to keep all busy, few enough to fit in memory.
GROUPS_AT_ONCE = 2

Outcome: TypeAlias = tuple[Cell, Result | Failure]


class Executor(Protocol):
    """Runs the jobs of a study."""

    @property
    def n_workers(self) -> int:
        """Number of tasks that run at the same time."""

    def outcomes(self, jobs: Sequence[Job]) -> Generator[Outcome, None, None]:
        """Yield the outcome of each cell as soon as it is available, in any order."""
