"""Observers: which hooks are called, when and how often."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.core.context import SearchStep
from rulekit.core.errors import IncompatiblePluginError
from rulekit.core.interfaces import CoverStage
from rulekit.core.rules import Rules
from rulekit.plugin.manager import plugins

N_TREES = 4
Data = tuple[np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def data() -> Data:
    """No tree of depth 3 separates the classes, so the search visits every tree."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 3))
    return X, (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * generator.normal(size=200) > 0).astype(int)


@pytest.fixture(scope="module")
def forest(data: Data) -> RandomForestClassifier:
    return RandomForestClassifier(N_TREES, max_depth=3, random_state=0).fit(*data)


class Recorder:
    """Writes down every call."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    @rulekit.hookimpl
    def rulekit_search_started(self, extractor, n_trees):
        self.calls.append(("started", extractor, n_trees))

    @rulekit.hookimpl
    def rulekit_after_stage(self, stage, tree, rules, seconds):
        self.calls.append(("stage", stage, tree, rules, seconds))

    @rulekit.hookimpl
    def rulekit_after_tree(self, step):
        self.calls.append(("tree", step))

    @rulekit.hookimpl
    def rulekit_search_finished(self, extractor):
        self.calls.append(("finished", extractor))

    def of(self, what: str) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self.calls if call[0] == what]


class Failing(CoverStage):
    """Fails at the first tree that it sees."""

    def cover(self, candidates, context):
        raise ZeroDivisionError("as it should")


@pytest.fixture
def watched(data: Data, forest: RandomForestClassifier) -> tuple[Recorder, rulekit.RuleExtractor]:
    recorder = Recorder()
    model = rulekit.build("rcprob", forest)
    with rulekit.observe(recorder):
        model.fit(*data)
    return recorder, model


class TestCalls:
    def test_the_search_starts_once(self, watched):
        recorder, model = watched
        assert recorder.of("started") == [(model, N_TREES)]

    def test_the_search_finishes_once(self, watched):
        recorder, model = watched
        assert recorder.of("finished") == [(model,)]

    def test_each_stage_is_told_once_per_tree(self, watched):
        expected = [("simplify", 0)]
        expected += [(stage, tree) for tree in range(1, N_TREES) for stage in ("combine", "cover", "simplify")]
        assert [call[:2] for call in watched[0].of("stage")] == expected

    def test_each_tree_is_told_once(self, watched):
        assert [step.tree for (step,) in watched[0].of("tree")] == list(range(N_TREES))

    def test_a_tree_is_told_with_its_entry_of_the_history(self, watched):
        recorder, model = watched
        assert [step for (step,) in recorder.of("tree")] == model.history_

    def test_a_stage_is_told_with_its_rules(self, watched):
        assert {type(call[2]) for call in watched[0].of("stage")} == {Rules}

    def test_the_rules_of_a_stage_are_as_many_as_the_history_says(self, watched):
        recorder, model = watched
        simplified = [len(rules) for stage, _, rules, _ in recorder.of("stage") if stage == "simplify"]
        assert simplified == [step.n_after_simplify for step in model.history_]

    def test_a_stage_is_told_with_its_seconds(self, watched):
        recorder, model = watched
        reported = [seconds for stage, _, _, seconds in recorder.of("stage") if stage == "combine"]
        assert reported == [step.seconds["combine"] for step in model.history_[1:]]

    def test_the_calls_come_in_order(self, watched):
        first = ["started", "stage", "tree"]
        others = ["stage", "stage", "stage", "tree"] * (N_TREES - 1)
        assert [call[0] for call in watched[0].calls] == [*first, *others, "finished"]

    @pytest.mark.filterwarnings("ignore::rulekit.core.errors.ClassWithoutRuleWarning")  # of two trees
    def test_rounds_are_told_in_multiclass_boosting(self, data):
        X, _ = data
        recorder = Recorder()
        with rulekit.observe(recorder):
            boosting = GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=0)
            rulekit.build("rcprob", boosting).fit(X, np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3]))
        assert recorder.of("started")[0][1] == 2

    def test_every_fit_inside_the_block_is_told(self, data, forest):
        recorder = Recorder()
        with rulekit.observe(recorder):
            for name in ("rc+", "rcprob"):
                rulekit.build(name, forest).fit(*data)
        assert len(recorder.of("finished")) == 2

    def test_watching_changes_no_rule(self, watched, data, forest):
        assert rulekit.build("rcprob", forest).fit(*data).ruleset_ == watched[1].ruleset_


class TestFailures:
    @pytest.fixture
    def failed(self, data: Data, forest: RandomForestClassifier) -> Recorder:
        recorder = Recorder()
        with rulekit.observe(recorder), pytest.raises(ZeroDivisionError, match="as it should"):
            rulekit.build("rcprob", forest, cover=Failing()).fit(*data)
        return recorder

    def test_the_end_is_told_after_a_failure(self, failed):
        assert len(failed.of("finished")) == 1

    def test_the_stage_that_failed_is_not_told(self, failed):
        assert [call[:2] for call in failed.of("stage")] == [("simplify", 0), ("combine", 1)]

    def test_the_tree_that_failed_is_not_told(self, failed):
        assert [step.tree for (step,) in failed.of("tree")] == [0]


class TestTheBlock:
    def test_nothing_is_told_after_it(self, data, forest):
        recorder = Recorder()
        with rulekit.observe(recorder):
            pass
        rulekit.build("rcprob", forest).fit(*data)
        assert recorder.calls == []

    def test_nothing_is_told_after_it_failed(self, data, forest):
        recorder = Recorder()
        with pytest.raises(KeyError), rulekit.observe(recorder):
            raise KeyError("somewhere else")
        rulekit.build("rcprob", forest).fit(*data)
        assert recorder.calls == []

    def test_several_observers_are_all_told(self, data, forest):
        one, other = Recorder(), Recorder()
        with rulekit.observe(one), rulekit.observe(other):
            rulekit.build("rcprob", forest).fit(*data)
        assert [call[0] for call in one.calls] == [call[0] for call in other.calls]

    def test_an_observer_may_be_used_again(self, data, forest):
        recorder = Recorder()
        for _ in range(2):
            with rulekit.observe(recorder):
                rulekit.build("rcprob", forest).fit(*data)
        assert len(recorder.of("finished")) == 2

    def test_an_observer_may_take_only_the_hooks_it_wants(self, data, forest):
        class Counter:
            trees = 0

            @rulekit.hookimpl
            def rulekit_after_tree(self):
                self.trees += 1

        counter = Counter()
        with rulekit.observe(counter):
            rulekit.build("rcprob", forest).fit(*data)
        assert counter.trees == N_TREES


@dataclass
class Steps:
    """A data class: it compares by value, so Python gives it no hash."""

    steps: list[SearchStep] = field(default_factory=list)

    @rulekit.hookimpl
    def rulekit_after_tree(self, step):
        self.steps.append(step)


class TestDataClasses:
    @pytest.fixture
    def steps(self):
        steps = Steps()
        yield steps
        manager = plugins()._manager
        if manager.is_registered(steps):  # else it would break every later `observe` of this process
            manager.unregister(steps)

    def test_an_observer_may_be_a_data_class(self, steps, data, forest):
        """It has no hash: `observe` raised a TypeError, left it registered, and could not be used any more."""
        with rulekit.observe(steps):
            rulekit.build("rcprob", forest).fit(*data)
        assert len(steps.steps) == N_TREES


class TestIncompatibleObservers:
    def test_a_wrong_argument_is_named(self):
        class Wrong:
            @rulekit.hookimpl
            def rulekit_after_tree(self, leaf):
                """The hook has no such argument."""

        message = r"(?s)is not compatible with this version of rulekit: .*'leaf'"
        with (
            pytest.raises(IncompatiblePluginError, match=message),
            rulekit.observe(Wrong()),
        ):
            pass

    def test_an_unknown_hook_is_named(self):
        class Wrong:
            @rulekit.hookimpl
            def rulekit_after_leaf(self):
                """There is no such hook."""

        with pytest.raises(IncompatiblePluginError, match="rulekit_after_leaf"), rulekit.observe(Wrong()):
            pass

    @pytest.mark.parametrize("hook", ["rulekit_after_leaf", "rulekit_after_tree"])
    def test_one_leaves_no_trace(self, hook, data, forest):
        class Wrong:
            """Has a hook that does not exist, or one with an argument that does not exist."""

        def implementation(self, leaf):
            raise AssertionError("must not be called")

        setattr(Wrong, hook, rulekit.hookimpl(implementation))
        with pytest.raises(IncompatiblePluginError), rulekit.observe(Wrong()):
            pass
        with rulekit.observe(Recorder()):
            assert rulekit.build("rcprob", forest).fit(*data).ruleset_

    def test_an_object_without_a_single_hook_is_rejected(self):
        """Without `@rulekit.hookimpl` on its methods an observer was accepted and never called."""

        class Forgotten:
            def rulekit_after_tree(self, step):
                """Lacks the decorator."""

        with pytest.raises(IncompatiblePluginError, match=re.escape("rulekit.hookimpl")), rulekit.observe(Forgotten()):
            pass
