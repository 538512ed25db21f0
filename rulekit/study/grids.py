"""Parameters and grids, as written in a study's file."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from rulekit.core.messages import cut, short
from rulekit.study.errors import StudyDefinitionError

#: Combinations of values that a study may ask for: far more than is reasonable, far less than exhausts a machine.
MAX_COMBINATIONS = 10_000
#: Parameters of inference, which do not affect a preset's rules themselves.
ANSWERING = "inference"


def flattened(table: Mapping[str, Any], prefix: str = "", called: str = "parameters") -> dict[str, Any]:
    """Parameters with nested tables written out, so that `{"priors": {"a": 1}}` becomes `{"priors__a": 1}`.

    TOML has no None: the string "none" stands for it.

    Examples
    --------
    >>> flattened({"priors": "mean", "final_estimator": {"crossover": 20}, "combine": "none"})
    {'priors': 'mean', 'final_estimator__crossover': 20, 'combine': None}
    """
    if not isinstance(table, Mapping):
        raise StudyDefinitionError(f"{called} must be a table, got {short(table)}.")
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            flat |= flattened(value, f"{prefix}{name}__")
        else:
            flat[f"{prefix}{name}"] = or_none(value)
    return flat


def or_none(value: Any) -> Any:
    """The value, with None for the string "none", also within lists."""
    if isinstance(value, list | tuple):
        return [or_none(each) for each in value]
    return None if isinstance(value, str) and value == "none" else value


def grid_of(table: Mapping[str, Any], called: str = "grid") -> dict[str, list[Any]]:
    """Lists of values to try, with nested tables written out; raise for anything else and for too many of them."""
    flat = flattened(table, called=called)
    for name, values in flat.items():
        if not isinstance(values, list) or not values:
            raise StudyDefinitionError(f"{called}.{cut(name)} must be a list of values to try, got {short(values)}.")
    n_combinations = math.prod(len(values) for values in flat.values())
    if n_combinations > MAX_COMBINATIONS:
        raise StudyDefinitionError(
            f"{called} has {n_combinations:,} combinations of values; the limit is {MAX_COMBINATIONS:,}."
        )
    return flat


def configurations(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of a grid's values; the first name varies slowest.

    Examples
    --------
    >>> configurations({"max_depth": [3, 4], "n_estimators": [50]})
    [{'max_depth': 3, 'n_estimators': 50}, {'max_depth': 4, 'n_estimators': 50}]
    """
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def has_choice(grid: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a grid has more than one configuration."""
    return any(len(values) > 1 for values in grid.values())


def without_answering(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters, or a grid, without those of inference.

    Examples
    --------
    >>> without_answering({"inference": "aggregate", "min_precision": 0.5})
    {'min_precision': 0.5}
    """
    return {name: value for name, value in parameters.items() if name.partition("__")[0] != ANSWERING}


def fits_of(grid: Mapping[str, Sequence[Any]]) -> list[tuple[int, ...]]:
    """For each configuration of a grid, which fit it needs: the indices of its values, without those of inference.

    Examples
    --------
    >>> fits_of({"confidence": [0.1, 0.4], "inference": ["decision-list", "aggregate"]})
    [(0,), (0,), (1,), (1,)]
    """
    positions = configurations({name: range(len(values)) for name, values in grid.items()})
    return [tuple(without_answering(each).values()) for each in positions]
