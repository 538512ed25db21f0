"""The loop over the trees: what is kept, and when it stops."""

import attrs
import numpy as np
import pytest
from core.training_sets import random_rules, random_training_set, sets_of
from search.contexts import PARTS, context_of, rounds_of

from rulekit.core.context import Budget
from rulekit.core.interfaces import CombineStage, CoverStage, SimplifyStage
from rulekit.search.combine import Combine
from rulekit.search.cover import Cover
from rulekit.search.loop import Search
from rulekit.search.scores import MacroF1
from rulekit.search.simplify import Simplify

pytestmark = pytest.mark.usefixtures("engine")


class Recorder:
    """An observer that writes everything down."""

    def __init__(self):
        self.stages, self.steps, self.seconds = [], [], []

    def after_stage(self, stage, tree, rules, seconds):
        self.stages.append((tree, stage, len(rules)))
        self.seconds.append(seconds)

    def after_tree(self, step):
        self.steps.append(step)


class PassOn(CombineStage, CoverStage, SimplifyStage):
    """Every stage at once: the next tree's rules as they are. Counts how often it is begun."""

    def __init__(self):
        self.n_begun = 0

    def begin(self, context):
        self.n_begun += 1

    def combine(self, rules, tree_rules, context):
        return tree_rules

    def cover(self, candidates, context):
        return candidates

    def simplify(self, rules, context):
        return rules


@pytest.fixture
def setting():
    """A context and rulesets by their macro-F1, worst first."""
    drawn = random_training_set(0, n_classes=2)
    context = context_of(drawn)
    rulesets = [random_rules(drawn, context.index, seed, n_rules=3, shortest=1) for seed in range(40)]
    by_score = {MacroF1().score(rules, context): rules for rules in rulesets}
    return drawn, context, [by_score[score] for score in sorted(by_score)]


def search(combine, cover, simplify, context, observer, **options):
    """A search with macro-F1 and, unless it is asked for, without refinement."""
    options = {"refine": None, "score": MacroF1(), **options}
    return Search(combine, cover, simplify, context=context, observer=observer, **options)


def run(context, trees, stage=None):
    stage = stage or PassOn()
    recorder = Recorder()
    found = search(stage, stage, stage, context, recorder).run(rounds_of(trees))
    return found.rules, list(found.history), recorder


def test_better_rules_take_the_place_of_those_so_far(setting):
    _, context, (worse, better, *_) = setting
    rules, _, _ = run(context, [worse, better])
    assert sets_of(better, context.index.pad) == sets_of(rules, context.index.pad)


def test_worse_rules_do_not(setting):
    _, context, (worse, better, *_) = setting
    rules, _, _ = run(context, [better, worse])
    assert sets_of(better, context.index.pad) == sets_of(rules, context.index.pad)


def test_rules_that_are_only_as_good_are_not_accepted(setting):
    _, context, (rules, *_) = setting
    _, history, _ = run(context, [rules, rules])
    assert [step.accepted for step in history] == [True, False]


def test_the_first_trees_rules_are_kept_even_if_there_are_none(setting):
    _, context, (rules, *_) = setting
    nothing = rules.take(np.array([], dtype=np.int64))
    kept, history, _ = run(context, [nothing])
    assert (len(kept), history[0].accepted) == (0, True)


def test_no_rules_never_replace_rules(setting):
    _, context, (worst, *_) = setting
    nothing = worst.take(np.array([], dtype=np.int64))
    _, history, _ = run(context, [worst, nothing])
    assert not history[1].accepted


def test_each_step_says_how_good_the_trees_rules_were(setting):
    _, context, (one, other, *_) = setting
    _, history, _ = run(context, [one, other])
    assert [MacroF1().score(one, context), MacroF1().score(other, context)] == [step.score for step in history]


def test_the_search_stops_when_nothing_can_be_better():
    drawn = random_training_set(1, n_classes=2)
    drawn.y[:] = 0
    drawn.y[list(drawn.holding[0])] = 1
    context = context_of(drawn)
    perfect = random_rules(drawn, context.index, 0, n_rules=1)
    perfect = type(perfect).of(np.array([[0]]), np.array([[0.0, 1.0]]), np.array([1]), context.index, None)
    _, history, _ = run(context, [perfect, perfect, perfect])
    assert len(history) == 1


def test_stages_are_begun_once_per_search(setting):
    _, context, rulesets = setting
    stage = PassOn()
    run(context, rulesets[:3], stage)
    assert stage.n_begun == 3


def test_the_observer_is_told_every_step(setting):
    _, context, rulesets = setting
    _, history, recorder = run(context, rulesets[:3])
    assert history == recorder.steps


def test_the_first_tree_passes_through_simplify_only(setting):
    _, context, rulesets = setting
    _, _, recorder = run(context, rulesets[:2])
    expected = [(0, "simplify", 3), (1, "combine", 3), (1, "cover", 3), (1, "simplify", 3)]
    assert expected == recorder.stages


def test_the_seconds_of_each_stage_are_told_and_kept(setting, monkeypatch):
    """A clock that goes on by one second each time that somebody looks."""
    _, context, rulesets = setting
    clock = iter(range(100))
    monkeypatch.setattr("rulekit.search.loop.perf_counter", lambda: float(next(clock)))
    _, history, recorder = run(context, rulesets[:2])
    assert recorder.seconds == [1.0] * 4
    assert [step.seconds for step in history] == [
        {"simplify": 1.0},
        {"combine": 1.0, "cover": 1.0, "simplify": 1.0},
    ]


def test_a_single_rule_that_is_better_is_accepted(setting):
    drawn, context, (worst, *_) = setting
    alone = [random_rules(drawn, context.index, seed, n_rules=1, shortest=1) for seed in range(40)]
    best = max(alone, key=lambda rules: MacroF1().score(rules, context))
    _, history, _ = run(context, [worst, best])
    assert [step.accepted for step in history] == [True, True]


