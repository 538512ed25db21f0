"""How late `fit` ends with `max_seconds`: reading, indexing, the search and finishing the model together."""

import warnings
from collections.abc import Iterator
from time import perf_counter
from typing import Final

import rulekit
from benchmarks.forests import MOST_SAMPLES, Size, samples, stored_forest
from benchmarks.limits import limit
from benchmarks.measures import LATE
from benchmarks.rows import Row
from benchmarks.settings import Settings

#: The forest is trained on few samples: only the samples that the rules are extracted from matter here.
FOREST: Final = Size(20_000, n_trees=200, is_hard=True)
SIZES: Final = (200_000, MOST_SAMPLES)
MAX_SECONDS: Final = 5.0


def run(
    settings: Settings, forest: Size = FOREST, sizes: tuple[int, ...] = SIZES, max_seconds: float = MAX_SECONDS
) -> Iterator[Row]:
    """Every number of samples with every engine; the first fit, which loads the engine, does not count."""
    settings.announce(f"late: training on {forest}")
    ensemble = stored_forest(settings.cache, forest).load()
    X, y = samples(max(sizes), is_hard=True)
    model = rulekit.build("rcprob", ensemble, max_seconds=max_seconds)
    for engine in settings.engines:
        with rulekit.using_engine(engine), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X[:2_000], y[:2_000])
            for n_samples in sizes:
                settings.announce(f"late: {n_samples:,} samples, {engine}")
                start = perf_counter()
                model.fit(X[:n_samples], y[:n_samples])
                late = max(0.0, perf_counter() - start - max_seconds)
                detail = f"{len(model.history_)} trees, {len(model.ruleset_)} rules"
                bound = limit(LATE, engine) if max_seconds == MAX_SECONDS else None
                yield Row("late", engine, f"{n_samples:,} samples, {max_seconds:g} s", LATE.name, late, bound, detail)
