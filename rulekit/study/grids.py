"""Parameters and grids, as written in a study's file."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from rulekit.core.messages import cut, short
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.ranges import with_ranges_listed

#: Combinations of values that a study may ask for: far more than is reasonable, far less than exhausts a machine.
MAX_COMBINATIONS = 10_000
#: Parameters of a preset that do not affect its fit, but only how the fitted rules answer.
ANSWERING = frozenset({"inference"})
#: Those that do not affect which rules its search finds.
AFTER_THE_SEARCH = ANSWERING | {"final_estimator"}
#: Those that do not affect its loop over the trees.
AFTER_THE_LOOP = AFTER_THE_SEARCH | {"refine"}


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
    """Lists of values to try, with nested tables and ranges written out; raise for anything else, and for too many."""
    flat = flattened(with_ranges_listed(table, called) if isinstance(table, Mapping) else table, called=called)
    for name, values in flat.items():
        if not isinstance(values, list) or not values:
            raise StudyDefinitionError(
                f"{called}.{cut(name)} must be a list of values to try, or a range such as {{ low = 1, high = 9 }}, "
                f"got {short(values)}."
            )
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


def of_the_loop(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a preset, or a grid, that affect its loop over the trees.

    Examples
    --------
    >>> of_the_loop({"inference": "aggregate", "final_estimator__strength": 2, "min_precision": 0.5})
    {'min_precision': 0.5}
    """
    return {name: value for name, value in parameters.items() if name.partition("__")[0] not in AFTER_THE_LOOP}
