import numpy as np

from benchmarks import memory


def test_the_peak_is_above_what_the_work_held_at_once():
    n_rows, peak = memory.with_peak(lambda: len(np.ones((5000, 1000))))
    assert n_rows == 5000
    assert peak is None or 35e6 < peak < 80e6


def test_nothing_is_measured_where_the_system_does_not_tell(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_CLEAR", tmp_path / "nowhere" / "clear_refs")
    assert memory.with_peak(lambda: "done") == ("done", None)
