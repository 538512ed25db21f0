"""How the time of extraction grows with samples, trees, depth, classes and features."""

from collections.abc import Iterator, Mapping
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
CENTRE: Final = Size(100_000)


@attrs.frozen
class Axis:
    """What grows, and how far.

    Attributes
    ----------
    field : str
        Of `Size`.
    values : tuple of int
    centre : Size
        The rest, which stays as it is.
    """

    field: str
    values: tuple[int, ...]
    centre: Size = CENTRE

    @property
    def sizes(self) -> list[Size]:
        """One for each value."""
        fields = attrs.asdict(self.centre)
        return [Size(**{**fields, self.field: value}) for value in self.values]


AXES: Final = {
    "samples": Axis("n_samples", (10_000, 100_000, 1_000_000)),
    "trees": Axis("n_trees", (50, 100, 200)),
    "depth": Axis("depth", (3, 5, 7)),
    "classes": Axis("n_classes", (3, 6, 13, 26), Size(10_000, depth=10)),
    "features": Axis("n_features", (100, 1_000, 10_000), Size(2_000)),
    "many trees": Axis("n_trees", (100, 300, 1_000), Size(10_000)),
}


def run(settings: Settings, axes: Mapping[str, Axis] = AXES) -> Iterator[Row]:
    """Times and exponents along each axis, then times, rules and memory on hard samples without a bound on coverage."""
    for method in METHODS:
        for engine in settings.engines:
            yield from _Runs(settings, method, engine).rows(axes)


@attrs.define
class _Runs:
    """All extractions with one method and engine; a size that two axes share is measured once."""

    settings: Settings
    method: str
    engine: str
    _known: dict[Size, Extraction] = attrs.field(factory=dict, init=False)

    def rows(self, axes: Mapping[str, Axis]) -> Iterator[Row]:
        for name, axis in axes.items():
            new = [size for size in axis.sizes if size not in self._known]
            yield from (self._seconds_row(size) for size in new)
            yield self._exponent_row(name, axis)
        if "samples" in axes:
            for size in axes["samples"].sizes:
                yield from self._unbounded_rows(attrs.evolve(size, is_hard=True))

    def _measured(self, size: Size, min_coverage: float, repeats: int, time_limit: float | None = None) -> Extraction:
        self.settings.announce(f"growth: {size}, coverage above {min_coverage}, {self.method}, {self.engine}")
        forest = stored_forest(self.settings.cache, size)
        task = Task(forest.path, size, self.method, self.engine, min_coverage, repeats)
        return extraction(task, time_limit)

    def _seconds_row(self, size: Size) -> Row:
        result = self._known[size] = self._measured(size, MIN_COVERAGE, self.settings.repeats)
        return self._row(f"{size}, {self.method}", SECONDS.name, result.seconds, detail=result.detail)

    def _exponent_row(self, name: str, axis: Axis) -> Row:
        # CPU time: what else a machine does must not look like growth. A fit to three points has two digits.
        power = round(exponent(axis.values, [self._known[size].cpu_seconds for size in axis.sizes]), 2)
        detail = f"{name}: {', '.join(f'{value:,}' for value in axis.values)}"
        return self._row(f"{name}, {self.method}", EXPONENT.name, power, limit(EXPONENT, self.engine, name), detail)

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
