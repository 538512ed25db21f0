"""The tables of a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from rulekit.render.table import Table
from rulekit.study import tables
from rulekit.study.report.parts import Part, Section
from rulekit.study.report.reported import Reported
from rulekit.study.statistics import (
    RuleFacts,
    average_ranks,
    compare_pair,
    factor_effects,
    friedman_tests,
    level_means,
    levels_of,
    measured,
    median_changes,
    names_of,
    outcomes,
    post_hoc_tests,
)
from rulekit.study.statistics.several import FEWEST_VARIANTS

if TYPE_CHECKING:
    import pandas as pd


def state(
    results: pd.DataFrame, status: pd.DataFrame, versions: Iterable[Mapping[str, Any]], apart: Mapping[str, str]
) -> Section:
    """Progress of the study, and the versions that it ran with."""
    failures = tables.failure_table(results)
    parts: list[Part] = [
        tables.status_line(status),
        tables.status_table(status),
        "The dataset is the unit of every mean and test: the values of its folds are averaged first. A dataset or fold "
        "without a value for one of the variants that are compared is left out, and counted.",
    ]
    there = names_of(results, "dataset")
    parts += [
        f"{name} is reported separately, in the tables by dataset only. {why}"
        for name, why in apart.items()
        if name in there
    ]
    parts += [failures] if failures.rows else []
    parts += [
        f"Made with {', '.join(f'{name} {_plain(version)}' for name, version in each.items())}." for each in versions
    ]
    return Section("State", parts)


def ensemble_sections(study: Reported) -> Iterator[Section]:
    """Means, tests and ranks, a section for each ensemble."""
    for ensemble in study.ensembles:
        cells = study.together[study.together["ensemble"] == ensemble]
        parts = [
            *_overviews(study, cells, ensemble),
            *_factors(study, cells, ensemble),
            *_tests(study, cells, ensemble),
        ]
        yield Section(f"Ensemble {ensemble}", parts)


def _overviews(study: Reported, cells: pd.DataFrame, ensemble: str) -> Iterator[Table]:
    known = outcomes()
    available = measured(cells, tuple(known))
    for name, is_structure in (("quality", False), ("structure", True)):
        chosen = [measure for measure in available if known[measure].is_structure == is_structure]
        if chosen:
            shown = [variant for variant in study.variants if variant in names_of(cells, "variant")]
            yield tables.overview(cells, ensemble=ensemble, variants=shown, measures=chosen, name=f"{name} {ensemble}")


def _factors(study: Reported, cells: pd.DataFrame, ensemble: str) -> Iterator[Table]:
    primary = measured(cells, study.primary)
    if not levels_of(cells) or not primary:
        return
    for measure in primary:
        means = level_means(cells, ensemble=ensemble, measure=measure)
        yield tables.level_table(means, measure, ensemble=ensemble, name=f"levels {measure} {ensemble}")
    effects = factor_effects(cells, ensemble=ensemble, measures=primary)
    yield tables.effect_table(effects, ensemble=ensemble, name=f"effects {ensemble}")


def _tests(study: Reported, cells: pd.DataFrame, ensemble: str) -> Iterator[Table]:
    known, family = names_of(cells, "variant"), measured(cells, study.measures)
    if study.reference not in known or not family:
        return
    methods = [name for name in study.methods if name in known]
    for position, other in enumerate(methods[1:]):
        tests = compare_pair(
            cells, study.reference, other, ensemble=ensemble, measures=study.measures, primary=study.primary
        )
        name = f"paired {ensemble} {study.reference} {other}"
        table = tables.paired_table(tests, study.reference, other, ensemble=ensemble, name=name)
        # The explanation of these tables is given once.
        yield attrs.evolve(table, notes=table.notes[1:]) if position else table
    if len(methods) >= FEWEST_VARIANTS:
        options: dict[str, Any] = {"ensemble": ensemble, "variants": methods, "measures": family}
        tested = {**options, "measures": [name for name in family if name in study.primary]}
        friedman, post_hoc = friedman_tests(cells, **tested), post_hoc_tests(cells, study.reference, **tested)
        if tested["measures"]:
            name = f"friedman {ensemble}"
            yield tables.friedman_table(friedman, post_hoc, study.reference, ensemble=ensemble, name=name)
        yield tables.rank_table(average_ranks(cells, **options), ensemble=ensemble, name=f"ranks {ensemble}")
    if len(methods) > 1:
        changes = median_changes(cells, study.reference, ensemble=ensemble, variants=methods, measures=family)
        yield tables.change_table(changes, study.reference, ensemble=ensemble, name=f"changes {ensemble}")


def rule_tables(study: Reported, facts: RuleFacts) -> list[Part]:
    """Predicted probabilities of the rules, their held-out precision, and their use."""
    if facts.cells.empty:
        return ["No rulesets are stored."]
    chosen = RuleFacts(*(each[each["variant"].isin(study.variants)] for each in (facts.rules, facts.cells)))
    return [tables.diagnostics_table(chosen), tables.use_table(chosen)]


def dataset_tables(study: Reported) -> Iterator[Table]:
    """A table for each ensemble and measure that is a headline."""
    headlines = [name for name, each in outcomes().items() if each.is_headline or name in study.primary]
    for ensemble in study.ensembles:
        for measure in measured(study.results, headlines):
            name = f"by dataset {measure} {ensemble}"
            yield tables.per_dataset(study.results, measure, ensemble=ensemble, variants=study.variants, name=name)


def _plain(version: Any) -> str:
    """A version, or several, as of plugins."""
    return str(version) if isinstance(version, str) else ", ".join(map(str, version)) or "none"
