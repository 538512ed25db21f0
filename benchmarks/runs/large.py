"""A million samples."""

from collections.abc import Iterator

from benchmarks.cases import METHODS
from benchmarks.extraction import Extraction, Task, extraction
from benchmarks.forests import MOST_SAMPLES, Size, StoredForest, stored_forest
from benchmarks.limits import limit
from benchmarks.measures import LARGE, MEMORY, RESIDENT
from benchmarks.rows import Row
from benchmarks.settings import Settings

SIZE = Size(MOST_SAMPLES)
#: Without a bound on coverage, a million samples yield thousands of rules.
MIN_COVERAGE = 0.001


def run(settings: Settings, size: Size = SIZE) -> Iterator[Row]:
    """Time and memory for every method and engine."""
    settings.announce(f"large: training on {size}")
    forest = stored_forest(settings.cache, size)
    for method in METHODS:
        for engine in settings.engines:
            settings.announce(f"large: {method}, {engine}")
            task = Task(forest.path, size, method, engine, MIN_COVERAGE, settings.repeats)
            yield from _rows(size, method, engine, extraction(task), forest)


def _rows(size: Size, method: str, engine: str, result: Extraction, forest: StoredForest) -> Iterator[Row]:
    is_standard = size == SIZE
    case = f"{size}, {method}"
    yield Row(
        "large",
        engine,
        case,
        LARGE.name,
        result.seconds / forest.cpu_seconds,
        limit(LARGE, engine) if is_standard else None,
        f"{result.detail}; {forest.origin}",
    )
    for measure, value in ((MEMORY, result.peak_mb), (RESIDENT, result.resident_mb)):
        yield Row(
            "large",
            engine,
            case,
            measure.name,
            value,
            limit(measure, engine) if is_standard else None,
            "not measured on this system" if value is None else "",
        )
