"""How long pieces of work take, compared fairly."""

import gc
from collections.abc import Callable, Hashable, Mapping
from statistics import geometric_mean, median
from time import perf_counter, process_time
from typing import Any, TypeVar

__all__ = ["cpu_seconds_of", "geometric_mean", "median", "side_by_side", "wall_and_cpu"]

Name = TypeVar("Name", bound=Hashable)


def wall_and_cpu(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall time and CPU time of one run, in seconds."""
    gc.collect()
    wall, cpu = perf_counter(), process_time()
    work()
    return perf_counter() - wall, process_time() - cpu


def cpu_seconds_of(work: Callable[[], Any]) -> float:
    """CPU time of one run."""
    return wall_and_cpu(work)[1]


def side_by_side(works: Mapping[Name, Callable[[], Any]], repeats: int, *, is_cpu: bool = False) -> dict[Name, float]:
    """Median wall time, or CPU time, of each piece of work, after one run of each that does not count.

    The pieces take turns, so that a machine that slows down for a while slows all of them down.
    """
    for work in works.values():
        work()
    times: dict[Name, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(wall_and_cpu(work)[is_cpu])
    return {name: median(each) for name, each in times.items()}
