"""What numba's compiler costs: once for ever, and once per process."""

from collections.abc import Iterator
from tempfile import TemporaryDirectory

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import rulekit
from benchmarks.cases import METHODS
from benchmarks.engines import using
from benchmarks.isolation import isolated
from benchmarks.limits import limit
from benchmarks.measures import COMPILING, LOADING, Measure
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import cpu_seconds_of

ENGINE = "numba"


def run(settings: Settings) -> Iterator[Row]:
    """Two fresh processes for each method: the first compiles, the second finds the first one's work."""
    if ENGINE not in settings.engines:
        detail = "the engine does not compile, or numba is not there: pip install numba"
        yield Row("compile", "numpy", "first fit of a process", COMPILING.name, None, detail=detail)
        return
    for method in METHODS:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            for measure in (COMPILING, LOADING):
                settings.announce(f"compile: {method}, {measure.name}")
                first, second = isolated(first_fits, method, environment={"NUMBA_CACHE_DIR": folder})
                yield _row(method, measure, first, second)


def first_fits(method: str) -> tuple[float, float]:
    """Times of the first two extractions in this process."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(20, max_depth=5, random_state=0).fit(X, y)
    model = rulekit.build(method, forest)
    with using(ENGINE):
        first, second = (cpu_seconds_of(lambda: model.fit(X, y)) for _ in range(2))
    return first, second


def _row(method: str, measure: Measure, first: float, second: float) -> Row:
    detail = f"first fit {first:.2f} s, second {second:.3f} s"
    return Row("compile", ENGINE, method, measure.name, first - second, limit(measure, ENGINE), detail)
