"""Lives of an extractor: parameters set, fits that work, fail and are interrupted, copies, and questions in between."""

import pickle
import random
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, get_state_machine_test, initialize, invariant, precondition, rule
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rulekit

from .asking import tables_for
from .drawn import Drawn
from .interrupting import Presses
from .labels import labels
from .options import RIGHT, WRONG, WRONG_ENSEMBLES, ensembles
from .outcome import check_answer, check_ruleset, documented_warnings, refused_or_result
from .running import Check
from .structured import N_BYTES, QUIETLY
from .tables import forms_of, grid, wrong_tables

N_STEPS = 20
NAMES = ["age", "∑", "'; DROP"]
#: Budgets that some searches exceed before their first tree, which is an error of its own.
TIGHT: dict[str, tuple[Any, ...]] = {"max_memory": ("1kB", "100kB")}
RIGHT_SETTINGS = [(name, value) for table in (RIGHT, TIGHT) for name, values in table.items() for value in values]
WRONG_SETTINGS = [
    *((name, value) for name, values in WRONG.items() if "no_such" not in name for value in values),
    *(("ensemble", value) for value in WRONG_ENSEMBLES),
]
MOMENTS = [("started", 0), ("combine", 0), ("simplify", 1), ("tree", 0), ("tree", 1), ("finished", 0)]


@attrs.frozen(eq=False)
class Lesson:
    """What is passed to `fit`."""

    table: Drawn
    labels: Drawn
    plain: np.ndarray
    names: list[str] | None

    @property
    def is_wrong(self) -> bool | None:
        """Whether it must be refused; None if it may be."""
        parts = (self.table.is_wrong, self.labels.is_wrong)
        return True if True in parts else None if None in parts else False


@attrs.frozen(eq=False)
class Learnt:
    """What the last `fit` that succeeded left behind."""

    ruleset: rulekit.RuleSet
    attributes: frozenset[str]
    names: list[str] | None
    n_columns: int


@st.composite
def lessons(draw: st.DrawFn) -> Lesson:
    """A small table with labels; in every fifth, one of them is wrong."""
    n_samples, n_columns = draw(st.integers(4, 16)), draw(st.integers(1, len(NAMES)))
    names = draw(st.sampled_from([None, NAMES[:n_columns]]))
    wrong = draw(st.sampled_from([*[""] * 8, "table", "labels"]))
    plain = grid(draw, n_samples, n_columns, is_whole=True, has_missing=False)
    table = draw(wrong_tables(plain) if wrong == "table" else forms_of(plain, names, is_whole=True))
    return Lesson(table, draw(labels(n_samples, is_wrong=wrong == "labels")), plain, names)


