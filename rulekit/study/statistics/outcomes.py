"""The measures of a study: heading, direction and number of decimals."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Self

import attrs

from rulekit.core.errors import InvalidParameterError
from rulekit.core.interfaces import Measure
from rulekit.evaluation.held_out import registered_measures

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
    is_higher_better : bool or None
        None if it has no direction.
    is_structure : bool
        Whether it is about the rules, not about their predictions.
    is_headline : bool
        Whether it gets a table by dataset.
    """

    name: str
    heading: str
    decimals: int
    is_higher_better: bool | None = attrs.field(kw_only=True)
    is_structure: bool = attrs.field(kw_only=True)
    is_headline: bool = attrs.field(default=False, kw_only=True)

    @classmethod
    def of(cls, name: str, measure: Measure) -> Self:
        """A registered measure; a mean deserves one decimal more than a value, two at least."""
        return cls(
            name,
            measure.heading,
            max(measure.decimals + 1, 2),
            is_higher_better=measure.is_higher_better,
            is_structure=measure.needs == "rules",
            is_headline=measure.is_headline,
        )

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is: what to multiply with so that more is better."""
        if self.is_higher_better is None:
            raise InvalidParameterError(
                f"Variants cannot be compared by the measure {self.name!r}: it has no direction."
            )
        return 1 if self.is_higher_better else -1

    @property
    def title(self) -> str:
        """The heading with an arrow towards what is better."""
        arrow = {True: " ↑", False: " ↓", None: ""}[self.is_higher_better]
        return f"{self.heading}{arrow}"


#: What is reported beside the measures. Differs from run to run, so no test is made of it.
TIMES: Final = (
    Outcome("seconds", "Fit time (s)", 2, is_higher_better=False, is_structure=True),
    Outcome("search_seconds", "Search time (s)", 2, is_higher_better=False, is_structure=True),
)
#: What a study tests, unless it names others.
PRIMARY: Final = ("log_loss",)
#: The twelve of the published protocol, by which variants are described: accuracy is nearly the same as macro-F1,
#: search time depends on the grid.
FAMILY: Final = (
    *("log_loss", "brier", "confidence_ece", "classwise_ece", "macro_f1", "fidelity"),
    *("n_rules", "n_conditions", "n_distinct_conditions", "conditions_per_rule", "uniqueness", "seconds"),
)


def outcomes() -> dict[str, Outcome]:
    """Every registered measure, then the times, by column of the results, in the order of tables."""
    measures = [Outcome.of(name, measure) for name, measure in registered_measures().items()]
    return {each.name: each for each in (*measures, *TIMES)}


def outcome(name: str) -> Outcome:
    """The outcome of that name.

    Examples
    --------
    >>> outcome("log_loss").title
    'Log-loss ↓'
    """
    known = outcomes()
    if name in known:
        return known[name]
    nearest = get_close_matches(name, known, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    raise InvalidParameterError(f"No measure named {name!r}.{hint} Known: {', '.join(known)}.")


def is_testable(name: str) -> bool:
    """Whether a measure can be a primary outcome: it has a direction, and is no duration."""
    return outcome(name).is_higher_better is not None and name not in {each.name for each in TIMES}


def measured(results: pd.DataFrame, names: Sequence[str] = FAMILY) -> tuple[str, ...]:
    """Those of the named outcomes that at least one cell of the results has a value for."""
    return tuple(name for name in names if name in results.columns and bool(results[name].notna().any()))
