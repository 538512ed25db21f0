"""Tests side by side: what was expected, the primary and secondary tests, and ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import pandas as pd

from rulekit.study.report import Part
from rulekit.study.statistics import (
    FAMILY,
    average_ranks,
    compare_pair,
    friedman_tests,
    measured,
    outcome,
    post_hoc_tests,
    with_family,
)
from rulekit.study.tables import NOTHING, Table, balance, counted, listed, number, p_value, percent, verdict_text
from rulekit_paper_study.side_by_side.means import NEAR, distances
from rulekit_paper_study.side_by_side.ours import RC_PLUS, RCPROB, Sides, at, missing

#: Text, measure, column of `compare_pair`, factor, limit, and whether it is the lowest that will do.
_LIMITS = (
    ("Datasets on which RCProb has the lower log-loss", "log_loss", "fraction_better", 100, 85.0, True),
    ("Median change of log-loss", "log_loss", "change", 1, -50.0, False),
    ("Median change of the number of rules", "n_rules", "change", 1, -25.0, False),
)


@attrs.frozen
class Expectation:
    """What should come out if the method is right.

    Attributes
    ----------
    text : str
    published, ours : float
        In percent.
    limit : float
    is_at_least : bool
        Whether the limit is the lowest value that will do, or the highest.
    """

    text: str
    published: float
    ours: float
    limit: float
    is_at_least: bool

    @property
    def holds(self) -> bool:
        """Whether ours keeps to the limit."""
        return self.ours >= self.limit if self.is_at_least else self.ours <= self.limit


def headline(sides: Sides) -> Iterator[Part]:
    """What should come out, what was published, and what came out."""
    for ensemble in sides.ensembles():
        lacking = _lacking(sides, ensemble)
        if lacking:
            yield missing(f"Expectations, {ensemble}", lacking)
            continue
        found = list(_expectations(sides, ensemble))
        rows = [
            [
                each.text,
                f"{'>=' if each.is_at_least else '<='} {each.limit:g}",
                *(number(value, 1) for value in (each.published, each.ours)),
                "yes" if each.holds else "no",
            ]
            for each in found
        ]
        headings = ["Expected, in percent", "Limit", "Published", "Ours", "Holds"]
        numbers = pd.DataFrame([{**attrs.asdict(each), "holds": each.holds} for each in found])
        note = f"Datasets on which RCProb has the higher log-loss: {_losses(sides, ensemble)}."
        yield Table(f"expected {ensemble}", f"What should come out, {ensemble}", headings, rows, numbers, [note])


def _losses(sides: Sides, ensemble: str) -> str:
    """Datasets on which RCProb has the higher log-loss, as published and here."""
    ours = sides.means("log_loss", ensemble, [RC_PLUS, RCPROB]).table
    theirs = sides.published_means("log_loss", ensemble, list(sides.published.per_dataset["dataset"].unique()))
    names = [sorted(means.index[means[RCPROB] > means[RC_PLUS]]) for means in (theirs, ours)]
    published, found = (listed([str(name) for name in each]) if each else "none" for each in names)
    return f"published {published}; ours {found}, of {counted(len(ours), 'dataset')}"


def _expectations(sides: Sides, ensemble: str) -> Iterator[Expectation]:
    options: dict[str, Any] = {"ensemble": ensemble, "measures": ["log_loss", "n_rules"]}
    ours = compare_pair(sides.results, RCPROB, RC_PLUS, **options)
    theirs = compare_pair(sides.published.results(), RCPROB, RC_PLUS, **options)
    for text, measure, column, factor, limit, is_at_least in _LIMITS:
        found = [factor * at(side, measure, column) for side in (theirs, ours)]
        yield Expectation(text, found[0], found[1], limit, is_at_least)
    means = sides.means("n_rules", ensemble, [RC_PLUS, RCPROB]).table
    published = sides.published_means("n_rules", ensemble, list(means.index))
    for variant in (RC_PLUS, RCPROB):
        distance = 100 * float(distances(published, means, variant).median())
        text = f"Median distance of the number of {variant} rules from the published one"
        yield Expectation(text, 0.0, distance, 100 * NEAR, is_at_least=False)


def primary_tables(sides: Sides) -> Iterator[Part]:
    """RCProb against RC+ by every measure."""
    for ensemble in sides.ensembles():
        lacking = _lacking(sides, ensemble)
        if lacking:
            yield missing(f"Primary tests, {ensemble}", lacking)
            continue
        rows = sides.published.primary
        published = rows[rows["ensemble"] == ensemble].set_index("measure")
        family = [name for name in published.index if name in measured(sides.results, FAMILY)]
        ours = compare_pair(sides.results, RCPROB, RC_PLUS, ensemble=ensemble, measures=family)
        # The published correction is over all twelve measures.
        ours = with_family(ours, family).loc[family]
        yield _primary_table(sides, published, ours, ensemble)


def _primary_table(sides: Sides, published: pd.DataFrame, ours: pd.DataFrame, ensemble: str) -> Table:
    same = _on_our_datasets(sides, ensemble)
    rows = [
        [
            outcome(str(measure)).title,
            percent(at(published, measure, "change")),
            p_value(at(published, measure, "p_holm")),
            percent(at(same, measure, "change")) if measure in same.index else NOTHING,
            percent(test["change"]),
            p_value(test["p_holm"]),
            balance(test["wins"], test["ties"], test["losses"]),
            f"{test['n_datasets']:.0f}",
        ]
        for measure, test in ours.iterrows()
    ]
    headings = [
        *("Measure", "Change (%) published", "p (Holm) published", "Change (%) published, our datasets"),
        *("Change (%) ours", "p (Holm) ours", "W/T/L ours", "Our datasets"),
    ]
    numbers = published.drop(columns="ensemble").add_prefix("published ").join(ours, how="inner")
    numbers = numbers.join(same["change"].rename("same change")).reset_index()
    note = "Changes on our datasets alone come from the published means by dataset, which have three decimals."
    title = f"Primary tests: RCProb against RC+, {ensemble}"
    return Table(f"published primary {ensemble}", title, headings, rows, numbers, [note])


def _on_our_datasets(sides: Sides, ensemble: str) -> pd.DataFrame:
    """The published comparison on the datasets that we have."""
    ours = sides.results[sides.results["ensemble"] == ensemble]
    published = sides.published.results()
    cells = published[published["dataset"].isin(set(ours["dataset"]))]
    if cells.empty:
        return pd.DataFrame({"change": []}, index=pd.Index([], name="measure"))
    return compare_pair(cells, RCPROB, RC_PLUS, ensemble=ensemble)


def secondary_tables(sides: Sides) -> Iterator[Part]:
    """Friedman's test, and RCProb against each other method."""
    for ensemble in sides.ensembles():
        rows = sides.published.secondary
        published = rows[rows["ensemble"] == ensemble]
        others = list(dict.fromkeys(published["other"]))
        shown = sides.present([RCPROB, *others], ensemble)
        if RCPROB not in shown or len(shown) == 1:
            yield missing(f"Secondary tests, {ensemble}", [RCPROB] if RCPROB not in shown else others)
            continue
        family = [name for name in dict.fromkeys(published["measure"]) if name in measured(sides.results, FAMILY)]
        options: dict[str, Any] = {"ensemble": ensemble, "variants": shown, "measures": family}
        friedman = friedman_tests(sides.results, **options)
        # The published correction is over the variants only, measure by measure.
        tests = [post_hoc_tests(sides.results, RCPROB, **options | {"measures": [name]}) for name in family]
        post_hoc = pd.concat(tests, ignore_index=True)
        yield _secondary_table(published, friedman, post_hoc, ensemble)
        if len(shown) <= len(others):
            yield missing(f"Secondary tests, {ensemble}", [name for name in others if name not in shown])


