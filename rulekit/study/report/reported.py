"""What a report is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from rulekit.core.errors import InvalidParameterError
from rulekit.study.statistics import ENSEMBLE, names_of, rule_variants
from rulekit.study.statistics.averages import known_variant

if TYPE_CHECKING:
    import pandas as pd

PREFERRED_REFERENCE = "rcprob"


@attrs.frozen(eq=False)
class Reported:
    """What the parts of a report are about.

    Attributes
    ----------
    results, together : DataFrame
        All cells, and those of the datasets that are compared.
    variants : tuple of str
        With the ensemble itself, if it is reported.
    reference : str
    primary : sequence of str
        Measures that are tested, together.
    measures : sequence of str
        Measures by which variants are described, the primary ones among them.
    """

    results: pd.DataFrame
    together: pd.DataFrame
    variants: tuple[str, ...]
    reference: str
    primary: Sequence[str]
    measures: Sequence[str]

    @property
    def methods(self) -> tuple[str, ...]:
        """The variants that make rules, the reference first."""
        others = (name for name in self.variants if name not in (ENSEMBLE, self.reference))
        return (self.reference, *others)

    @property
    def others(self) -> tuple[str, ...]:
        """The variants that the reference is compared with."""
        return self.methods[1:]

    @property
    def ensembles(self) -> tuple[str, ...]:
        """All ensembles that have cells."""
        return names_of(self.together, "ensemble")


def chosen_variants(results: pd.DataFrame, variants: Sequence[str] | None) -> tuple[str, ...]:
    """The named variants, or all of them with the ensemble itself first."""
    if variants is not None:
        return tuple(known_variant(results, name) for name in variants)
    return (*(name for name in names_of(results, "variant") if name == ENSEMBLE), *rule_variants(results))


def chosen_reference(results: pd.DataFrame, variants: Sequence[str] | None, reference: str | None) -> str:
    """The named variant, or else the preferred one, or else the first."""
    if reference is not None:
        return known_variant(results, reference)
    methods = [name for name in chosen_variants(results, variants) if name != ENSEMBLE]
    if not methods:
        raise InvalidParameterError("Nothing to report yet: the results have no variant besides the ensemble itself.")
    return PREFERRED_REFERENCE if PREFERRED_REFERENCE in methods else methods[0]
