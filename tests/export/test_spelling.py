"""Names that do not collide."""

from rulekit.export.spelling import Names


def test_a_name_that_is_taken_in_any_case_gets_a_number_that_is_free():
    names = Names(["Class", "class_2"])
    assert [names.new(name) for name in ("class", "CLASS", "rule", "class_3")] == [
        "class_3",
        "CLASS_4",
        "rule",
        "class_3_2",
    ]


def test_many_names_that_collide_take_no_time():
    """Counted from the start for each, they would take minutes."""
    names = Names()
    assert len({names.new("p_a") for _ in range(50_000)}) == 50_000
