"""One extraction from a stored forest, in a process of its own: its time and its memory."""

import warnings
from pathlib import Path

import attrs
import joblib

import rulekit
from benchmarks.engines import using
from benchmarks.forests import Size
from benchmarks.isolation import isolated
from benchmarks.memory import peak_resident, with_peak
from benchmarks.timing import median, wall_and_cpu
from rulekit.core.errors import ManyRulesWarning

#: Enough samples to compile everything on, few enough to take no time.
WARM_UP_SAMPLES = 2000
BYTES_PER_MB = 1e6


@attrs.frozen
class Task:
    """What to extract.

    Attributes
    ----------
    forest : Path
        A pickle of (forest, seconds).
    size : Size
        Of the training set, and of the forest.
    method : str
    engine : str
    min_coverage : float
    repeats : int
    """

    forest: Path
    size: Size
    method: str
    engine: str
    min_coverage: float
    repeats: int = 1


@attrs.frozen
class Extraction:
    """What it took.

    Attributes
    ----------
    seconds, cpu_seconds : float
        Medians of wall and CPU time.
    peak_mb : float or None
        Memory above the start at most, None where the system does not tell.
    n_rules : int
    resident_mb : float or None
        Memory of the whole process at most, samples and libraries included.
    """

    seconds: float
    cpu_seconds: float
    peak_mb: float | None
    n_rules: int
    resident_mb: float | None = None

    @property
    def detail(self) -> str:
        """The figures in words."""
        peak = "memory not measured" if self.peak_mb is None else f"{self.peak_mb:.0f} MB"
        return f"{self.seconds:.2f} s ({self.cpu_seconds:.2f} s of CPU), {self.n_rules} rules, {peak}"


def extraction(task: Task, time_limit: float | None = None) -> Extraction:
    """Measure in a fresh process, after an extraction from few samples that does not count."""
    return isolated(_measure, task, time_limit=time_limit)


def _measure(task: Task) -> Extraction:
    X, y = task.size.samples()
    model = rulekit.build(task.method, joblib.load(task.forest)[0], min_coverage=task.min_coverage)
    with using(task.engine), warnings.catch_warnings():
        warnings.simplefilter("ignore", ManyRulesWarning)  # how many there are is what is measured
        model.fit(X[:WARM_UP_SAMPLES], y[:WARM_UP_SAMPLES])
        # Only the first run shows the whole peak: later ones find memory that was freed, but not given back.
        first, peak = with_peak(lambda: wall_and_cpu(lambda: model.fit(X, y)))
        resident = None if peak is None else peak_resident()
        times = [first, *(wall_and_cpu(lambda: model.fit(X, y)) for _ in range(task.repeats - 1))]
    return Extraction(
        seconds=median(wall for wall, _ in times),
        cpu_seconds=median(cpu for _, cpu in times),
        peak_mb=None if peak is None else peak / BYTES_PER_MB,
        n_rules=len(model.ruleset_),
        resident_mb=None if resident is None else resident / BYTES_PER_MB,
    )