class NotesMemory(PassOn):
    """Writes down what is held when it is asked to combine, and what else must fit before it may choose."""

    def combine(self, rules, tree_rules, context):
        self.held = context.budget.held_bytes
        return tree_rules


def test_the_bits_of_the_rules_so_far_and_of_the_tree_are_held(setting):
    """Three rules each, of 64-bit words."""
    _, context, rulesets = setting
    stage = NotesMemory()
    run(context, rulesets[:2], stage)
    assert stage.held == (3 + 3) * 8 * context.index.n_words


def test_choosing_begins_only_if_its_memory_fits(setting):
    """What is held and what the engine takes for three candidates, beside three quarters of the memory."""
    _, context, rulesets = setting
    to_choose = context.index.engine.bytes_to_choose(np.zeros(3, dtype=np.int64))
    needed = (3 + 3) * 8 * context.index.n_words + to_choose
    for max_bytes, truncated_by in ((4 * needed // 3 + 4, ()), (4 * needed // 3 - 4, ("max_memory",))):
        limited = attrs.evolve(context, budget=Budget(max_bytes=max_bytes))
        _, history, _ = run(limited, rulesets[:2])
        assert history[-1].truncated_by == truncated_by


class Interrupted(PassOn):
    """Ctrl-C in the midst of the tree with this number."""

    def __init__(self, tree):
        super().__init__()
        self.tree, self.n_seen = tree, 0

    def simplify(self, rules, context):
        self.n_seen += 1
        if self.n_seen > self.tree:
            raise KeyboardInterrupt
        return rules


def interrupted(context, rulesets, tree, *, keeps_best):
    stage, recorder = Interrupted(tree), Recorder()
    found = search(stage, stage, stage, context, recorder, keeps_best_if_interrupted=keeps_best).run(
        rounds_of(rulesets)
    )
    return found.rules, list(found.history), recorder


def test_an_interrupt_ends_the_search_with_the_best_rules_where_that_is_asked_for(setting):
    _, context, (worse, better, other, *_) = setting
    rules, history, recorder = interrupted(context, [better, worse, other], 2, keeps_best=True)
    assert sets_of(better, context.index.pad) == sets_of(rules, context.index.pad)
    assert [(step.tree, step.accepted, step.truncated_by) for step in history] == [
        (0, True, ()),
        (1, False, ()),
        (2, False, ("interrupt",)),
    ]
    assert history[-1].score == history[0].score
    assert recorder.steps == history


@pytest.mark.parametrize(("tree", "keeps_best"), [(2, False), (0, True), (0, False)])
def test_it_passes_on_where_it_is_not_or_where_there_is_nothing_yet(setting, tree, keeps_best):
    _, context, rulesets = setting
    with pytest.raises(KeyboardInterrupt):
        interrupted(context, rulesets, tree, keeps_best=keeps_best)


class Keep(CoverStage):
    """Chooses everything and remembers it."""

    def cover(self, candidates, context):
        self.seen_ = candidates
        return candidates


def joined(drawn, context):
    """Two trees' rules, each with groups of its own, joined by a search without combine."""
    trees = [random_rules(drawn, context.index, seed, n_rules=3, groups=np.arange(3)) for seed in (1, 2)]
    cover = Keep()
    search(None, cover, None, context, Recorder()).run(rounds_of(trees))
    return trees, cover.seen_


def test_without_combine_the_rules_of_the_next_tree_join(setting):
    drawn, context, _ = setting
    trees, candidates = joined(drawn, context)
    expected = [antecedent for tree in trees for antecedent in sets_of(tree, context.index.pad)]
    assert expected == sets_of(candidates, context.index.pad)


def test_rules_that_joined_are_one_group(setting):
    """Rules of different trees overlap, whatever groups they had in their own trees."""
    drawn, context, _ = setting
    _, candidates = joined(drawn, context)
    assert {0} == set(candidates.groups.tolist())


def test_a_stage_that_is_left_out_is_not_reported(setting):
    _, context, rulesets = setting
    recorder = Recorder()
    search(None, None, None, context, recorder).run(rounds_of(rulesets[:2]))
    assert recorder.stages == []


def test_a_rule_without_conditions_is_left_to_the_default(setting):
    drawn, context, _ = setting
    all_samples = random_rules(drawn, context.index, 0, n_rules=1, longest=0)
    assert len(search(None, None, None, context, Recorder()).run(rounds_of([all_samples])).rules) == 0


@pytest.mark.parametrize("method", PARTS)
def test_what_is_returned_is_the_best_of_all_steps(method):
    drawn = random_training_set(2, n_classes=2, n_samples=120)
    context = context_of(drawn, method)
    trees = [random_rules(drawn, context.index, seed, n_rules=6, shortest=1) for seed in range(5)]
    found = search(Combine(), Cover(), Simplify(), context, Recorder()).run(rounds_of(trees))
    assert max(step.score for step in found.history if step.accepted) == MacroF1().score(found.rules, context)


@pytest.mark.parametrize("method", PARTS)
def test_a_second_search_with_the_same_stages_gives_the_same_rules(method):
    drawn = random_training_set(3, n_classes=2, n_samples=120)
    context = context_of(drawn, method)
    trees = [random_rules(drawn, context.index, seed, n_rules=6, shortest=1) for seed in range(5)]
    same = search(Combine(), Cover(), Simplify(), context, Recorder())
    first, second = (same.run(rounds_of(trees)).rules for _ in range(2))
    assert sets_of(first, context.index.pad) == sets_of(second, context.index.pad)
