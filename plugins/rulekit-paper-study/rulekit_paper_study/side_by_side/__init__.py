"""The published figures and ours, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from rulekit.study.figures import paired_scatter
from rulekit.study.report import Picture, Section
from rulekit.study.statistics import StoredRules, read_rules
from rulekit_paper_study.profiles import DOUBTFUL
from rulekit_paper_study.published import Published

if TYPE_CHECKING:
    import pandas as pd

    from rulekit_paper_study.side_by_side.ours import Sides


def side_by_side(
    published: Published,
    results: pd.DataFrame,
    rulesets: Iterable[StoredRules],
    *,
    profile: str | None = None,
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
    profile : str, optional
        Which profile the results are of: "calibration" and "sensitivity" are studies of their own, to be compared with
        tables of their own. None compares with all tables.
    apart : mapping of str to str, default=DOUBTFUL
        Datasets that only tables by dataset show, each with the reason.
    has_figures : bool, default=True
        Whether to draw the published log-loss by dataset.

    Returns
    -------
    sections : list of Section
        Each table where both sides have data, otherwise a line that says what is missing.
    """
    from rulekit_paper_study.side_by_side.ours import Sides

    facts = read_rules(each for each in rulesets if each[0]["dataset"] not in apart)
    sides = Sides(published, results[~results["dataset"].isin(apart)], results, facts, apart)
    if not sides.ensembles():
        return [Section("Published and ours", ["The results have no ensemble called rf or gbm."])]
    if profile in _STUDIES:
        return [_STUDIES[profile](sides)]
    own = [_elsewhere(name) if profile is not None else section(sides) for name, section in _STUDIES.items()]
    return [
        *_main_sections(sides),
        *own,
        _by_dataset(sides),
        *([Section("Published log-loss by dataset", [published_scatter(published)])] if has_figures else []),
    ]


def _main_sections(sides: Sides) -> list[Section]:
    from rulekit_paper_study.side_by_side import means, rules, tested

    inference = [*means.aggregate_tables(sides), *rules.identical_tables(sides)]
    return [
        Section("Published and ours: what should come out", list(tested.headline(sides))),
        Section("Published and ours: means", list(means.main_tables(sides))),
        Section("Published and ours: primary tests", list(tested.primary_tables(sides))),
        Section("Published and ours: secondary tests", list(tested.secondary_tables(sides))),
        Section("Published and ours: ranks", list(tested.rank_tables(sides))),
        Section("Published and ours: inference modes", inference),
        Section("Published and ours: rules", [*rules.diagnostics_tables(sides), *rules.use_tables(sides)]),
    ]


def _calibration(sides: Sides) -> Section:
    from rulekit_paper_study.side_by_side import means

    return Section("Published and ours: calibration", list(means.calibration_tables(sides)))


def _sensitivity(sides: Sides) -> Section:
    from rulekit_paper_study.side_by_side import means

    return Section("Published and ours: sensitivity", list(means.sensitivity_tables(sides)))


def _by_dataset(sides: Sides) -> Section:
    from rulekit_paper_study.side_by_side import means

    return Section("Published and ours: by dataset", list(means.dataset_tables(sides)))


#: Profiles that are studies of their own.
_STUDIES: dict[str, Callable[[Sides], Section]] = {"calibration": _calibration, "sensitivity": _sensitivity}


def _elsewhere(profile: str) -> Section:
    line = f"A study of its own, with a report of its own: `rulekit study run paper --profile {profile}`."
    return Section(f"Published and ours: {profile}", [line])


def published_scatter(published: Published) -> Picture:
    """The published log-loss of RCProb and RC+ on each dataset."""
    rows = published.per_dataset[published.per_dataset["measure"] == "log_loss"]
    panels = {
        str(ensemble): cells.pivot_table(index="dataset", columns="variant", values="value")
        for ensemble, cells in rows.groupby("ensemble", sort=False)
    }
    caption = "Published log-loss on each dataset; below the line rcprob is better than rc+."
    return Picture("published log-loss", caption, paired_scatter(panels, "rcprob", "rc+"))
