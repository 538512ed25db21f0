"""The published figures and ours, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rulekit.study.figures import paired_scatter
from rulekit.study.paper.profiles import DOUBTFUL
from rulekit.study.paper.published import Published
from rulekit.study.report.parts import Picture, Section
from rulekit.study.statistics import StoredRules, read_rules

if TYPE_CHECKING:
    import pandas as pd


def side_by_side(
    published: Published,
    results: pd.DataFrame,
    rulesets: Iterable[StoredRules],
    *,
    apart: Mapping[str, str] = DOUBTFUL,
    has_figures: bool = True,
) -> list[Section]:
    """Put the published figures beside ours, for `write_report`.

    Parameters
    ----------
    published : Published
        What `read_published` returned.
    results : DataFrame
        One row per cell, as a store returns them, with the variants of the profiles.
    rulesets : iterable of (key, document, diagnostics, use)
        As a store returns them; read once.
    apart : mapping of str to str, default=DOUBTFUL
        Datasets that only tables by dataset show, each with the reason.
    has_figures : bool, default=True
        Whether to draw the published log-loss by dataset.

    Returns
    -------
    sections : list of Section
        Each table where both sides have data, otherwise a line that says what is missing.
    """
    from rulekit.study.paper.side_by_side import means, rules, tested
    from rulekit.study.paper.side_by_side.ours import Sides

    facts = read_rules(each for each in rulesets if each[0]["dataset"] not in apart)
    sides = Sides(published, results[~results["dataset"].isin(apart)], results, facts, apart)
    if not sides.ensembles():
        return [Section("Published and ours", ["The results have no ensemble called rf or gbm."])]
    return [
        Section("Published and ours: what should come out", list(tested.headline(sides))),
        Section("Published and ours: means", list(means.main_tables(sides))),
        Section("Published and ours: primary tests", list(tested.primary_tables(sides))),
        Section("Published and ours: secondary tests", list(tested.secondary_tables(sides))),
        Section("Published and ours: ranks", list(tested.rank_tables(sides))),
        Section(
            "Published and ours: inference modes", [*means.aggregate_tables(sides), *rules.identical_tables(sides)]
        ),
        Section("Published and ours: rules", [*rules.diagnostics_tables(sides), *rules.use_tables(sides)]),
        Section("Published and ours: calibration", list(means.calibration_tables(sides))),
        Section("Published and ours: sensitivity", list(means.sensitivity_tables(sides))),
        Section("Published and ours: by dataset", list(means.dataset_tables(sides))),
        *([Section("Published log-loss by dataset", [published_scatter(published)])] if has_figures else []),
    ]


def published_scatter(published: Published) -> Picture:
    """The published log-loss of RCProb and RC+ on each dataset."""
    rows = published.per_dataset[published.per_dataset["measure"] == "log_loss"]
    panels = {
        str(ensemble): cells.pivot_table(index="dataset", columns="variant", values="value")
        for ensemble, cells in rows.groupby("ensemble", sort=False)
    }
    caption = "Published log-loss on each dataset; below the line rcprob is better than rc+."
    return Picture("published log-loss", caption, paired_scatter(panels, "rcprob", "rc+"))
