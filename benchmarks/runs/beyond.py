"""Extraction from Parquet files that are larger than memory may be: time, its growth, and peak memory."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import attrs

from benchmarks.exponents import exponent
from benchmarks.isolation import isolated
from benchmarks.limits import limit
from benchmarks.measures import EXPONENT, PRIVATE_MEMORY, SECONDS
from benchmarks.rows import Row
from benchmarks.samples_in_files import TARGET, samples, trained_ensemble, write_files
from benchmarks.settings import Settings

SIZES: Final = (1_000_000, 5_000_000, 20_000_000)
N_TREES: Final = 100
MIN_COVERAGE: Final = 0.001
#: Seconds between two looks at the memory.
LOOK: Final = 0.02


@attrs.frozen
class Fit:
    """What one extraction took.

    Attributes
    ----------
    cpu_seconds, seconds : float
    private_mb : float
        Most memory of the process at any time, without files that the system keeps in memory while there is room.
    n_rules : int
    """

    cpu_seconds: float
    seconds: float
    private_mb: float
    n_rules: int


def run(
    settings: Settings, sizes: Sequence[int] = SIZES, n_trees: int = N_TREES, folder: Path | None = None
) -> Iterator[Row]:
    """Times and memory for each number of samples, then the exponent of growth."""
    with TemporaryDirectory(dir=folder) as name:
        for engine in settings.engines:
            fits = []
            for size in sizes:
                settings.announce(f"beyond: {size:,} samples, {engine}")
                write_files(Path(name), size)
                fit = isolated(fit_from_files, Path(name), n_trees, environment={"RULEKIT_ENGINE": engine})
                fits.append(fit)
                case, detail = f"{size:,} samples", f"{fit.n_rules} rules, {fit.seconds:.0f} s by the clock"
                yield Row("beyond", engine, case, SECONDS.name, fit.cpu_seconds, None, detail)
                yield Row("beyond", engine, case, PRIVATE_MEMORY.name, fit.private_mb, limit(PRIVATE_MEMORY, engine))
            power = round(exponent(sizes, [fit.cpu_seconds for fit in fits]), 2)
            detail = ", ".join(f"{size:,}" for size in sizes)
            yield Row(
                "beyond",
                engine,
                "samples in files",
                EXPONENT.name,
                power,
                limit(EXPONENT, engine, "samples in files"),
                detail,
            )


def fit_from_files(folder: Path, n_trees: int) -> Fit:
    """Extract rules from all Parquet files of a folder; called in a process of its own."""
    import rulekit

    model = rulekit.build("rcprob", trained_ensemble(n_trees), min_coverage=MIN_COVERAGE)
    model.fit_from(samples(0, 1000), TARGET)  # loads what is compiled
    with PrivateMemory() as memory:
        cpu, clock = time.process_time(), time.perf_counter()
        model.fit_from(folder, TARGET)
        cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    return Fit(cpu, clock, memory.most / 1e6, len(model.ruleset_))


class PrivateMemory:
    """The most memory of this process in a `with` block that is no copy of a file, in bytes; Linux only."""

    def __init__(self) -> None:
        self.most = 0
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PrivateMemory":
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watcher.join()
        self.most = max(self.most, private_bytes())

    def _watch(self) -> None:
        while not self._ended.wait(LOOK):
            self.most = max(self.most, private_bytes())


def private_bytes() -> int:
    """Memory of this process that is no copy of a file."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(1024 * int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))
