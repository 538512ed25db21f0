"""The benchmarks by name: each takes the settings and yields rows."""

from collections.abc import Callable, Iterator
from typing import Final

from benchmarks.rows import Row
from benchmarks.runs import (
    beyond,
    blocks,
    categories,
    compilation,
    deep,
    growth,
    importing,
    large,
    late,
    methods,
    peers,
    predict,
    swap,
    training,
    units,
    walk,
    warehouse,
    weights,
)
from benchmarks.settings import Settings

BENCHMARKS: Final[dict[str, Callable[[Settings], Iterator[Row]]]] = {
    "training": training.run,
    "predict": predict.run,
    "warehouse": warehouse.run,
    "swap": swap.run,
    "methods": methods.run,
    "peers": peers.run,
    "large": large.run,
    "categories": categories.run,
    "deep": deep.run,
    "late": late.run,
    "blocks": blocks.run,
    "growth": growth.run,
    "beyond": beyond.run,
    "units": units.run,
    "compile": compilation.run,
    "import": importing.run,
    "walk": walk.run,
    "weights": weights.run,
}
#: Those that run unless others are asked for: a few minutes in all.
QUICK: Final = ("training", "predict", "swap")
#: Those that read the datasets; the others make samples up.
ON_DATASETS: Final = frozenset({"training", "swap", "methods", "peers", "weights"})
