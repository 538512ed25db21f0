"""Extraction against training, and RCProb against RC+."""

from collections.abc import Callable, Iterator
from typing import Any

import rulekit
from benchmarks.cases import DATASETS, ENSEMBLES, METHODS, Case, cases
from benchmarks.engines import using
from benchmarks.limits import MEDIAN, limit
from benchmarks.measures import EXTRACTION
from benchmarks.measures import METHODS as BETWEEN_METHODS
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import median, side_by_side

#: The median of the ratios has a limit only where it is that of all of these.
N_CASES = len(DATASETS) * len(ENSEMBLES)


def run(settings: Settings) -> Iterator[Row]:
    """Ratios for every dataset, ensemble, method and engine, then the median ratio of the methods."""
    ratios: dict[str, list[float]] = {engine: [] for engine in settings.engines}
    for case in cases(settings):
        settings.announce(f"{case}: extraction")
        seconds, n_rules = _measure(case, settings)
        for engine in settings.engines:
            yield from _extraction_rows(case, engine, seconds, n_rules)
            ratios[engine].append(seconds[engine, "rcprob"] / seconds[engine, "rc+"])
    for engine, each in ratios.items():
        is_complete = len(each) == N_CASES and set(settings.datasets) == set(DATASETS)
        yield Row(
            "training",
            engine,
            f"median of {len(each)} cases",
            BETWEEN_METHODS.name,
            median(each),
            limit(BETWEEN_METHODS, engine, MEDIAN) if is_complete else None,
            f"from {min(each):.2f} to {max(each):.2f}",
        )


def _measure(case: Case, settings: Settings) -> tuple[dict[Any, float], dict[Any, int]]:
    models = {(engine, method): rulekit.build(method, case.model) for engine in settings.engines for method in METHODS}
    works: dict[Any, Callable[[], Any]] = {"training": case.train}
    works |= {key: _fit(model, case, key[0]) for key, model in models.items()}
    seconds = side_by_side(works, settings.repeats, is_cpu=True)
    return seconds, {key: len(model.ruleset_) for key, model in models.items()}


def _fit(model: Any, case: Case, engine: str) -> Callable[[], Any]:
    def fit() -> None:
        with using(engine):
            model.fit(case.X, case.y)

    return fit


def _extraction_rows(case: Case, engine: str, seconds: dict[Any, float], n_rules: dict[Any, int]) -> Iterator[Row]:
    training = seconds["training"]
    for method in METHODS:
        extraction = seconds[engine, method]
        yield Row(
            "training",
            engine,
            f"{case} {method}",
            EXTRACTION.name,
            extraction / training,
            limit(EXTRACTION, engine, case.ensemble, case.dataset),
            f"{extraction:.3f} s / {training:.3f} s, {n_rules[engine, method]} rules",
        )
