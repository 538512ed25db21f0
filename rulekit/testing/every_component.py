"""What components of every kind promise."""

import copy
import inspect
import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs
from joblib import wrap_non_picklable_objects
from sklearn.base import clone

from rulekit.testing.comparison import Answer, expect_same
from rulekit.testing.conformance import expect, promise

Component = TypeVar("Component")


@attrs.frozen(eq=False)
class Usage:
    """How to use a component of some kind.

    Attributes
    ----------
    cases : function
        Situations to use it in, at least two; each has a `name` and a version that is `read_only()`.
    answer : function
        What a component returns when it is used in a situation; it is fitted first, if it has a `fit`.
    recall : function
        What a component returns that has been used in that situation, and is not fitted again.
    """

    cases: Callable[[], Sequence[Any]]
    answer: Callable[[Any, Any], Answer]
    recall: Callable[[Any, Any], Answer]


def fresh(component: Component) -> Component:
    """A clone that may be fitted, with every `random_state` of None set to 0."""
    return seeded(clone(component))


def seeded(component: Component) -> Component:
    """The component itself, with every `random_state` of None set to 0."""
    parameters = component.get_params()  # type: ignore[attr-defined]
    seeds = [name for name in parameters if name.rpartition("__")[2] == "random_state"]
    return component.set_params(**{name: 0 for name in seeds if parameters[name] is None})  # type: ignore[attr-defined]


@promise
def check_init_only_stores(component: Any) -> None:
    """`__init__` takes its parameters by name, stores each unchanged, and does nothing else."""
    signature = inspect.signature(type(component))
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    nameless = kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    expect(not nameless, f"`__init__` takes parameters without names: {signature}.")
    anything = {name: _Anything() for name in signature.parameters}
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    given = {name: value for name, value in defaults.items() if value is not inspect.Parameter.empty}
    for values in (anything, {**anything, **given}):
        stored = vars(type(component)(**values))
        changed = [name for name, value in values.items() if stored.get(name, stored) is not value]
        expect(not changed, f"{', '.join(changed)} is not what was passed.")
        added = sorted(stored.keys() - values.keys())
        expect(not added, f"it also sets {', '.join(added)}.")


@promise
def check_clone(component: Any, usage: Usage) -> None:
    """A clone returns the same results as the component that it was made from."""
    case = usage.cases()[0]
    expected = usage.answer(seeded(copy.deepcopy(component)), case)
    expect_same(usage.answer(seeded(clone(component)), case), expected, f"{case.name}, the clone")


@promise
def check_pickle(component: Any, usage: Usage) -> None:
    """A component that has been used can be pickled, and returns the same results after unpickling."""
    case, used = usage.cases()[0], fresh(component)
    expected = usage.answer(used, case)
    back = pickle.loads(_pickled(used))
    expect(type(back).__name__ == type(component).__name__, f"a {type(back).__name__} after unpickling.")
    expect_same(usage.recall(back, case), expected, f"{case.name}, after pickling")


@promise
def check_refit_forgets(component: Any, usage: Usage) -> None:
    """Earlier uses have no effect: a component used again returns the same results as a new one."""
    reused = fresh(component)
    for case in (*usage.cases(), *reversed(usage.cases())):
        expected = usage.answer(fresh(component), case)
        expect_same(usage.answer(reused, case), expected, f"{case.name}, after other uses")


@promise
def check_same_seed_same_result(component: Any, usage: Usage) -> None:
    """The same input and the same seed give exactly the same result."""
    for case in usage.cases():
        expected = usage.answer(fresh(component), case)
        expect_same(usage.answer(fresh(component), case), expected, f"{case.name}, the second time")


@promise
def check_inputs_are_not_written_to(component: Any, usage: Usage) -> None:
    """Input arrays are not modified: read-only arrays are accepted."""
    for case in usage.cases():
        usage.answer(fresh(component), case.read_only())


class _Anything:
    """A value that `__init__` can only store."""

    def __repr__(self) -> str:
        return "<anything>"


def _pickled(component: Any) -> bytes:
    """The component as bytes, with its class if that cannot be imported: one of a notebook or inside a function."""
    try:
        pickle.dumps(type(component))
    except (pickle.PicklingError, AttributeError, ImportError):
        return pickle.dumps(wrap_non_picklable_objects(component, keep_wrapper=False))
    return pickle.dumps(component)
