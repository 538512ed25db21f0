"""Made-up studies: results, rulesets and predictions in the shape in which a store returns them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

DATASETS = "abcdefghijklmnopqrstuvwxyz"
N_FOLDS = 2
#: What the folds differ by from the mean of their dataset: exact in binary, so that the mean is exact.
OFFSETS = (-0.25, 0.25)


def results(
    values: Mapping[str, Mapping[str, Sequence[float]]], ensemble: str = "rf", offsets: Sequence[float] = OFFSETS
) -> pd.DataFrame:
    """Finished cells of a study.

    Parameters
    ----------
    values : mapping of str to mapping of str to sequence of float
        By measure and variant: the mean of each dataset over its folds.
    """
    variants = dict.fromkeys(variant for by_variant in values.values() for variant in by_variant)
    rows = []
    for variant in variants:
        n_datasets = max(len(by_variant.get(variant, ())) for by_variant in values.values())
        for dataset, fold in np.ndindex(n_datasets, len(offsets)):
            row = {
                "dataset": DATASETS[dataset],
                "ensemble": ensemble,
                "variant": variant,
                "repeat": 0,
                "fold": fold,
                "status": "done",
                "error": None,
            }
            for measure, by_variant in values.items():
                row[measure] = by_variant[variant][dataset] + offsets[fold] if variant in by_variant else np.nan
            rows.append(row)
    return pd.DataFrame(rows)


def only(measure: str, **variants: Sequence[float]) -> pd.DataFrame:
    """Finished cells of which one measure is known."""
    return results({measure: variants})


def fail(table: pd.DataFrame, error: str = "ValueError: no", **key: Any) -> pd.DataFrame:
    """The same results with the cells of that key failed."""
    is_failed = np.logical_and.reduce([table[name] == value for name, value in key.items()])
    measures = [name for name in table.columns if table[name].dtype.kind == "f"]
    failed = table.copy()
    failed.loc[is_failed, measures] = np.nan
    failed["status"] = np.where(is_failed, "failed", "done")
    failed["error"] = pd.Series(np.where(is_failed, error, None), dtype=object)
    return failed


#: Six datasets. The tests of `new` against `old` are easy to do by hand: the differences are 1 to 6 in size.
SIX = {
    # All six differences are negative: W = 0, p = 2 / 64.
    "log_loss": {"new": [1, 2, 3, 4, 5, 6], "old": [2, 4, 6, 8, 10, 12], "third": [20, 21, 22, 23, 24, 25]},
    # Only the smallest is negative: W = 1, p = 2 * 2 / 64.
    "macro_f1": {"new": [9, 12, 13, 14, 15, 16], "old": [10, 10, 10, 10, 10, 10], "third": [1, 1, 1, 1, 1, 1]},
    # The third smallest is positive: W = 3, p = 2 * 5 / 64, for {}, {1}, {2}, {3} and {1, 2} have sums up to 3.
    "n_rules": {"new": [19, 18, 23, 16, 15, 14], "old": [20, 20, 20, 20, 20, 20], "third": [9, 9, 9, 9, 9, 9]},
}


def key(
    dataset: str = "a", ensemble: str = "rf", variant: str = "new", repeat: int = 0, fold: int = 0
) -> dict[str, Any]:
    """The key of a cell."""
    return {"dataset": dataset, "ensemble": ensemble, "variant": variant, "repeat": repeat, "fold": fold}


def document(*predicted: float, inference: str = "decision-list") -> dict[str, Any]:
    """Something like a ruleset's document."""
    rules = [{"conditions": [position], "probabilities": [p, 1 - p]} for position, p in enumerate(predicted)]
    return {"format": "rulekit-ruleset", "rules": rules, "inference": {"name": inference, "parameters": {}}}


def diagnostics(*rules: tuple[float, int, float | None]) -> list[dict[str, Any]]:
    """Rows of `rule_diagnostics`: probability, held-out samples, gap, None for want of samples."""
    return [
        {"rule": position, "class": 0, "probability": predicted, "n_fired": n_fired, "gap": gap, "group": "1-9"}
        for position, (predicted, n_fired, gap) in enumerate(rules, start=1)
    ]


def use(
    n_rules: float = 2.0, matches: float | None = 1.5, selected: float = 0.5, never: float = 0.25
) -> dict[str, Any]:
    """What `rule_use` returns."""
    return {
        "n_non_default_rules": n_rules,
        "matches_per_covered": matches,
        "selected": selected,
        "matched_never_selected": never,
        "covered": 0.9,
    }


def rulesets(
    table: pd.DataFrame,
) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]], dict[str, Any]]]:
    """Rules of every finished cell: the variant `old` states 1 for one of its two rules."""
    for cell in table[table["status"] == "done"].to_dict("records"):
        if cell["variant"] != "ensemble":
            top = 1.0 if cell["variant"] == "old" else 0.9995
            name = {field: cell[field] for field in key()}
            yield name, document(top, 0.75), diagnostics((top, 4, 0.25), (0.75, 0, None)), use()


def predictions(table: pd.DataFrame) -> Iterator[tuple[dict[str, Any], np.ndarray, np.ndarray]]:
    """Ten samples of every finished cell; nine of them are of the class that has 0.85."""
    y = np.array([0] * 9 + [1])
    for cell in table[table["status"] == "done"].to_dict("records"):
        yield {field: cell[field] for field in key()}, y, np.tile([0.85, 0.15], (10, 1))
