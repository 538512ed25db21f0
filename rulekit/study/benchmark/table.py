"""The benchmark's table: one row for each method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rulekit.evaluation import interval_counts
from rulekit.render.table import Table
from rulekit.ruleset import RuleSet
from rulekit.study.benchmark.definition import OWN_SIZE, SIZES
from rulekit.study.statistics import ENSEMBLE
from rulekit.study.statistics.averages import names_of, rule_variants
from rulekit.study.tables.numbers import NOTHING

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.study.statistics import StoredRules

#: The size whose lists the columns after the log-losses describe.
SHOWN: Final = 16
_LEVELS: Final = (*map(str, SIZES), OWN_SIZE)
_MEANS: Final = ("n_rules", "macro_f1", "fidelity", "n_conditions")


def benchmark_frame(results: pd.DataFrame, rulesets: Iterable[StoredRules]) -> pd.DataFrame:
    """One row for each ensemble, method and size.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as the benchmark's store returns them, with the columns `factor_method` and `factor_rules`.
    rulesets : iterable of (key, document, diagnostics, use)
        As the store returns them.

    Returns
    -------
    frame : DataFrame
        `ensemble`, `method`, `rules` (the size, or "own"), and over the datasets on which all folds are done

        - `log_loss`: median of the ratio of the method's mean log-loss to the ensemble's;
        - `time`: median of the ratio of the method's time to that of training the ensemble;
        - `n_rules`, `macro_f1`, `fidelity`, `n_conditions`: means;
        - `outside`: fraction of the rules whose probability lies outside its interval, see
          `rulekit.evaluation.interval_counts`; NaN where rules do not answer alone, one after the other;
        - `n_datasets`, `n_left_out`: how many datasets these are, and how many lack a fold.
    """
    import pandas as pd

    outside = _outside(rulesets)
    rows = []
    for ensemble in names_of(results, "ensemble"):
        of_ensemble = results[results["ensemble"] == ensemble]
        training = _by_dataset(of_ensemble[of_ensemble["variant"] == ENSEMBLE], of_ensemble)
        for variant in rule_variants(of_ensemble):
            cells = of_ensemble[of_ensemble["variant"] == variant]
            found = _by_dataset(cells, of_ensemble).dropna(subset="log_loss")
            compared = training.reindex(found.index)
            rows.append(
                {
                    "ensemble": ensemble,
                    "method": cells["factor_method"].iloc[0],
                    "rules": cells["factor_rules"].iloc[0],
                    "log_loss": (found["log_loss"] / compared["log_loss"]).median(),
                    "time": (found["seconds"] / compared["seconds"]).median(),
                    **found[list(_MEANS)].mean(),
                    "outside": outside.get((ensemble, variant), np.nan),
                    "n_datasets": len(found),
                    "n_left_out": of_ensemble["dataset"].nunique() - len(found),
                }
            )
    return pd.DataFrame(rows)


def benchmark_table(frame: pd.DataFrame, ensemble: str) -> Table:
    """The table of one ensemble, the lowest log-loss at 16 rules first.

    Parameters
    ----------
    frame : DataFrame
        From `benchmark_frame`.
    ensemble : str
    """
    of_ensemble = frame[frame["ensemble"] == ensemble]
    by_method: dict[str, dict[str, Any]] = {}
    for row in of_ensemble.to_dict("records"):
        by_method.setdefault(row["method"], {})[row["rules"]] = row
    shown = {method: sizes.get(str(SHOWN)) or sizes[OWN_SIZE] for method, sizes in by_method.items()}
    methods = sorted(by_method, key=lambda method: (np.isnan(shown[method]["log_loss"]), shown[method]["log_loss"]))
    return Table(
        f"benchmark-{ensemble}",
        f"Methods on {ensemble}: log-loss relative to the ensemble's at so many rules, and more",
        [
            *("Method", *(f"{size} rules" for size in SIZES), "own size"),
            *("Rules", "Outside", "Macro-F1", "Fidelity", "Conditions", "Time"),
        ],
        [[method, *_losses(by_method[method]), *_others(shown[method])] for method in methods],
        of_ensemble,
        _notes(of_ensemble),
    )


def _by_dataset(cells: pd.DataFrame, of_ensemble: pd.DataFrame) -> pd.DataFrame:
    """Means over the folds of each dataset, NaN where one is missing or failed."""
    folds = of_ensemble.drop_duplicates(["dataset", "repeat", "fold"])
    n_folds = folds.groupby("dataset", sort=False).size()
    done = cells[cells["status"] == "done"].groupby("dataset", sort=False)
    means = done[["log_loss", "seconds", *_MEANS]].mean().reindex(n_folds.index)
    return means[done.size().reindex(n_folds.index) == n_folds]


def _outside(rulesets: Iterable[StoredRules]) -> dict[tuple[str, str], float]:
    """For each ensemble and variant whose rules answer one after the other the fraction outside, over all folds."""
    diagnostics: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for key, document, rules, _ in rulesets:
        if RuleSet.from_dict(document).inference.combination == "first":
            diagnostics.setdefault((key["ensemble"], key["variant"]), []).extend(rules)
    return {variant: interval_counts(rules).fraction_outside for variant, rules in diagnostics.items()}


def _losses(sizes: Mapping[str, Mapping[str, float]]) -> list[str]:
    return [_number(sizes[level]["log_loss"], ".2f") if level in sizes else NOTHING for level in _LEVELS]


def _others(row: Mapping[str, float]) -> list[str]:
    formats = {
        **{"n_rules": ".1f", "outside": ".0%", "macro_f1": ".3f", "fidelity": ".3f"},
        **{"n_conditions": ".0f", "time": ".2f"},
    }
    return [_number(row[name], form).replace("%", " %") for name, form in formats.items()]


def _number(value: float, form: str) -> str:
    return NOTHING if np.isnan(value) else format(value, form)


def _notes(frame: pd.DataFrame) -> Sequence[str]:
    notes = [
        f"Log-loss and time: medians over {frame['n_datasets'].max()} datasets, 1 is the ensemble's own; the other "
        f"columns are of the lists of at most {SHOWN} rules, or of the method's own size."
    ]
    left_out: dict[int, list[str]] = {}
    for row in frame[frame["n_left_out"] > 0].to_dict("records"):
        size = "" if row["rules"] == OWN_SIZE else f" at {row['rules']} rules"
        left_out.setdefault(row["n_left_out"], []).append(f"{row['method']}{size}")
    for n_datasets, methods in sorted(left_out.items()):
        datasets = "one dataset" if n_datasets == 1 else f"{n_datasets} datasets"
        notes.append(f"Without {datasets}, because a fit failed or is missing: {', '.join(methods)}.")
    return notes
