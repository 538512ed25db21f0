"""Extraction with weights of samples or classes, held against that without."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

import rulekit
from benchmarks.cases import Case, cases
from benchmarks.engines import using
from benchmarks.limits import GEOMETRIC_MEAN, limit
from benchmarks.measures import WEIGHTS
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import geometric_mean, side_by_side

METHODS: Final = ("rc+", "rcprob")
#: A trifle apart, so that the rules, and with them the work, stay nearly the same.
NEARLY_EQUAL: Final = 1e-6


def run(settings: Settings) -> Iterator[Row]:
    """Ratios for every dataset, ensemble, method and engine, and their geometric means."""
    ratios: dict[tuple[str, str], list[float]] = {}
    for case in cases(settings):
        for method in METHODS:
            settings.announce(f"{case} {method}: with weights and without")
            for engine in settings.engines:
                seconds = _seconds(case, method, engine, settings.repeats)
                for kind in ("samples", "classes"):
                    ratio = seconds[kind] / seconds["none"]
                    ratios.setdefault((kind, engine), []).append(ratio)
                    note = f"{seconds[kind]:.3f} s / {seconds['none']:.3f} s"
                    yield Row("weights", engine, f"{case} {method} {kind}", WEIGHTS.name, ratio, None, note)
    for (kind, engine), values in ratios.items():
        allowed = limit(WEIGHTS, engine, kind, GEOMETRIC_MEAN)
        yield Row("weights", engine, f"{GEOMETRIC_MEAN} {kind}", WEIGHTS.name, geometric_mean(values), allowed, "")


def _seconds(case: Case, method: str, engine: str, repeats: int) -> dict[str, float]:
    model, y = rulekit.build(method, case.model), np.asarray(case.y)
    of_class = {label: 1 + NEARLY_EQUAL * row for row, label in enumerate(np.unique(y).tolist(), 1)}
    by_class = rulekit.build(method, case.model, class_weight=of_class)
    weights = np.random.default_rng(0).uniform(0.9, 1.1, len(y))
    works: dict[str, Any] = {
        "none": lambda: model.fit(case.X, y),
        "samples": lambda: model.fit(case.X, y, sample_weight=weights),
        "classes": lambda: by_class.fit(case.X, y),
    }
    with using(engine):
        return side_by_side(works, repeats, is_cpu=True)
