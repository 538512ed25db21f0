"""The figures of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rulekit.study import figures
from rulekit.study.report.parts import Picture
from rulekit.study.report.reported import Reported
from rulekit.study.statistics import RuleFacts, dataset_means, levels_of, measured, names_of, outcome, predicted_bands
from rulekit.study.statistics.paired import FEWEST_DATASETS
from rulekit.study.statistics.several import FEWEST_VARIANTS

if TYPE_CHECKING:
    import pandas as pd


def pictures(study: Reported, facts: RuleFacts, bins: pd.DataFrame) -> Iterator[Picture | str]:
    """Every figure that the results have the data for, and a line where one is missing."""
    if measured(study.together, ["log_loss"]):
        yield from _scatters(study)
        for ensemble in study.ensembles:
            yield from _rank_picture(study, ensemble)
            yield from _trade_off(study, ensemble)
    for ensemble in study.ensembles:
        yield from _interactions(study, ensemble)
    yield from _probability_pictures(study, facts, bins)


def _scatters(study: Reported) -> Iterator[Picture]:
    for other in study.others:
        pair = [study.reference, other]
        means = {
            ensemble: dataset_means(study.together, "log_loss", ensemble=ensemble, variants=pair).table
            for ensemble in study.ensembles
        }
        means = {ensemble: table for ensemble, table in means.items() if len(table)}
        if means:
            caption = f"Log-loss on each dataset; below the line {study.reference} is better than {other}."
            figure = figures.paired_scatter(means, study.reference, other)
            yield Picture(f"log-loss {study.reference} {other}", caption, figure)


def _rank_picture(study: Reported, ensemble: str) -> Iterator[Picture | str]:
    means = dataset_means(study.together, "log_loss", ensemble=ensemble, variants=_with_values(study, ensemble)).table
    if means.shape[1] < FEWEST_VARIANTS or len(means) < FEWEST_DATASETS:
        yield (
            f"No critical-difference diagram of {ensemble}: it needs {FEWEST_VARIANTS} variants and "
            f"{FEWEST_DATASETS} datasets that all of them have, but there are {means.shape[1]} and {len(means)}."
        )
        return
    caption = f"Average ranks by log-loss, {ensemble}; a bar joins variants that do not differ by Nemenyi's test."
    figure = figures.critical_difference_diagram(means, "log_loss", f"Log-loss, {ensemble}")
    yield Picture(f"critical-difference {ensemble}", caption, figure)


def _trade_off(study: Reported, ensemble: str) -> Iterator[Picture]:
    import pandas as pd

    if not measured(study.together, ["n_rules"]):
        return
    variants = _with_values(study, ensemble)
    points = pd.DataFrame(
        {
            measure: dataset_means(study.together, measure, ensemble=ensemble, variants=variants).table.mean()
            for measure in ("n_rules", "log_loss")
        }
    ).dropna()
    if len(points):
        caption = f"Number of rules against log-loss, means over the datasets, {ensemble}; filled: on the Pareto front."
        yield Picture(f"trade-off {ensemble}", caption, figures.trade_off(points, f"Size against log-loss, {ensemble}"))


def _interactions(study: Reported, ensemble: str) -> Iterator[Picture]:
    levels = levels_of(study.together)
    if len(levels) < 2:
        return
    variants = list(next(iter(levels.values())))
    for measure in measured(study.together, study.primary):
        means = dataset_means(study.together, measure, ensemble=ensemble, variants=variants).table
        if len(means):
            heading = f"{outcome(measure).heading} by two factors at a time, {ensemble}"
            figure = figures.interactions(means, levels, measure, heading)
            caption = f"{heading}: means over the datasets and over the other factors; parallel lines: no interaction."
            yield Picture(f"interactions {measure} {ensemble}", caption, figure)


def _with_values(study: Reported, ensemble: str) -> list[str]:
    cells = study.together[(study.together["ensemble"] == ensemble) & study.together["log_loss"].notna()]
    return [name for name in study.methods if name in names_of(cells, "variant")]


def _probability_pictures(study: Reported, facts: RuleFacts, bins: pd.DataFrame) -> Iterator[Picture]:
    bands = predicted_bands(facts.rules)
    for ensemble in study.ensembles:
        of_ensemble = bins[bins["ensemble"] == ensemble]
        shown = [name for name in study.variants if name in set(of_ensemble["variant"])]
        if shown:
            figure = figures.reliability(of_ensemble, shown, f"Reliability of predicted probabilities, {ensemble}")
            caption = f"Accuracy by predicted probability, over all held-out samples, {ensemble}."
            yield Picture(f"reliability {ensemble}", caption, figure)
        stating = [name for name in study.methods if (ensemble, name) in bands.index]
        if stating:
            fractions = bands.loc[[(ensemble, name) for name in stating]].droplevel("ensemble")
            figure = figures.predicted_probabilities(
                fractions, f"Predicted probabilities of non-default rules, {ensemble}"
            )
            yield Picture(
                f"predicted {ensemble}", f"Distribution of the rules' predicted probabilities, {ensemble}.", figure
            )