def _secondary_table(published: pd.DataFrame, friedman: pd.DataFrame, post_hoc: pd.DataFrame, ensemble: str) -> Table:
    both = post_hoc.merge(published, on=["measure", "other"], suffixes=(" ours", " published"))
    both = both.merge(friedman["p"].rename("friedman_p ours").reset_index(), on="measure")
    others = list(dict.fromkeys(both["other"]))
    rows = []
    for measure, cells in both.groupby("measure", sort=False):
        by_other = cells.set_index("other").to_dict("index")
        verdicts = [
            verdict_text(by_other[name][f"verdict {side}"], by_other[name][f"p_holm {side}"])
            for name in others
            for side in ("published", "ours")
        ]
        first = cells.iloc[0]
        rows.append(
            [outcome(str(measure)).title, p_value(first["friedman_p"]), p_value(first["friedman_p ours"]), *verdicts]
        )
    headings = ["Measure", "Friedman p published", "Friedman p ours"]
    headings += [f"{name} {side}" for name in others for side in ("published", "ours")]
    notes = [
        "B: RCProb is better, W: worse, n.s.: no significant difference. The published tests are among 5 methods, "
        f"ours among {counted(len(others) + 1, 'method')}."
    ]
    title = f"Secondary tests: RCProb against each other method, {ensemble}"
    return Table(f"published secondary {ensemble}", title, headings, rows, both, notes)


def rank_tables(sides: Sides) -> Iterator[Part]:
    """Average ranks."""
    for ensemble in sides.ensembles():
        rows = sides.published.ranks
        theirs = rows[rows["ensemble"] == ensemble].pivot_table(
            index="measure", columns="variant", values="rank", sort=False
        )
        shown = sides.present(list(theirs.columns), ensemble)
        if len(shown) < 2:
            yield missing(f"Ranks, {ensemble}", [name for name in theirs.columns if name not in shown])
            continue
        family = [name for name in theirs.index if name in measured(sides.results, FAMILY)]
        ours = average_ranks(sides.results, ensemble=ensemble, variants=shown, measures=family)
        yield _rank_table(theirs, ours, ensemble)


def _rank_table(theirs: pd.DataFrame, ours: pd.DataFrame, ensemble: str) -> Table:
    names = [str(name) for name in ours.columns]
    rows = [
        [
            outcome(str(measure)).title,
            *(number(at(side, measure, name), 2) for name in names for side in (theirs, ours)),
        ]
        for measure in ours.index
    ]
    headings = ["Measure", *(f"{name} {side}" for name in names for side in ("published", "ours"))]
    numbers = theirs[names].add_prefix("published ").join(ours.add_prefix("ours "), how="inner").reset_index()
    note = f"Published ranks are among {counted(theirs.shape[1], 'method')}, ours among {len(names)}"
    notes = [f"{note}: they are not to be compared." if len(names) < theirs.shape[1] else f"{note}."]
    if ours.isna().any(axis=None):
        notes.append("Where a method has no value, ours are among the others.")
    return Table(f"published ranks {ensemble}", f"Average ranks, {ensemble}", headings, rows, numbers, notes)


def _lacking(sides: Sides, ensemble: str) -> list[str]:
    return [name for name in (RC_PLUS, RCPROB) if not sides.present([name], ensemble)]
