import pytest

from benchmarks.measures import EXTRACTION, MEASURES, RULECOSI
from benchmarks.rows import Row


def row(measure, value, limit):
    return Row("training", "numpy", "pima RF", measure, value, limit)


@pytest.mark.parametrize(
    ("measure", "value", "limit", "expected"),
    [
        (EXTRACTION.name, 2.4, 2.5, True),
        (EXTRACTION.name, 2.5, 2.5, True),
        (EXTRACTION.name, 2.6, 2.5, False),
        (RULECOSI.name, 41.0, 40, True),
        (RULECOSI.name, 39.0, 40, False),
        (RULECOSI.name, None, 40, None),
        (RULECOSI.name, 39.0, None, None),
    ],
)
def test_a_limit_is_met_in_the_direction_of_its_measure(measure, value, limit, expected):
    assert row(measure, value, limit).is_met is expected


def test_every_measure_has_a_name_of_its_own():
    assert [name for name, measure in MEASURES.items() if measure.name != name] == []
