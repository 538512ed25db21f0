"""A method as data."""

from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen
class Preset:
    """Parameters of a `RuleExtractor` under one name.

    Parameters
    ----------
    summary : str
        One line on what the method does.
    parameters : mapping
        Components by their registered names, thresholds by value; `final_estimator__crossover` sets a parameter of a
        component.
    base : str, optional
        Name of another preset, whose parameters apply unless this one overrides them.

    Examples
    --------
    >>> import rulekit
    >>> cautious = rulekit.Preset("RCProb with a higher minimum precision.", {"min_precision": 0.75}, base="rcprob")
    >>> rulekit.register("method", "cautious", cautious)
    >>> rulekit.build("cautious").min_precision
    0.75
    """

    summary: str
    parameters: Mapping[str, Any]
    base: str | None = None
