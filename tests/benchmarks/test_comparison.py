import pytest

from benchmarks.comparison import compare
from benchmarks.measures import EXTRACTION, N_RULES, RULECOSI
from benchmarks.rows import Row


def row(value, case="pima RF rc+", measure=EXTRACTION.name, benchmark="training"):
    return Row(benchmark, "numpy", case, measure, value)


def only_change(old, new, tolerance=0.2):
    (change,) = compare([old], [new], tolerance).changes
    return change


@pytest.mark.parametrize(
    ("measure", "old", "new", "expected"),
    [
        (EXTRACTION.name, 1.0, 1.3, "worse"),
        (EXTRACTION.name, 1.3, 1.0, "better"),
        (EXTRACTION.name, 1.0, 1.15, "same"),
        (RULECOSI.name, 60.0, 40.0, "worse"),
        (RULECOSI.name, 40.0, 60.0, "better"),
        (RULECOSI.name, 40.0, 0.0, "worse"),
        (N_RULES.name, 10, 100, "same"),
    ],
)
def test_a_change_beyond_the_tolerance_is_flagged_in_its_direction(measure, old, new, expected):
    assert only_change(row(old, measure=measure), row(new, measure=measure)).verdict == expected


def test_the_tolerance_decides():
    assert only_change(row(1.0), row(1.15), tolerance=0.1).verdict == "worse"


def test_the_ratio_is_old_over_new():
    assert only_change(row(3.0), row(1.5)).ratio == 2.0


def test_rows_are_matched_by_what_they_are_about_in_any_order():
    old = [row(1.0, "a"), row(2.0, "b")]
    changes = compare(old, [row(2.0, "b"), row(5.0, "a")], 0.2).changes
    assert [(change.new.case, change.verdict) for change in changes] == [("b", "same"), ("a", "worse")]


def test_rows_of_one_run_only_are_told_apart():
    comparison = compare([row(1.0, "gone"), row(1.0)], [row(1.0), row(1.0, "new")], 0.2)
    assert [each.case for each in comparison.only_old] == ["gone"]
    assert [each.case for each in comparison.only_new] == ["new"]


def test_benchmarks_that_did_not_run_again_and_rows_without_value_are_left_out():
    comparison = compare([row(1.0, benchmark="swap"), row(None)], [row(1.0)], 0.2)
    assert (comparison.changes, comparison.only_old) == ((), ())


def test_what_got_worse_is_counted():
    old, new = [row(1.0, "a"), row(1.0, "b")], [row(2.0, "a"), row(1.0, "b")]
    assert compare(old, new, 0.2).n_worse == 1
