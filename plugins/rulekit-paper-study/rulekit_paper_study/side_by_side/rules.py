"""Rules side by side: diagnostics, use, and identical rulesets with both inference modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from rulekit.study.report import Part
from rulekit.study.statistics import diagnostics_summary, use_summary
from rulekit.study.tables import DIAGNOSTICS, USE, Table, number
from rulekit_paper_study.side_by_side.ours import RC_PLUS, RCPROB, Sides, at, missing

_SIDES = ("published", "ours")
_FOLD = ["dataset", "repeat", "fold"]
_PAIRS = ("log_loss", "log_loss_aggregate", "macro_f1", "macro_f1_aggregate")


def diagnostics_tables(sides: Sides) -> Iterator[Part]:
    """What the rules state, and what held-out samples say of it."""
    summary = diagnostics_summary(sides.facts)
    for ensemble in sides.ensembles():
        name, title = f"published diagnostics {ensemble}", f"Rule diagnostics, {ensemble}"
        yield from _facts_table(sides.published.diagnostics, summary, DIAGNOSTICS, ensemble, name, title)


def use_tables(sides: Sides) -> Iterator[Part]:
    """How the rules are used."""
    summary = use_summary(sides.facts)
    for ensemble in sides.ensembles():
        name, title = f"published use {ensemble}", f"Rule use, {ensemble}"
        yield from _facts_table(sides.published.use, summary, USE, ensemble, name, title)


def _facts_table(
    published: pd.DataFrame,
    summary: pd.DataFrame,
    shown: Mapping[str, tuple[str, int, int]],
    ensemble: str,
    name: str,
    title: str,
) -> Iterator[Part]:
    theirs = published[published["ensemble"] == ensemble].set_index(["fact", "variant"])["value"]
    variants = list(dict.fromkeys(theirs.index.get_level_values("variant")))
    having = [variant for variant in variants if (ensemble, variant) in summary.index]
    if having:
        numbers = [
            {
                "fact": fact,
                "variant": variant,
                "published": float(theirs[(fact, variant)]),
                "ours": at(summary, (ensemble, variant), fact),
            }
            for fact in shown
            for variant in having
        ]
        yield _table_of_facts(numbers, shown, having, name, title)
    if len(having) < len(variants):
        yield missing(title, [variant for variant in variants if variant not in having])


def _table_of_facts(
    numbers: list[dict[str, Any]], shown: Mapping[str, tuple[str, int, int]], variants: list[str], name: str, title: str
) -> Table:
    found = {(row["fact"], row["variant"]): row for row in numbers}
    rows = [
        [heading, *(number(found[fact, each][side] * factor, decimals) for each in variants for side in _SIDES)]
        for fact, (heading, factor, decimals) in shown.items()
    ]
    headings = ["", *(f"{variant} {side}" for variant in variants for side in _SIDES)]
    return Table(name, title, headings, rows, pd.DataFrame(numbers))


def identical_tables(sides: Sides) -> Iterator[Part]:
    """Cells in which decision list and aggregate inference came to the same ruleset: what the inference alone does."""
    theirs = sides.published.identical.set_index(["ensemble", "variant"]).to_dict("index")
    found = []
    for ensemble in sides.ensembles():
        for variant in (RC_PLUS, RCPROB):
            ours = identical_cells(sides, ensemble, variant)
            if ours is None:
                yield missing(
                    f"Identical rulesets, {ensemble}", [f"rulesets of both {variant} and {variant} aggregate"]
                )
            else:
                found.append(
                    {"ensemble": ensemble, "variant": variant, "published": theirs[ensemble, variant], "ours": ours}
                )
    if found:
        yield _identical_table(found)


def identical_cells(sides: Sides, ensemble: str, variant: str) -> dict[str, float] | None:
    """Number of cells with identical rulesets, and means over them; None if a variant is missing."""
    prints, values = (
        {
            name: frame[(frame["ensemble"] == ensemble) & (frame["variant"] == name)].set_index(_FOLD)
            for name in (variant, f"{variant} aggregate")
        }
        for frame in (sides.facts.cells, sides.results)
    )
    if any(frame.empty for frame in prints.values()):
        return None
    first, second = (frame["fingerprint"] for frame in prints.values())
    both = first.to_frame("first").join(second.rename("second"), how="inner")
    same = both.index[both["first"] == both["second"]]
    means: dict[str, float] = {"n_cells": float(len(same))}
    for column in _PAIRS:
        measure, of_aggregate = column.removesuffix("_aggregate"), column.endswith("_aggregate")
        cells = values[f"{variant} aggregate" if of_aggregate else variant]
        means[column] = float(cells.loc[same, measure].mean()) if len(same) else float(np.nan)
    return means


def _identical_table(found: list[dict[str, Any]]) -> Table:
    rows = [
        [
            row["ensemble"],
            row["variant"],
            *(number(row[side]["n_cells"], 0) for side in _SIDES),
            *(number(row[side][column], 3) for column in _PAIRS for side in _SIDES),
        ]
        for row in found
    ]
    names = ["Cells", "Log-loss, list", "Log-loss, aggregate", "Macro-F1, list", "Macro-F1, aggregate"]
    headings = ["Ensemble", "Variant", *(f"{name} {side}" for name in names for side in _SIDES)]
    numbers = pd.DataFrame(
        [
            {
                **{name: row[name] for name in ("ensemble", "variant")},
                **{f"{side} {name}": row[side][name] for side in _SIDES for name in ("n_cells", *_PAIRS)},
            }
            for row in found
        ]
    )
    note = "Means over the cells, not over the datasets."
    return Table("published identical", "Identical rulesets, both inference modes", headings, rows, numbers, [note])
