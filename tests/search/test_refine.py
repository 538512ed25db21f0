"""The refine stage: what it is handed after the loop, and what becomes of its list."""

import attrs
import numpy as np
import pytest
from core.training_sets import random_rules, random_training_set, sets_of
from search.contexts import context_of, rounds_of
from search.test_loop import PassOn, Recorder, search

from rulekit.core.context import Budget, BudgetSpent
from rulekit.core.interfaces import RefineStage
from rulekit.core.rules import Refined, concatenate
from rulekit.search.scores import MacroF1

pytestmark = pytest.mark.usefixtures("engine")


class Records(RefineStage):
    """Writes down what it is given, and returns the rules of the loop in reverse order."""

    def __init__(self):
        self.events = []

    def begin(self, context):
        self.events.append("begin")

    def refine(self, rules, pool, context):
        self.events.append("refine")
        self.rules, self.pool, self.context = rules, pool, context
        return rules.take(np.arange(len(rules))[::-1])


class Raises(Records):
    """Is interrupted, or has spent a budget."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def refine(self, rules, pool, context):
        raise self.error


@pytest.fixture
def setting():
    """A context and rulesets of three rules by their macro-F1, worst first."""
    drawn = random_training_set(0, n_classes=2)
    context = context_of(drawn)
    rulesets = [random_rules(drawn, context.index, seed, n_rules=3, shortest=1) for seed in range(40)]
    by_score = {MacroF1().score(rules, context): rules for rules in rulesets}
    return context, [by_score[score] for score in sorted(by_score)]


def refined(context, trees, stage, **options):
    """What the loop has found, the refined result, and what the observer received."""
    recorder, passed_on = Recorder(), PassOn()
    made = search(passed_on, passed_on, passed_on, context, recorder, refine=stage, **options)
    found = made.run(rounds_of(trees))
    return found, made.refined(found), recorder


def antecedents(rules, context):
    return sets_of(rules, context.index.pad)


def alive(rules, context):
    """The rules that are the first to cover some sample, one by one."""
    left, rows = set(range(context.index.n_samples)), []
    for row, bits in enumerate(rules.bits):
        covered = set(np.flatnonzero(context.index.samples(bits)).tolist())
        rows += [row] if covered & left else []
        left -= covered
    return rules.take(np.array(rows, dtype=np.int64))


def test_the_pool_holds_every_ruleset_in_the_order_of_the_trees_accepted_or_not(setting):
    context, (worst, worse, better, *_) = setting
    stage = Records()
    trees = [worse, worst, better]
    found, _, _ = refined(context, trees, stage)
    assert [step.accepted for step in found.history] == [True, False, True]
    assert [antecedents(rules, context) for rules in trees] == [antecedents(rules, context) for rules in stage.pool]


def test_the_list_that_it_gets_is_the_best_of_the_loop(setting):
    context, (worse, better, *_) = setting
    stage = Records()
    refined(context, [better, worse], stage)
    assert antecedents(better, context) == antecedents(stage.rules, context)


def test_its_list_takes_the_place_of_the_loops(setting):
    context, (_, better, *_) = setting
    _, after, _ = refined(context, [better], Records())
    assert antecedents(better, context)[::-1] == antecedents(after.rules, context)


def test_without_a_refine_stage_no_pool_is_kept_and_nothing_changes(setting):
    context, (worse, better, *_) = setting
    found, after, _ = refined(context, [worse, better], None)
    assert found is after
    assert found.pool == ()


def test_it_is_begun_before_the_first_tree_and_asked_once_after_the_last(setting):
    context, rulesets = setting
    stage = Records()
    refined(context, rulesets[:3], stage)
    assert stage.events == ["begin", "refine"]
    assert stage.context is context


def test_the_history_ends_with_its_step_and_the_observer_is_told_of_the_stage(setting, monkeypatch):
    """A clock that goes on by one second each time that somebody looks."""
    context, rulesets = setting
    clock = iter(range(100))
    monkeypatch.setattr("rulekit.search.loop.perf_counter", lambda: float(next(clock)))
    found, after, recorder = refined(context, rulesets[:2], Records())
    assert after.history[:-1] == found.history
    last = after.history[-1]
    assert (last.tree, last.n_candidates, last.n_after_cover, last.n_after_simplify) == (
        2,
        sum(len(rules) for rules in rulesets[:2]),
        len(found.rules),
        len(after.rules),
    )
    assert last.is_refinement
    assert last.score == MacroF1().score(after.rules, context)
    assert not any(step.is_refinement for step in found.history)
    assert (recorder.stages[-1], recorder.seconds[-1]) == ((1, "refine", 3), 1.0)
    assert recorder.steps == list(after.history)


def test_what_it_tells_besides_its_rules_is_kept(setting):
    context, rulesets = setting

    class Tells(Records):
        def refine(self, rules, pool, context):
            return Refined(rules, path=(rules.take(np.array([0])),), report={"n_moves": 3})

    _, after, _ = refined(context, rulesets[:1], Tells())
    assert after.history[-1].report == {"n_moves": 3}
    assert [len(rules) for rules in after.path] == [1]


def test_the_loop_leaves_max_rules_to_it(setting):
    context, rulesets = setting
    limited = attrs.evolve(context, budget=Budget(max_rules=1))
    stage = Records()
    refined(limited, [rulesets[-1]], stage)
    assert len(stage.rules) == len(rulesets[-1]) > 1


def test_at_most_max_rules_are_kept_and_the_history_says_so(setting):
    context, rulesets = setting
    limited = attrs.evolve(context, budget=Budget(max_rules=2))
    one = rulesets[-1].take(np.array([0]))

    class More(Records):
        """Returns more rules than the loop has found."""

        def refine(self, rules, pool, context):
            return rulesets[-1]

    _, after, recorder = refined(limited, [one], More())
    assert antecedents(rulesets[-1], context)[:2] == antecedents(after.rules, context)
    assert [(step.tree, step.truncated_by) for step in after.history] == [(0, ()), (1, ("max_rules",))]
    assert recorder.stages[-1] == (0, "refine", 2)
    assert recorder.steps == list(after.history)


@pytest.mark.parametrize("budget", ["max_seconds", "max_memory"])
def test_a_budget_that_ends_in_it_leaves_the_rules_of_the_loop(setting, budget):
    context, (worse, better, *_) = setting
    _, after, recorder = refined(context, [worse, better], Raises(BudgetSpent(budget)))
    assert antecedents(alive(better, context), context) == antecedents(after.rules, context)
    assert [(step.tree, step.accepted, step.truncated_by) for step in after.history] == [
        (0, True, ()),
        (1, True, ()),
        (2, False, (budget,)),
    ]
    assert recorder.steps == list(after.history)


def test_it_is_asked_even_if_a_budget_ended_the_loop(setting):
    context, rulesets = setting
    limited = attrs.evolve(context, budget=Budget(max_seconds=0.0))
    stage = Records()
    found, after, _ = refined(limited, rulesets[:3], stage)
    assert found.history[-1].truncated_by == ("max_seconds",)
    assert len(stage.pool) == 1
    assert antecedents(found.rules, context)[::-1] == antecedents(after.rules, context)


def test_an_interrupt_leaves_the_rules_of_the_loop_where_that_is_asked_for(setting):
    context, (worse, better, *_) = setting
    _, after, _ = refined(context, [worse, better], Raises(KeyboardInterrupt()), keeps_best_if_interrupted=True)
    assert antecedents(alive(better, context), context) == antecedents(after.rules, context)
    assert after.history[-1].truncated_by == ("interrupt",)


@pytest.mark.parametrize("max_rules", [None, 1, 2])
@pytest.mark.parametrize("error", [BudgetSpent("max_seconds"), KeyboardInterrupt()])
def test_rules_that_answer_nothing_are_dropped_before_the_limit_if_it_does_not_finish(setting, error, max_rules):
    context, rulesets = setting
    limited = attrs.evolve(context, budget=Budget(max_rules=max_rules))
    doubled = concatenate([rulesets[-1], rulesets[-2], rulesets[-1]], context.index.pad)
    kept = alive(doubled, context)
    assert len(kept) < len(doubled)
    _, after, _ = refined(limited, [doubled], Raises(error), keeps_best_if_interrupted=True)
    assert antecedents(kept, context)[:max_rules] == antecedents(after.rules, context)


def test_it_passes_on_where_it_is_not(setting):
    context, rulesets = setting
    with pytest.raises(KeyboardInterrupt):
        refined(context, rulesets[:2], Raises(KeyboardInterrupt()))


def test_a_rule_without_conditions_is_left_to_the_default(setting):
    context, rulesets = setting

    class Everything(Records):
        def refine(self, rules, pool, context):
            without = np.full_like(rules.conditions, context.index.pad)
            return type(rules).of(without, rules.priors, rules.classes, context.index, None)

    _, after, _ = refined(context, rulesets[:1], Everything())
    assert len(after.rules) == 0
