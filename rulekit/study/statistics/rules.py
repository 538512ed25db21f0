"""Predicted probabilities of a study's rules, their held-out precision, and their use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from rulekit.evaluation import summarise_diagnostics
from rulekit.study.statistics.averages import KEYS, exact_mean

if TYPE_CHECKING:
    import pandas as pd

#: A cell's key, its ruleset document, the rows of `rule_diagnostics` and the return value of `rule_use`.
StoredRules: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any], Any, Mapping[str, float]]

USES = ("n_non_default_rules", "matches_per_covered", "selected", "matched_never_selected")
_DIAGNOSED = ["probability", "n_fired", "gap"]


@attrs.frozen(eq=False)
class RuleFacts:
    """The rules of all cells, without the rulesets themselves.

    Attributes
    ----------
    rules : DataFrame
        One row per non-default rule: its cell's key, `probability`, `n_fired` and `gap`, as in `rule_diagnostics`.
    cells : DataFrame
        One row per cell: its key, the values of `rule_use`, and `fingerprint`, equal for equal rules with equal
        probabilities, whatever their inference mode.
    """

    rules: pd.DataFrame
    cells: pd.DataFrame


def read_rules(rulesets: Iterable[StoredRules]) -> RuleFacts:
    """Go once through the stored rulesets and keep what tables and figures need.

    Parameters
    ----------
    rulesets : iterable of (key, document, diagnostics, use)
        As a store returns them.
    """
    import pandas as pd

    rules: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []
    for key, document, diagnostics, use in rulesets:
        cell = {name: key[name] for name in KEYS}
        rules += [cell | {name: sample[name] for name in _DIAGNOSED} for sample in _samples(diagnostics)]
        cells.append(cell | {name: use.get(name) for name in USES} | {"fingerprint": fingerprint(document)})
    numbers = {**dict.fromkeys(_DIAGNOSED, float)}
    return RuleFacts(
        pd.DataFrame(rules, columns=[*KEYS, *_DIAGNOSED]).astype(numbers),
        pd.DataFrame(cells, columns=[*KEYS, *USES, "fingerprint"]).astype(dict.fromkeys(USES, float)),
    )


def fingerprint(document: Mapping[str, Any]) -> str:
    """Short string that is equal for equal rules with equal probabilities, whatever their inference mode."""
    described = {name: value for name, value in document.items() if name != "inference"}
    return hashlib.sha256(json.dumps(described, sort_keys=True, default=str).encode()).hexdigest()[:16]


def diagnostics_summary(facts: RuleFacts) -> pd.DataFrame:
    """`summarise_diagnostics` of all rules of each ensemble and variant.

    Returns
    -------
    summary : DataFrame
        One row for each (ensemble, variant); every rule counts once.
    """
    import pandas as pd

    groups = facts.rules.groupby(["ensemble", "variant"], sort=False)
    rows = {key: summarise_diagnostics(rules) for key, rules in groups}
    index = pd.MultiIndex.from_tuples(list(rows), names=["ensemble", "variant"]) if rows else None
    return pd.DataFrame(list(rows.values()), index=index)


def use_summary(facts: RuleFacts) -> pd.DataFrame:
    """Mean over the datasets of the rules' use, folds averaged first.

    Returns
    -------
    summary : DataFrame
        One row for each (ensemble, variant), one column for each value of `rule_use`. A fold without a value, as where
        no sample is covered, does not count.
    """
    by_dataset = _means(facts.cells, ["ensemble", "variant", "dataset"])
    return _means(by_dataset.reset_index(), ["ensemble", "variant"])


def _means(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    return frame.groupby(list(keys), sort=False)[list(USES)].agg(_mean_of_numbers)


def _mean_of_numbers(values: pd.Series) -> float:
    return exact_mean(values.dropna())


def _samples(diagnostics: Any) -> list[Mapping[str, Any]]:
    return diagnostics.to_dict("records") if hasattr(diagnostics, "columns") else list(diagnostics)
