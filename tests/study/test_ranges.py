"""Ranges of numbers in a study's grid."""

import numpy as np
import pytest

from rulekit.study import Ensemble, Study, TrialSearch
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.grids import grid_of
from rulekit.study.trials import best_position


class TestRange:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"low": 2, "high": 5}, [2, 3, 4, 5]),
            ({"low": 1, "high": 100, "steps": 3}, [1, 50, 100]),
            ({"low": 1, "high": 100, "steps": 3, "log": True}, [1, 10, 100]),
            ({"low": 0.0, "high": 1, "steps": 5}, [0.0, 0.25, 0.5, 0.75, 1.0]),
            ({"low": 0.001, "high": 0.1, "steps": 3, "log": True}, [0.001, 0.01, 0.1]),
            ({"low": -1.5, "high": 1.5, "steps": 2, "log": False}, [-1.5, 1.5]),
        ],
    )
    def test_is_a_list_of_evenly_spaced_values(self, given, expected):
        found = grid_of({"a": given})["a"]
        assert found == expected
        assert {type(value) for value in found} == {type(expected[0])}

    def test_has_ten_values_and_its_ends_exactly(self):
        low, high = 1 / 3, 2 / 3
        values = grid_of({"a": {"low": low, "high": high}})["a"]
        assert (len(values), values[0], values[-1]) == (10, low, high)
        np.testing.assert_allclose(np.diff(values), 1 / 27, atol=2e-6)

    def test_may_be_of_a_component_s_parameter(self):
        written = {"final_estimator": {"strength": {"low": 1, "high": 3}}, "min_precision": [0.5]}
        assert grid_of(written) == {"final_estimator__strength": [1, 2, 3], "min_precision": [0.5]}

    def test_is_no_table_of_lists_for_parameters_of_these_names(self):
        assert grid_of({"part": {"low": [1], "high": [2]}}) == {"part__low": [1], "part__high": [2]}

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"low": 2, "high": 2}, "grid.a: low must be a number below high, got 2 and 2."),
            ({"low": 0, "high": float("inf")}, "grid.a: low must be a number below high, got 0 and inf."),
            ({"low": False, "high": 2}, "grid.a: low must be a number below high, got False and 2."),
            ({"low": 1, "high": 2, "steps": 1}, "grid.a: steps must be a whole number of at least 2, got 1."),
            ({"low": 1, "high": 2, "log": 1}, "grid.a: log must be true or false, got 1."),
            ({"low": 0, "high": 2, "log": True}, "grid.a: with log = true low must be above 0, got 0."),
            ({"low": 1, "high": 2, "step": 1}, "grid.a: a range has low, high, steps and log, got 'step'."),
        ],
    )
    def test_that_is_none_says_what_is_wrong(self, given, message):
        with pytest.raises(StudyDefinitionError) as error:
            grid_of({"a": given})
        assert str(error.value) == message

    def test_stays_in_a_study_that_is_written_and_read_again(self):
        ensemble = {"rf": {"grid": {"max_depth": {"low": 2, "high": 4}}}}
        study = Study.from_dict({"name": "a", "datasets": ["a"], "ensembles": ensemble, "variants": {"rc+": {}}})
        assert study.ensembles == (Ensemble("rf", grid={"max_depth": [2, 3, 4]}),)
        assert Study.from_dict(study.to_dict()) == study

    def test_is_a_scale_to_optuna(self):
        pytest.importorskip("optuna")
        grid = grid_of({"a": {"low": 0.0, "high": 1.0, "steps": 101}})
        tried = []

        def merits_of(positions):
            tried.extend(positions)
            return [-((grid["a"][position] - 0.3) ** 2) for position in positions]

        best = best_position(grid, TrialSearch("optuna", 30), 0, merits_of)
        assert len(tried) <= 30
        assert abs(grid["a"][best] - 0.3) <= 0.05
