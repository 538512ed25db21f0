"""Processes of this machine that do a study's work."""

from collections.abc import Callable, Generator, Sequence
from typing import Any

import attrs
import joblib

from rulekit.plugin.code_components import CodeComponents
from rulekit.study.bundle_work import run_bundle
from rulekit.study.executor import GROUPS_AT_ONCE, Outcome
from rulekit.study.group_work import Fitted, fit_group, result_of
from rulekit.study.jobs import Job
from rulekit.study.limits import is_too_late
from rulekit.study.result import Failure
from rulekit.study.tasks import Task, outcomes_of


@attrs.frozen
class Processes:
    """Work on this machine, or wherever a backend of joblib takes it.

    Parameters
    ----------
    n_jobs : int or None
        In joblib's meaning.
    """

    n_jobs: int | None = -1

    @property
    def n_workers(self) -> int:
        """Number of tasks that run at the same time."""
        return int(joblib.effective_n_jobs(self.n_jobs))

    def outcomes(self, jobs: Sequence[Job]) -> Generator[Outcome, None, None]:
        """Yield the outcome of each cell as soon as it is available."""
        code = CodeComponents.of_this_process()
        at_once = GROUPS_AT_ONCE * self.n_workers
        ready: list[tuple[Job, Fitted | None]] = []
        waiting = list(jobs)
        # Each wave runs the variants of the groups that the wave before has fitted, and fits the next groups.
        while waiting or ready:
            wave, waiting = waiting[:at_once], waiting[at_once:]
            ready += [(job, None) for job in wave if job.group is None]
            fits = [job for job in wave if job.group is not None]
            ready = yield from self._wave(ready, fits, code)

    def _wave(
        self, ready: Sequence[tuple[Job, Fitted | None]], fits: Sequence[Job], code: CodeComponents
    ) -> Generator[Outcome, None, list[tuple[Job, Fitted | None]]]:
        """Run the variants of fitted groups, and fit other groups; return the work of the next wave."""
        runs = [(job, bundle, fitted) for job, fitted in ready for bundle in job.bundles]
        # Ensembles first: they take longest, and short tasks fill the gaps at the end.
        tasks = [_task(job, 1, fit_group, job.group, job.chosen, job.needs_inner, code) for job in fits]
        tasks += [_task(job, len(bundle), run_bundle, bundle, fitted, code) for job, bundle, fitted in runs]
        next_wave: list[tuple[Job, Fitted | None]] = []
        for position, outcome in outcomes_of(tasks, self.n_jobs):
            if position >= len(fits):
                job, bundle, fitted = runs[position - len(fits)]
                if is_too_late(outcome) and len(bundle) > 1:
                    # Only one of its cells may have caused it: run the others separately.
                    next_wave.append((attrs.evolve(job, bundles=bundle.apart), fitted))
                    continue
                found = [outcome] * len(bundle) if isinstance(outcome, Failure) else outcome
                yield from zip(bundle, found, strict=True)
                continue
            job = fits[position]
            assert job.own is not None, "a group has an ensemble"
            yield job.own, result_of(outcome)
            if isinstance(outcome, Failure):
                yield from ((cell, outcome) for cell in job.cells)
            else:
                next_wave.append((job, outcome))
        return next_wave


def _task(job: Job, n_cells: int, work: Callable[..., Any], *arguments: Any) -> Task:
    """Work for some cells of a job."""
    return Task(work, (job.samples, *arguments), job.seconds_for(n_cells), job.cell_seconds)
