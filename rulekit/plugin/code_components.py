"""Components registered in code travel with the work that needs them: other processes would not know their names."""

import multiprocessing
import os
import pickle
from functools import cache
from typing import Any, Self
from uuid import uuid4

import attrs
from joblib import wrap_non_picklable_objects

from rulekit.plugin.manager import plugins
from rulekit.plugin.registry import Component

#: Key of the components in the state of a pickled estimator.
STATE_KEY = "_code_components"


@attrs.frozen
class SentComponent:
    """A component on its way to another process.

    Attributes
    ----------
    kind, name : str
    pickled : bytes
        The component, with the source of what no module provides; empty if it cannot be pickled.
    problem : str
        Why it cannot be pickled.
    """

    kind: str
    name: str
    pickled: bytes
    problem: str = ""

    @classmethod
    def of(cls, component: Component) -> Self:
        """A component, pickled by itself: one that cannot be pickled does not keep the others from travelling."""
        try:
            # By value, unlike plain pickle: what a script or notebook defines cannot be imported elsewhere.
            wrapped = wrap_non_picklable_objects(component, keep_wrapper=False)
            return cls(component.kind, component.name, pickle.dumps(wrapped))
        # Pickling runs code of the component's author.
        except Exception as error:
            return cls(component.kind, component.name, b"", f"{type(error).__name__}: {error}")

    def unpickled(self) -> Component:
        """The component; raise `ValueError` with the reason if it cannot be unpickled here."""
        if not self.pickled:
            raise ValueError(f"it cannot be pickled: {self.problem}")
        try:
            component: Component = pickle.loads(self.pickled)
        # Unpickling runs code of the component's author.
        except Exception as error:
            raise ValueError(f"it cannot be unpickled here: {type(error).__name__}: {error}") from error
        return component


@attrs.frozen
class CodeComponents:
    """The components that a process has registered in code.

    Attributes
    ----------
    process : str
        Identifies that process.
    components : tuple of SentComponent
    """

    process: str
    components: tuple[SentComponent, ...]

    @classmethod
    def of_this_process(cls) -> Self:
        """What this process has registered in code, also what another process has sent to it."""
        found = (component for component in plugins().registry if component.origin.startswith("code"))
        return cls(_process_id(os.getpid()), tuple(SentComponent.of(component) for component in found))

    def register(self, *, replace: bool) -> None:
        """Register the components here, unless this is the process that has registered them.

        Parameters
        ----------
        replace : bool
            Whether they replace other components of the same names, as in a worker, which does as the process that
            sends the work; otherwise these raise `DuplicateComponentError`.
        """
        if self.process == _process_id(os.getpid()):
            return
        registry = plugins().registry
        for sent in self.components:
            # Each task brings the same components again.
            if registry.received.get((sent.kind, sent.name)) == sent:
                continue
            try:
                component = sent.unpickled()
            except ValueError as error:
                registry.unavailable[sent.kind, sent.name] = str(error)
                continue
            if not registry.has(component):
                registry.add(sent.kind, sent.name, component.factory, origin=component.origin, replace=replace)
            registry.received[sent.kind, sent.name] = sent


class CarriesCodeComponents:
    """Mixin of estimators whose parameters may be names: an unfitted one, when pickled, carries what is registered.

    All of it, and not only what its parameters name: a search over parameters sends further names by themselves. A
    fitted estimator carries nothing, for it predicts with the components that it has.
    """

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        if any(name.endswith("_") and not name.startswith("_") for name in state):
            return state
        code = CodeComponents.of_this_process()
        return {**state, STATE_KEY: code} if code.components else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if STATE_KEY in state:
            state = dict(state)
            # Where someone loads a pickled estimator that is no work for a worker, names may clash.
            state.pop(STATE_KEY).register(replace=multiprocessing.parent_process() is not None)
        super().__setstate__(state)  # type: ignore[misc]


@cache
def _process_id(pid: int) -> str:
    """An identifier of this process, which no other has: a forked one has another `pid`."""
    return f"{pid}-{uuid4().hex}"
