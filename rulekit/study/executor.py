"""Who does a study's work, and what is asked of them."""

from collections.abc import Generator, Sequence
from typing import Protocol, TypeAlias

from rulekit.study.jobs import Job
from rulekit.study.plan import Cell
from rulekit.study.result import Failure, Result

#: Groups that are worked on together, for each worker: enough to keep all busy, few enough for the memory.
GROUPS_AT_ONCE = 2

Outcome: TypeAlias = tuple[Cell, Result | Failure]


class Executor(Protocol):
    """Who does the work."""

    @property
    def n_workers(self) -> int:
        """How much is done at the same time."""

    def outcomes(self, jobs: Sequence[Job]) -> Generator[Outcome, None, None]:
        """What comes of each cell, as soon as it is there, in any order."""
