import pytest

from benchmarks.cases import DATASETS, ENSEMBLES
from benchmarks.limits import GEOMETRIC_MEAN, LIMITS, MEDIAN, limit
from benchmarks.measures import (
    BESIDE_SAMPLES,
    EXPONENT,
    EXTRACTION,
    IMPORTING,
    LARGE,
    MEASURES,
    MEMORY,
    METHODS,
    RESIDENT,
    RULECOSI,
    SWAP,
)


@pytest.mark.parametrize(
    ("measure", "engine", "subject", "expected"),
    [
        (EXTRACTION, "numba", ("RF", "htru2"), 0.25),
        (EXTRACTION, "numpy", ("RF", "htru2"), 0.7),
        (EXTRACTION, "numba", ("GBM", "vehicle"), 0.2),
        (EXTRACTION, "numpy", ("GBM", "pima"), 1.5),
        (RULECOSI, "numba", ("RF", GEOMETRIC_MEAN), 75),
        (RULECOSI, "numpy", ("GBM", "spambase"), 6),
        (METHODS, "numpy", (MEDIAN,), 1),
        (LARGE, "numba", (), 0.06),
        (MEMORY, "numba", (), 1000),
        (SWAP, "numpy", (), 2.5),
        (EXPONENT, "numba", ("samples",), 1),
        (IMPORTING, "", ("import rulekit",), 0.5),
        (RESIDENT, "numpy", (), 2000),
        (BESIDE_SAMPLES, "", (), 100),
    ],
)
def test_a_limit_is_looked_up_by_measure_engine_and_subject(measure, engine, subject, expected):
    assert limit(measure, engine, *subject) == expected


@pytest.mark.parametrize(
    ("measure", "engine", "subject"),
    [
        (EXTRACTION, "numba", ("RF", "heart")),
        (RULECOSI, "numba", ("GBM", "vehicle")),
        (MEMORY, "numpy", ()),
        (EXPONENT, "numba", ("depth",)),
    ],
)
def test_what_is_only_reported_has_no_limit(measure, engine, subject):
    assert limit(measure, engine, *subject) is None


def test_every_case_of_extraction_has_one():
    subjects = {(ensemble, dataset) for ensemble in ENSEMBLES for dataset in DATASETS}
    assert {key[1:] for key in LIMITS if key[0] == EXTRACTION.name} == subjects


def test_every_limit_is_about_a_measure():
    assert {key[0] for key in LIMITS} <= set(MEASURES)
