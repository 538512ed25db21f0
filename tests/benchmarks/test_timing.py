from benchmarks.timing import side_by_side


def test_pieces_of_work_take_turns_after_one_run_of_each_that_does_not_count():
    calls = []
    seconds = side_by_side({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repeats=2)
    assert calls == ["a", "b", "a", "b", "a", "b"]
    assert list(seconds) == ["a", "b"]
