"""From stored results to a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulekit.study import tables
from rulekit.study.report.parts import Section
from rulekit.study.report.pictures import pictures
from rulekit.study.report.reported import Reported, chosen_reference, chosen_variants
from rulekit.study.report.sections import dataset_tables, ensemble_sections, rule_tables, state
from rulekit.study.report.writer import Writer
from rulekit.study.statistics import FAMILY, PRIMARY, StoredPredictions, StoredRules, read_rules, reliability_bins

if TYPE_CHECKING:
    import pandas as pd


def write_report(
    results: pd.DataFrame,
    rulesets: Iterable[StoredRules],
    predictions: Iterable[StoredPredictions],
    folder: str | Path,
    *,
    name: str = "study",
    reference: str | None = None,
    variants: Sequence[str] | None = None,
    primary: Sequence[str] = PRIMARY,
    measures: Sequence[str] = FAMILY,
    planned: Iterable[Mapping[str, Any]] = (),
    versions: Iterable[Mapping[str, Any]] = (),
    apart: Mapping[str, str] | None = None,
    sections: Sequence[Section] = (),
    formats: Sequence[str] = ("png", "svg"),
) -> Path:
    """Write the report of a study.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    rulesets : iterable of (key, document, diagnostics, use)
        As a store returns them; read once.
    predictions : iterable of (key, y, probabilities)
        As a store returns them; read once.
    folder : path
        Created if necessary. Files of an earlier report are overwritten.
    name : str, default="study"
        Of the study.
    reference : str, optional
        The variant that is compared with every other. None means "rcprob", or the first if there is no such variant.
    variants : sequence of str, optional
        Which to report, in this order. None means all, in order of appearance.
    primary : sequence of str, default=PRIMARY
        Measures that are tested, together.
    measures : sequence of str, default=FAMILY
        Measures by which the variants are described beside these.
    planned : iterable of mapping, optional
        Keys of all cells of the study, so that the report can list what is missing.
    versions : iterable of mapping, optional
        Libraries and their versions; several if the study went on after an upgrade.
    apart : mapping of str to str, optional
        Datasets that tables by dataset show, but means and tests leave out, each with the reason.
    sections : sequence of Section, optional
        Sections to add at the end.
    formats : sequence of str, default=("png", "svg")
        Of the figures; the first is linked. Without any there are no figures, and matplotlib is not needed.

    Returns
    -------
    path : Path
        The Markdown file, `report.md`. Tables are in `tables`, figures in `figures`.
    """
    apart = {} if apart is None else apart
    status = tables.status_frame(results, planned)
    together = results[~results["dataset"].isin(apart)]
    study = Reported(
        results,
        together,
        chosen_variants(results, variants),
        chosen_reference(results, variants, reference),
        primary,
        list(dict.fromkeys([*primary, *measures])),
    )
    facts = read_rules(each for each in rulesets if each[0]["dataset"] not in apart)
    bins = reliability_bins(each for each in predictions if each[0]["dataset"] not in apart)
    found = [
        state(results, status, versions, apart),
        *ensemble_sections(study),
        Section("Figures", list(pictures(study, facts, bins)) if formats else []),
        Section("Rules", rule_tables(study, facts)),
        Section("By dataset", list(dataset_tables(study))),
        *sections,
    ]
    return Writer(Path(folder), tuple(formats)).write(f"Report: {name}", found)
