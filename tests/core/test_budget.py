"""What a search may spend, limit by limit."""

import pickle

import numpy as np
import pytest

from rulekit.core import context as module
from rulekit.core.context import Budget, BudgetSpent, SearchStep


def on_second_tree(**limits):
    budget = Budget(**limits)
    budget.begin_tree(0)
    budget.begin_tree(1)
    return budget


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    now = [100.0]
    monkeypatch.setattr(module, "perf_counter", lambda: now[0])
    return now


def test_a_spent_budget_is_named_also_after_a_process_has_passed_it_on():
    error = pickle.loads(pickle.dumps(BudgetSpent("max_seconds")))
    assert (error.budget, str(error)) == ("max_seconds", "max_seconds")


def test_time_is_over_when_it_is_reached(clock):
    budget = on_second_tree(max_seconds=5.0)
    clock[0] = 104.9
    budget.check_time()
    clock[0] = 105.0
    with pytest.raises(BudgetSpent, match=r"^max_seconds$"):
        budget.check_time()


def test_the_next_tree_does_not_begin_when_time_is_over(clock):
    budget = on_second_tree(max_seconds=5.0)
    clock[0] = 105.0
    with pytest.raises(BudgetSpent, match=r"^max_seconds$"):
        budget.begin_tree(2)


def test_the_first_tree_has_all_time_and_memory(clock):
    budget = Budget(max_seconds=5.0, max_bytes=8)
    clock[0] = 200.0
    budget.begin_tree(0)
    budget.check_time()
    budget.check_memory(1e9)


def test_work_may_fill_three_quarters_of_the_memory_beside_what_is_held():
    budget = on_second_tree(max_bytes=1000)
    budget.held_bytes = 250
    budget.check_memory(500)
    with pytest.raises(BudgetSpent, match=r"^max_memory$"):
        budget.check_memory(500.5)


@pytest.mark.parametrize(
    ("max_bytes", "bytes_each", "expected"),
    [(None, 10, 100), (80_000, 10, 100), (1600, 10, 20), (1679, 10, 20), (79, 10, 1), (0, 10, 1), (80, 0, 10)],
)
def test_a_block_takes_an_eighth_of_the_memory_at_most(max_bytes, bytes_each, expected):
    assert expected == Budget(max_bytes=max_bytes).largest_block(100, bytes_each)


def test_the_candidates_that_cover_most_stay_in_their_order():
    budget = on_second_tree(max_candidates=3)
    assert budget.most_general(np.array([1, 5, 3, 3, 9])).tolist() == [1, 2, 4]
    assert (budget.n_left_out, budget.truncated_by) == (2, ["max_candidates"])


def test_candidates_left_out_are_added_up_over_a_tree_and_forgotten_with_the_next():
    budget = on_second_tree(max_candidates=1)
    budget.most_general(np.array([1, 2, 3]))
    budget.most_general(np.array([1, 2]))
    assert (budget.n_left_out, budget.truncated_by) == (3, ["max_candidates"])
    budget.begin_tree(2)
    assert (budget.n_left_out, budget.truncated_by) == (0, [])


@pytest.mark.parametrize("n_candidates", [2, 3])
def test_as_many_candidates_as_are_allowed_stay(n_candidates):
    budget = on_second_tree(max_candidates=3)
    assert [*range(n_candidates)] == budget.most_general(np.arange(n_candidates)).tolist()
    assert (budget.n_left_out, budget.truncated_by) == (0, [])


def test_no_candidate_of_the_first_tree_is_left_out():
    budget = Budget(max_candidates=1)
    budget.begin_tree(0)
    assert budget.most_general(np.array([1, 2])).tolist() == [0, 1]


@pytest.mark.parametrize(("n_rules", "kept", "truncated_by"), [(2, 2, []), (3, 3, []), (4, 3, ["max_rules"])])
def test_the_first_rules_stay_from_the_first_tree_on(n_rules, kept, truncated_by):
    budget = Budget(max_rules=3)
    budget.begin_tree(0)
    assert ([*range(kept)], truncated_by) == (budget.first_rules(n_rules).tolist(), budget.truncated_by)


def test_a_cut_is_noted_once():
    budget = Budget()
    for name in ("max_rules", "max_candidates", "max_rules"):
        budget.note(name)
    assert budget.truncated_by == ["max_rules", "max_candidates"]


def test_a_step_that_a_budget_ended_has_no_rules_and_the_score_of_the_best():
    expected = SearchStep(
        tree=4, n_candidates=0, n_after_cover=0, n_after_simplify=0, score=0.75, accepted=False, seconds={},
        n_left_out=0, truncated_by=("interrupt",),
    )  # fmt: skip
    assert expected == SearchStep.ended_by(4, 0.75, "interrupt")
