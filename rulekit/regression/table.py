"""Rules for a number as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

import attrs

from rulekit.render.table import Table

if TYPE_CHECKING:
    from rulekit.regression.rules import NumberRule, RegressionRules

#: Numbers with more decimals, or larger ones, are shown with an exponent.
MOST_DECIMALS, LARGEST = 6, 1e15
#: The level of the intervals that tables show, in thousandths.
SHOWN_LEVEL = 900


@attrs.frozen
class Digits:
    """How many decimals numbers of some precision deserve.

    Attributes
    ----------
    decimals : int or None
        None shows four significant digits of each number.
    """

    decimals: int | None

    @classmethod
    def of(cls, scales: Iterable[float]) -> Self:
        """Two significant digits of the smallest typical error."""
        least = min((scale for scale in scales if 0 < scale < math.inf), default=0.0)
        return cls(max(1 - math.floor(math.log10(least)), 0) if least else None)

    def __call__(self, number: float, *, signed: bool = False) -> str:
        """The number as it is shown, with a sign in any case if asked for.

        Examples
        --------
        >>> Digits.of([4.3, 12.0])(10890.129), Digits(None)(0.5, signed=True)
        ('10890.1', '+0.5')
        """
        is_fixed = self.decimals is not None and self.decimals <= MOST_DECIMALS and abs(number) < LARGEST
        sign = "+" if signed else ""
        return f"{number:{sign}.{self.decimals}f}" if is_fixed else f"{number:{sign}.4g}"


def number_table(rules: RegressionRules) -> Table:
    """One row per rule; the conditions come last because they are the longest."""
    is_sum = rules.combination == "sum"
    reach = None if rules.quantiles is None else float(rules.quantiles[SHOWN_LEVEL])
    shown = Digits.of(rules.scales.tolist())
    rows = [_cells(rule, reach, shown, is_sum=is_sum) for rule in rules]
    meaning = "the sum over all rules that match" if is_sum else "what the first rule that matches predicts"
    sizes = f"{len(rules)} rules, {rules.n_conditions} conditions, from {rules.n_samples} samples"
    title = f"{sizes}; a prediction is {meaning}"
    of_rule = "covers" if is_sum else "answers"
    note = f"90 %: half the width of an interval for nine in ten targets of samples that the rule {of_rule}."
    return Table(
        "rules",
        title,
        tuple(rows[0]),
        [tuple(row.values()) for row in rows],
        notes=() if reach is None else (note,),
        wraps_last=True,
    )


def _cells(rule: NumberRule, reach: float | None, shown: Digits, *, is_sum: bool) -> dict[str, str]:
    return {
        "rule": str(rule.position),
        "adds" if is_sum else "predicts": shown(rule.value, signed=is_sum and not rule.is_default),
        **({} if reach is None else {"90 %": f"± {shown(reach * rule.scale)}"}),
        **({} if is_sum else {"answered": str(rule.n_answered)}),
        "covered": str(rule.n_covered),
        "if": rule.antecedent or ("(always)" if is_sum else "(otherwise)"),
    }
