"""Forests that are grown without a limit of depth, as scikit-learn grows them by default."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

import rulekit
from benchmarks.cases import METHODS
from benchmarks.engines import using
from benchmarks.extraction import BYTES_PER_MB
from benchmarks.isolation import isolated
from benchmarks.limits import limit
from benchmarks.measures import DEEP, MEMORY
from benchmarks.memory import with_peak
from benchmarks.rows import Row
from benchmarks.runs.categories import table
from benchmarks.settings import Settings
from benchmarks.timing import median, wall_and_cpu
from rulekit.core.errors import ManyRulesWarning

MIN_COVERAGES: Final = (0.001, 0.01)
#: Enough samples to compile everything on, few enough to take no time.
WARM_UP_SAMPLES: Final = 2000
N_TREES: Final = 100


@attrs.frozen
class DeepExtraction:
    """What extraction from a default forest took, beside training it.

    Attributes
    ----------
    training, extraction : float
        CPU seconds, the median of the extractions.
    n_leaves, n_rules : int
    peak_mb : float or None
        Memory above the start of the extraction at most, None where the system does not tell.
    """

    training: float
    extraction: float
    n_leaves: int
    n_rules: int
    peak_mb: float | None


def run(settings: Settings) -> Iterator[Row]:
    """CPU time and memory for each table, limit of coverage, method and engine; a table that is not there is named."""
    for path in (settings.mixed / "bank_marketing.csv", settings.data / "htru2.csv"):
        if not path.exists():
            yield Row("deep", "", path.stem, DEEP.name, None, detail=f"no {path.name} in {path.parent}")
            continue
        for min_coverage in MIN_COVERAGES:
            for method in METHODS:
                for engine in settings.engines:
                    case = f"{path.stem}, coverage above {min_coverage:g}, {method}"
                    settings.announce(f"deep: {case}, {engine}")
                    result = isolated(_measure, path, method, engine, min_coverage, settings.repeats)
                    yield from _rows(case, engine, result)


def _rows(case: str, engine: str, result: DeepExtraction) -> Iterator[Row]:
    ratio = result.extraction / result.training
    detail = f"{result.extraction:.2f} s / {result.training:.2f} s, {result.n_leaves:,} leaves, {result.n_rules} rules"
    yield Row("deep", engine, case, DEEP.name, ratio, limit(DEEP, engine), detail)
    yield Row("deep", engine, case, MEMORY.name, result.peak_mb, limit(MEMORY, engine, "deep"))


def _measure(path: Path, method: str, engine: str, min_coverage: float, repeats: int) -> DeepExtraction:
    X, y = _numbers(path)
    forest = RandomForestClassifier(N_TREES, random_state=0)
    training = wall_and_cpu(lambda: forest.fit(X, y))[1]
    model = rulekit.build(method, forest, min_coverage=min_coverage)
    with using(engine), warnings.catch_warnings():
        warnings.simplefilter("ignore", ManyRulesWarning)  # how many there are is what is measured
        warm_up = RandomForestClassifier(2, max_depth=3, random_state=0).fit(X, y)
        rulekit.build(method, warm_up).fit(X[:WARM_UP_SAMPLES], y[:WARM_UP_SAMPLES])
        # Only the first run shows the whole peak: later ones find memory that was freed, but not given back.
        first, peak = with_peak(lambda: wall_and_cpu(lambda: model.fit(X, y)))
        times = [first, *(wall_and_cpu(lambda: model.fit(X, y)) for _ in range(repeats - 1))]
    return DeepExtraction(
        training=training,
        extraction=median(cpu for _, cpu in times),
        n_leaves=sum(tree.get_n_leaves() for tree in forest.estimators_),
        n_rules=len(model.ruleset_),
        peak_mb=None if peak is None else peak / BYTES_PER_MB,
    )


def _numbers(path: Path) -> tuple[NDArray[np.float64], Any]:
    """The samples with their categories as numbers, and their classes."""
    X, y, _ = table(path, "sklearn", is_native=False)
    return X.to_numpy(np.float64), y
