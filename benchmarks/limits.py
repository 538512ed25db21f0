"""How fast is fast enough: the limit of each figure, for numba and for NumPy alone."""

from typing import Final

from benchmarks.measures import (
    BESIDE_SAMPLES,
    CATEGORIES,
    COMPILING,
    DEEP,
    EXPONENT,
    EXTRACTION,
    FILES,
    IMPORTING,
    LARGE,
    LATE,
    LOADING,
    MEMORY,
    METHODS,
    PLUGINS,
    PREDICTION,
    PRIVATE_MEMORY,
    RESIDENT,
    RULECOSI,
    SAME_RULES,
    SWAP,
    WAREHOUSE,
    WEIGHTS,
    Measure,
)

#: What stands in place of a dataset where a figure is about all of them.
GEOMETRIC_MEAN: Final = "geometric mean"
MEDIAN: Final = "median"

Limits = dict[str, float]


def _limits(numba: float, numpy: float | None = None) -> Limits:
    return {"numba": numba} if numpy is None else {"numba": numba, "numpy": numpy}


def _everywhere(limit: float) -> Limits:
    return {"numba": limit, "numpy": limit}


_BINARY = ("pima", "spambase", "htru2")
_ALL = ("pima", "vehicle", "spambase", "htru2")

#: By measure and subject: ensemble and dataset, or whatever else the measure tells apart.
LIMITS: Final[dict[tuple[str, ...], Limits]] = {
    (EXTRACTION.name, "RF", "pima"): _limits(1.5, 4),
    (EXTRACTION.name, "RF", "vehicle"): _limits(1.5, 5),
    (EXTRACTION.name, "RF", "spambase"): _limits(1.5, 5),
    (EXTRACTION.name, "RF", "htru2"): _limits(0.25, 0.7),
    (EXTRACTION.name, "GBM", "pima"): _limits(0.6, 1.5),
    **{(EXTRACTION.name, "GBM", dataset): _limits(0.2, 0.9) for dataset in _ALL if dataset != "pima"},
    (METHODS.name, MEDIAN): _everywhere(1),
    **{(RULECOSI.name, "RF", dataset): _limits(40, 15) for dataset in _ALL},
    **{(RULECOSI.name, "GBM", dataset): _limits(15, 6) for dataset in _BINARY},
    (RULECOSI.name, "RF", GEOMETRIC_MEAN): _limits(75, 30),
    (RULECOSI.name, "GBM", GEOMETRIC_MEAN): _limits(30, 10),
    (SAME_RULES.name,): _everywhere(1),
    (PLUGINS.name,): _everywhere(10),
    (PREDICTION.name,): _limits(0.2, 0.5),
    (LARGE.name,): _limits(0.06, 0.3),
    (MEMORY.name,): _limits(1000),
    (RESIDENT.name,): _everywhere(2000),
    (PRIVATE_MEMORY.name,): _everywhere(2000),
    (EXPONENT.name, "samples in files"): _everywhere(1.1),
    (SWAP.name,): _everywhere(2.5),
    (WEIGHTS.name, "samples", GEOMETRIC_MEAN): _everywhere(3),
    (WEIGHTS.name, "classes", GEOMETRIC_MEAN): _everywhere(1.1),
    (CATEGORIES.name,): _everywhere(1.5),
    # NumPy may take 2.5 times as long as numba.
    (DEEP.name,): _limits(0.8, 2),
    (MEMORY.name, "deep"): _everywhere(400),
    (EXPONENT.name, "samples"): _everywhere(1),
    (EXPONENT.name, "classes"): _everywhere(1.1),
    (EXPONENT.name, "features"): _everywhere(1.1),
    (EXPONENT.name, "many trees"): _everywhere(1.1),
    (EXPONENT.name, "trees"): _everywhere(1),
    (COMPILING.name,): _limits(20),
    (LATE.name,): _everywhere(0.5),
    (LOADING.name,): _limits(0.5),
    # No engine takes part.
    (WAREHOUSE.name,): {"": 0.3},
    (IMPORTING.name, "import rulekit"): {"": 0.5},
    (BESIDE_SAMPLES.name,): {"": 100},
    (FILES.name, "fit"): {"": 36},
    # Two more than the shortest way: regressors share how samples are read and matched, in files of their own.
    (FILES.name, "predict_proba"): {"": 9},
    (FILES.name, "whole walk"): {"": 58},
}


def limit(measure: Measure, engine: str, *subject: str) -> float | None:
    """The limit of a figure, or None if it is only reported.

    Parameters
    ----------
    measure : Measure
    engine : {"numba", "numpy"}
    *subject : str
        What the limit depends on: ensemble and dataset, or nothing.
    """
    return LIMITS.get((measure.name, *subject), {}).get(engine)
