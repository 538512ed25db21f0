"""What a study measures: what it is called, which way is better, and how many decimals it deserves."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import attrs

from rulekit.core.errors import InvalidParameterError

if TYPE_CHECKING:
    import pandas as pd


@attrs.frozen
class Outcome:
    """A measure as tests and tables see it.

    Attributes
    ----------
    name : str
        Column of the results.
    heading : str
    decimals : int
        Of a mean.
    is_higher_better : bool
    is_structure : bool
        Whether it is about the rules, not about their predictions.
    """

    name: str
    heading: str
    decimals: int
    is_higher_better: bool = attrs.field(default=False, kw_only=True)
    is_structure: bool = attrs.field(default=False, kw_only=True)

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is: what to multiply with so that more is better."""
        return 1 if self.is_higher_better else -1

    @property
    def arrow(self) -> str:
        """Which way is better."""
        return "↑" if self.is_higher_better else "↓"

    @property
    def title(self) -> str:
        """The heading with the way that is better."""
        return f"{self.heading} {self.arrow}"


_ALL = (
    Outcome("log_loss", "Log-loss", 4),
    Outcome("brier", "Brier score", 4),
    Outcome("confidence_ece", "Confidence-ECE", 4),
    Outcome("classwise_ece", "Classwise-ECE", 4),
    Outcome("accuracy", "Accuracy", 4, is_higher_better=True),
    Outcome("macro_f1", "Macro-F1", 4, is_higher_better=True),
    Outcome("fidelity", "Fidelity", 4, is_higher_better=True),
    Outcome("n_rules", "Rules", 2, is_structure=True),
    Outcome("n_conditions", "Conditions", 2, is_structure=True),
    Outcome("n_distinct_conditions", "Distinct conditions", 2, is_structure=True),
    Outcome("conditions_per_rule", "Conditions/rule", 2, is_structure=True),
    Outcome("uniqueness", "Uniqueness", 3, is_higher_better=True, is_structure=True),
    Outcome("seconds", "Fit time (s)", 2, is_structure=True),
    Outcome("search_seconds", "Search time (s)", 2, is_structure=True),
)
#: Every outcome by its column of the results, in the order of tables.
OUTCOMES: Final[dict[str, Outcome]] = {each.name: each for each in _ALL}
#: The twelve that are tested together: accuracy says nearly what macro-F1 says, search time depends on the grid.
FAMILY: Final = tuple(name for name in OUTCOMES if name not in ("accuracy", "search_seconds"))


def outcome(name: str) -> Outcome:
    """The outcome of that name.

    Examples
    --------
    >>> outcome("log_loss").title
    'Log-loss ↓'
    """
    if name in OUTCOMES:
        return OUTCOMES[name]
    nearest = get_close_matches(name, OUTCOMES, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    raise InvalidParameterError(f"No measure named {name!r}.{hint} Known: {', '.join(OUTCOMES)}.")


def measured(results: pd.DataFrame, names: Sequence[str] = FAMILY) -> tuple[str, ...]:
    """Those of the named outcomes that at least one cell of the results has a value for."""
    return tuple(name for name in names if name in results.columns and bool(results[name].notna().any()))
