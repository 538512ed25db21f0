"""Print the tables of `docs/explanation/lists.md`: python docs/explanation/lists/summary.py lists.sqlite."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from statsmodels.stats.multitest import multipletests

from rulekit.evaluation import interval_counts
from rulekit.study import Store

#: Training samples from which on a dataset counts as large: `rclist` searches these by `relist`.
LARGE = 1000
SIZES = ("all", "large", "small")
#: Datasets at even places of the two collections in alphabetical order: nothing was chosen on these.
EVEN = (
    *(
        "bands",
        "biodeg",
        "credit",
        "divorce",
        "glass",
        "htru2",
        "maintenance",
        "new-thyroid",
        "pageblocks0",
        "spambase",
    ),
    *("wisconsin", "german_credit", "mammography"),
)


def means(store: Store) -> pd.DataFrame:
    """Mean of each measure over the folds that all variants have, by ensemble, `min_coverage`, dataset and method."""
    results = store.results().query("status == 'done' and variant != 'ensemble'").copy()
    n_variants = results.groupby(["ensemble", "dataset", "repeat", "fold"])["variant"].transform("nunique")
    results = results[n_variants == results["variant"].nunique()].copy()
    # An ensemble counts once it is through with all datasets.
    n_datasets = results.groupby("ensemble")["dataset"].transform("nunique")
    results = results[n_datasets == results["dataset"].nunique()].copy()
    results["coverage"] = np.where(results["variant"].str.endswith(" .01"), ".01", "0")
    results["method"] = results["variant"].str.removesuffix(" .01")
    keys = ["ensemble", "coverage", "dataset", "method"]
    return results.groupby(keys)[["log_loss", "macro_f1", "confidence_ece", "n_rules", "n_train"]].mean()


def is_kept(datasets: pd.Index, n_train: pd.Series, size: str, even_only: bool) -> np.ndarray:
    """Which datasets are of a size and, if asked for, at even alphabetical places, where nothing was chosen."""
    of_size = {"all": n_train > 0, "large": n_train >= LARGE, "small": n_train < LARGE}[size].to_numpy()
    return of_size & (datasets.isin(EVEN) | (not even_only))


def by_method(values: pd.DataFrame) -> pd.DataFrame:
    """A column for each measure and method."""
    return values.unstack("method")  # noqa: PD010 (a pivot table would aggregate; here each cell has one value)


def comparisons(found: pd.DataFrame, rival: str, even_only: bool) -> pd.DataFrame:
    """`rclist` against another method: one row for each ensemble, coverage and size of datasets."""
    rows = []
    for (ensemble, coverage), group in found.groupby(level=["ensemble", "coverage"]):
        table = by_method(group.droplevel(["ensemble", "coverage"]))
        n_train = table["n_train"]["rclist"]
        for size in SIZES:
            part = table[is_kept(table.index, n_train, size, even_only)]
            if len(part) < 3:
                continue
            ours, theirs, errors = part["log_loss"]["rclist"], part["log_loss"][rival], part["confidence_ece"]
            rows.append(
                {
                    "ensemble": ensemble,
                    "min_coverage": coverage,
                    "datasets": f"{len(part)} {size}" if size != "all" else f"{len(part)}",
                    "log-loss": f"{100 * ((ours / theirs).median() - 1):+.1f} %",
                    "better": f"{(ours < theirs).sum()} of {len(part)}",
                    "p": float(wilcoxon(ours, theirs).pvalue),
                    "macro-F1": f"{(part['macro_f1']['rclist'] - part['macro_f1'][rival]).mean():+.4f}",
                    "rules": f"{part['n_rules'][rival].mean():.1f} → {part['n_rules']['rclist'].mean():.1f}",
                    "ECE": f"{errors[rival].mean():.3f} → {errors['rclist'].mean():.3f}",
                }
            )
    table = pd.DataFrame(rows)
    if table.empty:
        return table
    table["p"] = [f"{p:.2g}" for p in multipletests(table["p"], method="holm")[1]]
    return table.rename(columns={"p": "p (Holm)"})


def outside(store: Store, ensembles: set[str]) -> pd.DataFrame:
    """Rules whose probability lies outside the 95 % interval of their held-out precision."""
    rules: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for key, _, diagnostics, _ in store.rulesets():
        if key["ensemble"] in ensembles:
            rules.setdefault((key["ensemble"], key["variant"]), []).extend(diagnostics)
    rows = []
    for (ensemble, variant), of_variant in sorted(rules.items()):
        counts = interval_counts(of_variant)
        outside = f"{counts.n_below + counts.n_above} ({counts.fraction_outside:.1%})"
        row = {"ensemble": ensemble, "variant": variant, "rules": counts.n_rules, "outside": outside}
        rows += [{**row, "too high": counts.n_above}] if counts.n_rules else []
    return pd.DataFrame(rows)


def by_dataset(found: pd.DataFrame, coverage: str) -> pd.DataFrame:
    """Log-loss of every method and dataset, the lowest one in bold."""
    part = found.xs(coverage, level="coverage")
    table = by_method(part)
    losses = table["log_loss"]
    shown = losses.map("{:.3f}".format)
    shown = shown.where(losses.ne(losses.min(axis=1), axis=0), "**" + shown + "**")
    rules = table["n_rules"]["rclist"].round(1).rename("rules of rclist")
    return pd.concat([shown, rules], axis=1).reset_index()


def markdown(table: pd.DataFrame) -> str:
    """A table in Markdown."""
    head = [list(table.columns), ["---"] * len(table.columns)]
    return "\n".join("| " + " | ".join(str(value) for value in row) + " |" for row in [*head, *table.to_numpy()])


def sections(store: Store) -> Iterator[str]:
    """All tables with their headings."""
    found = means(store)
    methods = found.index.unique("method")
    for rival in (name for name in ("rcprob", "rc+", "rc+ temperature", "shrunk-tree", "tree") if name in methods):
        yield f"### Against {rival}\n\n{markdown(comparisons(found, rival, even_only=False))}"
        yield f"#### At even alphabetical places\n\n{markdown(comparisons(found, rival, even_only=True))}"
    of_ensembles = outside(store, set(found.index.unique("ensemble")))
    yield f"### Rules outside their interval\n\n{markdown(of_ensembles)}"
    for coverage in sorted(found.index.unique("coverage"), key=len):
        yield f"### Log-loss by dataset, `min_coverage={coverage}`\n\n{markdown(by_dataset(found, coverage))}"


if __name__ == "__main__":
    print("\n\n".join(sections(Store(sys.argv[1]))))