class Life(RuleBasedStateMachine):
    """An extractor that much is done to; what it answers is always that of its last `fit` that succeeded."""

    #: What happened in the last life that was lived.
    story: list[str]

    def __init__(self) -> None:
        super().__init__()
        Life.story = []
        self.learnt: Learnt | None = None
        self.wrong: set[str] = set()

    @initialize(method=st.sampled_from(["rc+", "rcprob"]), ensemble=ensembles(is_wrong=False))
    def begin(self, method: str, ensemble: Drawn) -> None:
        self._tell(f"build {method} from {ensemble}")
        self.model = rulekit.build(method, ensemble.value)

    @rule(setting=st.sampled_from(RIGHT_SETTINGS))
    def set_right(self, setting: tuple[str, Any]) -> None:
        self._set(*setting)
        self.wrong.discard(setting[0])

    @rule(ensemble=ensembles(is_wrong=False))
    def set_ensemble(self, ensemble: Drawn) -> None:
        self._set("ensemble", ensemble.value)
        self.wrong.discard("ensemble")

    @precondition(lambda self: not self.wrong)
    @rule(setting=st.sampled_from(WRONG_SETTINGS))
    def set_wrong(self, setting: tuple[str, Any]) -> None:
        """Nothing is checked before `fit`, and nothing that is learnt is lost."""
        self._set(*setting)
        self.wrong.add(setting[0])

    @precondition(lambda self: self.wrong)
    @rule()
    def mend(self) -> None:
        for name in sorted(self.wrong):
            self._set(name, RIGHT.get(name, (None,))[0])
        self.wrong.clear()

    @precondition(lambda self: self.learnt is None)
    @rule()
    def set_unknown(self) -> None:
        self._tell("set what there is not")
        before = dict(vars(self.model))
        with pytest.raises(ValueError, match="no_such_parameter"):
            self.model.set_params(no_such_parameter=1)
        assert vars(self.model) == before

    @rule(lesson=lessons(), data=st.data())
    def fit(self, lesson: Lesson, data: st.DataObject) -> None:
        self._tell(f"fit {lesson.table} and {lesson.labels}")
        self._fit(lesson)
        if self.learnt is not None:
            self.ask(data)

    @rule(lesson=lessons(), moment=st.sampled_from(MOMENTS))
    def fit_interrupted(self, lesson: Lesson, moment: tuple[str, int]) -> None:
        self._tell(f"fit {lesson.table} and {lesson.labels}, interrupted at {moment}")
        with rulekit.observe(Presses(*moment)):
            self._fit(lesson)

    @rule(goes_on=st.sampled_from([False, False, True]))
    def copy(self, goes_on: bool) -> None:
        """A clone has learnt nothing; sometimes life goes on with it."""
        self._tell(f"clone{' and go on with it' if goes_on else ''}")
        copied = clone(self.model)
        assert not list(filter(_is_learnt, vars(copied)))
        if goes_on:
            self.model, self.learnt = copied, None

    @rule()
    def keep(self) -> None:
        self._tell("pickle")
        self.model = pickle.loads(pickle.dumps(self.model))

    @precondition(lambda self: self.learnt is None)
    @rule()
    def ask_too_early(self) -> None:
        self._tell("ask before anything was learnt")
        with pytest.raises(NotFittedError):
            self.model.predict_proba(np.zeros((1, 1)))

    @precondition(lambda self: self.learnt is not None)
    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        """What is answered is what a slow reading of the last rules says, whatever was set since."""
        n_columns, names = self.learnt.n_columns, self.learnt.names
        table, plain = data.draw(tables_for(n_columns, names, is_whole=False, has_missing=False))
        self._tell(f"ask {table}: {plain.tolist()}")
        with documented_warnings():
            predicted = refused_or_result(lambda: self.model.predict_proba(table.value), table)
            if predicted is not None:
                check_answer(self.model, table.value, plain, predicted)

    @invariant()
    def is_whole(self) -> None:
        """Either nothing is learnt, or everything of the last `fit` that succeeded."""
        found = {name for name in vars(self.model) if _is_learnt(name)}
        assert found == (set() if self.learnt is None else self.learnt.attributes)
        if self.learnt is not None:
            assert self.model.ruleset_ == self.learnt.ruleset

    def _tell(self, step: str) -> None:
        Life.story.append(step)

    def _set(self, name: str, value: Any) -> None:
        self._tell(f"set {name}={value!r}")
        self.model.set_params(**{name: value})

    def _fit(self, lesson: Lesson) -> None:
        """Fit, and note what was learnt; what fails leaves everything as it was."""
        model, before, parameters = self.model, dict(vars(self.model)), self.model.get_params(deep=False)
        is_wrong = True if self.wrong else lesson.is_wrong
        if is_wrong is False and model.max_memory in TIGHT["max_memory"]:
            is_wrong = None
        try:
            with documented_warnings():
                fitted = refused_or_result(
                    lambda: model.fit(lesson.table.value, lesson.labels.value), Drawn(None, str(lesson), is_wrong)
                )
        except KeyboardInterrupt:
            fitted = None
        if fitted is None:
            assert vars(model) == before
            return
        # Values that `fit` was given are never rewritten.
        assert all(value is parameters[name] for name, value in model.get_params(deep=False).items())
        check_ruleset(model.ruleset_, lesson.plain, lesson.labels.value)
        assert model.max_rules is None or len(model.ruleset_) - 1 <= model.max_rules
        self.learnt = Learnt(
            rulekit.RuleSet.from_dict(model.ruleset_.to_dict()),
            frozenset(filter(_is_learnt, vars(model))),
            lesson.names,
            lesson.plain.shape[1],
        )


def _is_learnt(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def lives() -> Check:
    """A check of one life; a failure tells all of it."""
    test = get_state_machine_test(Life, settings=settings(QUIETLY, stateful_step_count=N_STEPS))
    live = test.hypothesis.fuzz_one_input

    def check(rng: random.Random) -> str | None:
        try:
            kept = live(rng.randbytes(N_BYTES))
        except BaseException as error:
            error.add_note("\n".join(Life.story))
            raise
        return None if kept is None else "lived"

    return check
