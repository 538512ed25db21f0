"""Keys: hashes of what a result depends on."""

import hashlib
import json
from typing import Any

import attrs
import numpy as np
from sklearn.base import BaseEstimator

from rulekit.study.definition import Ensemble, Variant
from rulekit.study.grids import has_choice


def key_of(facts: Any) -> str:
    """A hash that is the same on every machine and in every process."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=_described).encode()).hexdigest()[:32]


def seed_of(key: str) -> int:
    """A seed for NumPy from a key."""
    return int(key[:7], 16)


def choice_facts(owner: Ensemble | Variant, inner: int, score: str) -> dict[str, Any]:
    """What a choice of hyperparameters depends on; without alternatives, neither folds nor score matter."""
    searched: dict[str, Any] = {"inner": inner, "score": score} if has_choice(owner.grid) else {}
    if owner.search is not None:
        searched["search"] = attrs.asdict(owner.search)
    # Of equally good configurations the first is chosen: a grid's order is part of it.
    return {"parameters": owner.parameters, "grid": list(owner.grid.items()), **searched}


def plain_facts(facts: Any) -> Any:
    """Facts in types that JSON can represent, as a store keeps them."""
    return json.loads(json.dumps(facts, sort_keys=True, default=_described))


def _described(value: Any) -> Any:
    """A value that JSON cannot represent, as a string that changes with it; its code is a fact of its own."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, BaseEstimator):
        return {"class": type(value).__qualname__, "parameters": value.get_params(deep=False)}
    return getattr(value, "__qualname__", None) or repr(value)
