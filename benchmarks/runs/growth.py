"""How the time of extraction grows with samples, trees and depth."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from benchmarks.cases import METHODS
from benchmarks.exponents import exponent
from benchmarks.extraction import Extraction, Task, extraction
from benchmarks.forests import Size, stored_forest
from benchmarks.isolation import TimeLimitError
from benchmarks.limits import limit
from benchmarks.measures import EXPONENT, MEMORY, N_RULES, SECONDS
from benchmarks.rows import Row
from benchmarks.settings import Settings

MIN_COVERAGE: Final = 0.001
#: Seconds for one extraction without a bound on coverage, which nobody promises to be quick.
UNBOUNDED_TIME_LIMIT: Final = 600.0
#: What grows, and how far; the rest stays as it is in `CENTRE`.
CENTRE: Final = Size(100_000)
AXES: Final[dict[str, tuple[int, ...]]] = {
    "samples": (10_000, 100_000, 1_000_000),
    "trees": (50, 100, 200),
    "depth": (3, 5, 7),
}
_FIELDS: Final = {"samples": "n_samples", "trees": "n_trees", "depth": "depth"}


def run(settings: Settings, axes: Mapping[str, Sequence[int]] = AXES, centre: Size = CENTRE) -> Iterator[Row]:
    """Times and exponents along each axis, then times, rules and memory on hard samples without a bound on coverage."""
    for method in METHODS:
        for engine in settings.engines:
            yield from _Runs(settings, method, engine, centre).rows(axes)


@attrs.define
class _Runs:
    """All extractions with one method and engine; a size that two axes share is measured once."""

    settings: Settings
    method: str
    engine: str
    centre: Size
    _known: dict[Size, Extraction] = attrs.field(factory=dict, init=False)

    def rows(self, axes: Mapping[str, Sequence[int]]) -> Iterator[Row]:
        for axis, values in axes.items():
            sizes = [attrs.evolve(self.centre, **{_FIELDS[axis]: value}) for value in values]
            new = [size for size in sizes if size not in self._known]
            yield from (self._seconds_row(size) for size in new)
            yield self._exponent_row(axis, values, sizes)
        for value in axes["samples"]:
            yield from self._unbounded_rows(attrs.evolve(self.centre, n_samples=value, is_hard=True))

    def _measured(self, size: Size, min_coverage: float, repeats: int, time_limit: float | None = None) -> Extraction:
        self.settings.announce(f"growth: {size}, coverage above {min_coverage}, {self.method}, {self.engine}")
        forest = stored_forest(self.settings.cache, size)
        task = Task(forest.path, size.n_samples, self.method, self.engine, min_coverage, repeats, size.is_hard)
        return extraction(task, time_limit)

    def _seconds_row(self, size: Size) -> Row:
        result = self._known[size] = self._measured(size, MIN_COVERAGE, self.settings.repeats)
        return self._row(f"{size}, {self.method}", SECONDS.name, result.seconds, detail=result.detail)

    def _exponent_row(self, axis: str, values: Sequence[int], sizes: Sequence[Size]) -> Row:
        # CPU time: what else a machine does must not look like growth. A fit to three points has two digits.
        power = round(exponent(values, [self._known[size].cpu_seconds for size in sizes]), 2)
        detail = f"{axis}: {', '.join(f'{value:,}' for value in values)}"
        return self._row(f"{axis}, {self.method}", EXPONENT.name, power, limit(EXPONENT, self.engine, axis), detail)

    def _unbounded_rows(self, size: Size) -> Iterator[Row]:
        case = f"{size}, no bound on coverage, {self.method}"
        seconds = self.settings.time_limit or UNBOUNDED_TIME_LIMIT
        try:
            result = self._measured(size, 0.0, 1, seconds)
        except TimeLimitError as error:
            yield self._row(case, SECONDS.name, None, detail=str(error))
            return
        yield self._row(case, SECONDS.name, result.seconds, detail=result.detail)
        yield self._row(case, N_RULES.name, result.n_rules)
        yield self._row(case, MEMORY.name, result.peak_mb)

    def _row(self, case: str, measure: str, value: float | None, limit: float | None = None, detail: str = "") -> Row:
        return Row("growth", self.engine, case, measure, value, limit, detail)
