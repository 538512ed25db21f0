"""Print the tables of the page on rules for numbers, from results.csv: `python summary.py`."""

from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
METHODS = ("additive", "list", "cart", "distilled cart")
SIZES = (4, 8, 16, 32)


def read(path: Path = HERE / "results.csv") -> pd.DataFrame:
    """All results, those of `cart` once for each ensemble, with the ensemble's R² beside each."""
    results = pd.read_csv(path, keep_default_na=False, na_values=[""])
    ensembles = results.loc[results["method"] == "ensemble", ["table", "fold", "ensemble", "r2"]]
    plain = results[results["method"] == "cart"].drop(columns="ensemble")
    plain = plain.merge(ensembles[["table", "fold", "ensemble"]], on=["table", "fold"])
    found = pd.concat([results[~results["method"].isin(["cart", "ensemble"])], plain])
    return found.merge(ensembles, on=["table", "fold", "ensemble"], suffixes=("", "_ensemble"))


def means(found: pd.DataFrame, value: str) -> pd.Series:
    """Mean over the folds, by table, ensemble, method and size."""
    return found.groupby(["table", "ensemble", "method", "size"])[value].mean()


def fractions(found: pd.DataFrame) -> str:
    """R² as a fraction of the ensemble's: means over tables and ensembles."""
    fraction = means(found, "r2") / means(found, "r2_ensemble")
    by_size = fraction.rename("r2").reset_index().pivot_table("r2", index="method", columns="size")
    lines = [
        f"| {method} | {' | '.join(_cell(by_size.loc[method].get(size)) for size in SIZES)} |" for method in METHODS
    ]
    return _table(["rules", *map(str, SIZES)], lines)


def against_cart(found: pd.DataFrame) -> str:
    """RMSE relative to that of `cart`: median change, and cases in which it is lower."""
    rmse = means(found, "rmse").reset_index()
    rmse = rmse.pivot_table("rmse", index=["table", "ensemble", "size"], columns="method")
    lines = []
    for method in ("additive", "list"):
        change = (rmse[method] / rmse["cart"] - 1).dropna()
        for size in SIZES:
            own = change.xs(size, level="size") if size in change.index.get_level_values("size") else change.iloc[:0]
            if len(own):
                lines.append(f"| {method} | {size} | {100 * own.median():+.1f} % | {(own < 0).sum()} of {len(own)} |")
    return _table(["method", "rules", "median change of RMSE", "lower"], lines)


def by_table(found: pd.DataFrame) -> str:
    """Each table with the ensembles' mean R², and the fraction at 8 rules."""
    at_eight = found[found["size"] == 8]
    whole = at_eight.groupby("table")["r2_ensemble"].mean()
    fraction = (means(at_eight, "r2") / means(at_eight, "r2_ensemble")).rename("r2").reset_index()
    fraction = fraction.pivot_table("r2", index="table", columns="method")
    held = at_eight[at_eight["method"] == "additive"].groupby("table")["held"].mean()
    lines = [
        f"| {table} | {whole[table]:.2f} | {' | '.join(_cell(fraction.loc[table, name]) for name in METHODS)} "
        f"| {_cell(held[table])} |"
        for table in sorted(whole.index)
    ]
    return _table(["table", "R² of the ensemble", *METHODS, "additive: held by 90 % intervals"], lines)


def coverage(found: pd.DataFrame) -> str:
    """How many targets the intervals for 90 % hold, and how wide they are in standard deviations of the target."""
    with_intervals = found[found["method"].isin(["additive", "list"])]
    held = means(with_intervals, "held").groupby(["method", "size"])
    width = means(with_intervals, "width").groupby(["method", "size"]).mean()
    lines = [
        f"| {method} | {size} | {own.mean():.3f} | {own.min():.3f} to {own.max():.3f} | {width[method, size]:.2f} |"
        for (method, size), own in held
    ]
    return _table(["method", "rules", "held", "by table and ensemble", "width"], lines)


def _cell(value: float | None) -> str:
    return "–" if value is None or pd.isna(value) else f"{value:.3f}"


def _table(headings: list[str], lines: list[str]) -> str:
    return "\n".join([f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}", *lines])


if __name__ == "__main__":
    results = read()
    print(*(make(results) for make in (fractions, against_cart, by_table, coverage)), sep="\n\n")
