"""Keys: hashes of what a result depends on."""

import hashlib
import inspect
import json
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from rulekit.plugin.kinds import PARAMETERS
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.study.definition import Ensemble, Variant
from rulekit.study.grids import has_choice

#: Components that come with rulekit itself; the source of others is part of a key.
OWN_ORIGIN = "rulekit-rcprob "


def key_of(facts: Any) -> str:
    """A hash that is the same on every machine and in every process."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=_described).encode()).hexdigest()[:32]


def seed_of(key: str) -> int:
    """A seed for NumPy from a key."""
    return int(key[:7], 16)


def choice_facts(owner: Ensemble | Variant, inner: int, score: str) -> dict[str, Any]:
    """What a choice of hyperparameters depends on; without alternatives, neither folds nor score matter."""
    searched = {"inner": inner, "score": score} if has_choice(owner.grid) else {}
    source = source_of("measure", score) if searched else None
    searched |= {} if source is None else {"score_source": source}
    # Of equally good configurations the first is chosen: a grid's order is part of it.
    return {"parameters": owner.parameters, "grid": list(owner.grid.items()), **searched}


def source_of(kind: str, name: str) -> str | None:
    """The code of a component that does not come with rulekit: when it changes, so may results."""
    component = plugins().registry.get(kind, name)
    return None if component.origin.startswith(OWN_ORIGIN) else _source_text(component.factory)


def sources_of(variant: Variant) -> dict[str, str]:
    """The code of the variant's own parts, as far as it does not come with rulekit."""
    sources = {"method": source_of("method", variant.method)}
    given = [*variant.parameters.items(), *((name, each) for name, values in variant.grid.items() for each in values)]
    known = {(component.kind, component.name) for component in plugins().registry}
    for name, value in given:
        # A method that is no preset may mean something else by such a parameter.
        if isinstance(value, str) and (PARAMETERS.get(name), value) in known:
            sources[f"{name}={value}"] = source_of(PARAMETERS[name], value)
    return {name: source for name, source in sources.items() if source is not None}


def _described(value: Any) -> Any:
    """A value that JSON cannot represent, as a string that changes with it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, BaseEstimator):
        parameters = value.get_params(deep=False)
        return {"class": type(value).__qualname__, "parameters": parameters, "code": _source_text(type(value))}
    return repr(value)


def _source_text(factory: Any) -> str:
    if isinstance(factory, Preset):
        return repr(factory)
    try:
        return inspect.getsource(factory)
    except (OSError, TypeError):  # typed into a console
        return repr(getattr(factory, "__qualname__", factory))
