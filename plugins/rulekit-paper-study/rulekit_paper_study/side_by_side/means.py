"""Means side by side: the main tables, by dataset, aggregate inference, calibration, sensitivity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import pandas as pd

from rulekit.study.report import Part
from rulekit.study.statistics import compare_pair, exact_mean, fold_values, having, outcome, with_family
from rulekit.study.tables import Table, counted, mean_sd, number, p_value
from rulekit_paper_study.names import sensitivity_variant
from rulekit_paper_study.side_by_side.ours import RC_PLUS, RCPROB, Sides, at, mean_of, missing

#: How far a number of rules may be from the published one and still agree.
NEAR = 0.30


def main_tables(sides: Sides) -> Iterator[Part]:
    """Each variant by each measure."""
    rows = sides.published.main
    for ensemble in sides.ensembles():
        published = rows[rows["ensemble"] == ensemble].set_index(["measure", "variant"])
        yield from _mean_table(sides, published, ensemble, "main", f"Main table, {ensemble}", is_by_dataset=True)


def calibration_tables(sides: Sides) -> Iterator[Part]:
    """Each calibrated variant by each measure, if there is one."""
    rows = sides.published.calibration
    names = list(dict.fromkeys(rows["variant"]))
    calibrated = [name for name in names if " " in name]
    for ensemble in sides.ensembles():
        if not sides.present(calibrated, ensemble):
            yield missing(f"Calibration, {ensemble}", ["calibrated variant, such as rcprob temperature"])
            continue
        published = rows[rows["ensemble"] == ensemble].set_index(["measure", "variant"])
        title = f"Post-hoc calibration, {ensemble}"
        yield from _mean_table(sides, published, ensemble, "calibration", title, is_by_dataset=False)


def _mean_table(
    sides: Sides, published: pd.DataFrame, ensemble: str, name: str, title: str, *, is_by_dataset: bool
) -> Iterator[Part]:
    measures = list(dict.fromkeys(published.index.get_level_values("measure")))
    variants = list(dict.fromkeys(published.index.get_level_values("variant")))
    numbers: list[dict[str, Any]] = []
    for measure in measures:
        shown = sides.present([each for each in variants if (measure, each) in published.index], ensemble, measure)
        if shown:
            numbers += _mean_rows(sides, published, ensemble, measure, shown)
    lacking = [each for each in variants if each not in {row["variant"] for row in numbers}]
    if numbers:
        table = _table_of_means(sides, numbers, f"published {name} {ensemble}", title)
        yield table if is_by_dataset else _without_same_datasets(table)
    if lacking:
        yield missing(title, lacking)


def _mean_rows(
    sides: Sides, published: pd.DataFrame, ensemble: str, measure: str, variants: Sequence[str]
) -> list[dict[str, Any]]:
    ours = sides.means(measure, ensemble, variants).table
    same = sides.published_means(measure, ensemble, list(ours.index))
    return [
        {
            "measure": measure,
            "variant": variant,
            "published_mean": at(published, (measure, variant), "mean"),
            "published_sd": at(published, (measure, variant), "sd"),
            "same_mean": mean_of(same, variant)[0],
            "same_sd": mean_of(same, variant)[1],
            "our_mean": mean_of(ours, variant)[0],
            "our_sd": mean_of(ours, variant)[1],
            "n_datasets": len(ours),
        }
        for variant in variants
    ]


def _table_of_means(sides: Sides, numbers: list[dict[str, Any]], name: str, title: str) -> Table:
    rows = [
        [
            outcome(row["measure"]).title,
            row["variant"],
            *(
                mean_sd(row[f"{side}_mean"], row[f"{side}_sd"], outcome(row["measure"]).decimals)
                for side in ("published", "same", "our")
            ),
            str(row["n_datasets"]),
        ]
        for row in numbers
    ]
    headings = ["Measure", "Variant", "Published", _SAME, "Ours", "Our datasets"]
    note = f"Published means are over {counted(sides.published.n_datasets, 'dataset')}; on our datasets alone where the"
    return Table(name, title, headings, rows, pd.DataFrame(numbers), [f"{note} study has them by dataset."])


def _without_same_datasets(table: Table) -> Table:
    """Without what the main study says of our datasets: it had more samples to train on."""
    position = table.headings.index(_SAME)
    return attrs.evolve(
        table,
        headings=[*table.headings[:position], *table.headings[position + 1 :]],
        rows=[[*row[:position], *row[position + 1 :]] for row in table.rows],
        numbers=None if table.numbers is None else table.numbers.drop(columns=["same_mean", "same_sd"]),
        notes=["Published means are over six datasets, each split five times into 60, 20 and 20 percent."],
    )


def dataset_tables(sides: Sides) -> Iterator[Part]:
    """RC+ and RCProb on each dataset, by each measure that is published by dataset."""
    for ensemble in sides.ensembles():
        for measure in dict.fromkeys(sides.published.per_dataset["measure"]):
            title = f"{outcome(measure).heading} by dataset, {ensemble}"
            if not sides.present([RCPROB, RC_PLUS], ensemble, measure):
                yield missing(title, [RC_PLUS, RCPROB])
            elif sides.published_means(measure, ensemble, list(sides.everything["dataset"])).empty:
                yield missing(title, ["dataset of the published study"])
            else:
                yield _dataset_table(sides, ensemble, measure)


def _dataset_table(sides: Sides, ensemble: str, measure: str) -> Table:
    folds = fold_values(sides.everything, measure, ensemble=ensemble)
    shown = having(folds, [RC_PLUS, RCPROB])
    ours = pd.DataFrame({name: folds[name].dropna().groupby(level="dataset").agg(exact_mean) for name in shown})
    theirs = sides.published_means(measure, ensemble, list(ours.index))
    both = ours.loc[sorted(theirs.index, key=lambda name: (name in sides.apart, name))]
    decimals = 1 if measure == "n_rules" else 3
    rows = [
        [
            f"{dataset} (apart)" if dataset in sides.apart else str(dataset),
            *(number(at(side, dataset, name), decimals) for name in shown for side in (theirs, ours)),
        ]
        for dataset in both.index
    ]
    numbers = theirs.loc[both.index, shown].add_prefix("published ").join(both.add_prefix("ours "))
    headings = ["Dataset", *(f"{name} {side}" for name in shown for side in ("published", "ours"))]
    title = f"{outcome(measure).title} by dataset, {ensemble}"
    notes = [_nearness(theirs, both, name, sides) for name in shown] if measure == "n_rules" else []
    name = f"published by dataset {measure} {ensemble}"
    return Table(name, title, headings, rows, numbers.reset_index(names="dataset"), notes)


def distances(theirs: pd.DataFrame, ours: pd.DataFrame, variant: str) -> pd.Series:
    """How far ours is from the published number, relative to that, on each dataset that both sides have."""
    if variant not in theirs:
        return pd.Series(dtype=float)
    return (ours[variant] / theirs[variant] - 1).abs().dropna()


def _nearness(theirs: pd.DataFrame, ours: pd.DataFrame, variant: str, sides: Sides) -> str:
    together = ours.loc[[name for name in ours.index if name not in sides.apart]]
    found = distances(theirs, together, variant)
    n_near = int((found <= NEAR).sum())
    return f"{variant}: within {NEAR:.0%} of the published number on {n_near} of {counted(len(found), 'dataset')}."


def aggregate_tables(sides: Sides) -> Iterator[Part]:
    """RC+ and RCProb with aggregate inference."""
    first, second = f"{RCPROB} aggregate", f"{RC_PLUS} aggregate"
    for ensemble in sides.ensembles():
        lacking = [name for name in (second, first) if not sides.present([name], ensemble)]
        if lacking:
            yield missing(f"Aggregate inference, {ensemble}", lacking)
            continue
        rows = sides.published.aggregate
        published = rows[rows["ensemble"] == ensemble].set_index("measure")
        family = [name for name in published.index if sides.present([first], ensemble, name)]
        tests = compare_pair(sides.results, first, second, ensemble=ensemble, measures=family)
        tests = with_family(tests, family).loc[family]
        yield _aggregate_table(published, tests, ensemble, first, second)


def _aggregate_table(published: pd.DataFrame, tests: pd.DataFrame, ensemble: str, first: str, second: str) -> Table:
    rows = [
        [
            outcome(str(measure)).title,
            *(number(at(published, measure, name), outcome(str(measure)).decimals) for name in (second, first)),
            p_value(at(published, measure, "p_holm")),
            *(number(test[f"{side}_mean"], outcome(str(measure)).decimals) for side in ("second", "first")),
            p_value(test["p_holm"]),
        ]
        for measure, test in tests.iterrows()
    ]
    headings = [
        "Measure",
        *(f"{name} {side}" for side in ("published", "ours") for name in (second, first, "p (Holm)")),
    ]
    numbers = published.drop(columns="ensemble").add_prefix("published ").join(tests, how="inner").reset_index()
    return Table(f"published aggregate {ensemble}", f"Aggregate inference, {ensemble}", headings, rows, numbers)


def sensitivity_tables(sides: Sides) -> Iterator[Part]:
    """RCProb with other settings of n0 and tau."""
    for ensemble in sides.ensembles():
        published = sides.published.sensitivity
        published = published[published["ensemble"] == ensemble]
        settings = list(dict.fromkeys(zip(published["parameter"], published["value"], strict=True)))
        variants = {setting: sensitivity_variant(*setting) for setting in settings}
        shown = sides.present(list(dict.fromkeys(variants.values())), ensemble)
        if not shown:
            yield missing(f"Sensitivity, {ensemble}", ["variants n0=... and tau=..., see the profile sensitivity"])
            continue
        yield _sensitivity_table(sides, published, variants, shown, ensemble)


def _sensitivity_table(
    sides: Sides, published: pd.DataFrame, variants: dict[tuple[str, float], str], shown: Sequence[str], ensemble: str
) -> Table:
    measures = list(dict.fromkeys(published["measure"]))
    theirs = published.set_index(["parameter", "value", "measure"])["mean"]
    ours = {measure: sides.means(measure, ensemble, shown).table for measure in measures}
    numbers: list[dict[str, Any]] = [
        {
            "parameter": setting[0],
            "value": setting[1],
            **{f"published {measure}": float(theirs[(*setting, measure)]) for measure in measures},
            **{f"ours {measure}": mean_of(ours[measure], variant)[0] for measure in measures},
        }
        for setting, variant in variants.items()
        if variant in shown
    ]
    rows = [
        [
            f"{row['parameter']}={row['value']:g}",
            *(number(row[f"{side} {name}"], 2 if name == "n_rules" else 3) for name in measures for side in _SIDES),
        ]
        for row in numbers
    ]
    headings = ["Setting", *(f"{outcome(name).title} {side}" for name in measures for side in _SIDES)]
    note = "Neither the datasets nor the fixed ensembles are published: only the differences between settings count."
    name = f"published sensitivity {ensemble}"
    return Table(name, f"Sensitivity to n0 and tau, {ensemble}", headings, rows, pd.DataFrame(numbers), [note])


_SIDES = ("published", "ours")
_SAME = "Published, our datasets"
