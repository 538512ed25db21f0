"""Every published table beside ours on one page, from the stores of the main study, calibration and sensitivity."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from rulekit.study import Store, figures
from rulekit.study.report import Part, Picture, Section, write_report
from rulekit.study.tables import NOTHING, Table, status_frame, status_line
from rulekit_paper_study.datasets import PUBLISHED
from rulekit_paper_study.profiles import DOUBTFUL
from rulekit_paper_study.published import Published
from rulekit_paper_study.side_by_side import side_by_side

#: Figures of the main study's report that the page has, with captions.
FIGURES = {
    "log-loss-rcprob-rc-plus": "Log-loss of RCProb and RC+ on each dataset: RCProb is better below the line",
    **{
        f"{name}-{ensemble}": f"{caption}, {ensemble}"
        for ensemble in ("rf", "gbm")
        for name, caption in {
            "critical-difference": "Average ranks by log-loss; a bar joins methods that do not differ",
            "reliability": "Accuracy by predicted probability, over all held-out samples",
            "predicted": "Predicted probabilities of the rules",
        }.items()
    },
}
#: The methods that the published figures compare.
METHODS = ("ensemble", "rcprob", "rc+", "decision-tree", "intrees", "defragtrees")
_OUTER = ["dataset", "repeat", "fold"]


def write_page(stores: Mapping[str, Store], published: Published, path: Path) -> None:
    """Write the page, and its figures into a folder `figures` beside it.

    Parameters
    ----------
    stores : mapping of str to Store
        By the profile that they are of, the main study first: its figures are shown.
    published : Published
    path : Path
        Markdown file of the page.
    """
    results = {profile: store.results() for profile, store in stores.items()}
    # The main study says where calibration and sensitivity are to be found; their own sections replace that.
    sections = {
        section.title: section
        for profile, store in stores.items()
        for section in side_by_side(published, results[profile], _compared(store, store.rulesets()), profile=profile)
    }
    state = Section(
        "What was run",
        [part for profile, store in stores.items() for part in _state(profile, results[profile], store)],
    )
    main = next(iter(stores.values()))
    pictures = Section("Figures", _figures(results[next(iter(stores))], main, path.parent / "figures"))
    lines = ["# The published study: all tables\n", f"{_ORIGIN}\n"]
    for section in (state, pictures, *sections.values()):
        lines += [f"## {section.title}\n", *(_markdown(part, path.parent) for part in section.parts)]
    path.write_text("\n".join(lines), encoding="utf-8")


_ORIGIN = (
    "Every table of the study that introduced RCProb, published and ours, as `python -m rulekit_paper_study` writes "
    "them from stored results. [What they say](../reproduction.md) is a page of its own."
)


def _state(profile: str, results: pd.DataFrame, store: Store) -> Iterator[Part]:
    """Cells that are done, and the outer folds of each dataset and ensemble on which every variant is."""
    planned = store.planned()
    yield f"Profile `{profile}`: {status_line(status_frame(results, planned))}"
    yield fold_table(results, pd.DataFrame(planned), f"folds {profile}", f"Complete folds, {profile}")


def fold_table(results: pd.DataFrame, planned: pd.DataFrame, name: str, title: str) -> Table:
    """Outer folds of each dataset on which every cell of an ensemble is done, of those that are planned.

    Parameters
    ----------
    results : DataFrame
        One row per cell, as a store returns them.
    planned : DataFrame
        Keys of all cells: dataset, ensemble, variant, repeat, fold.
    name, title : str
        Of the table.
    """
    complete = _complete_folds(results, planned)
    counts = complete.groupby(level=["dataset", "ensemble"], sort=False).agg(["sum", "size"])
    ensembles = list(dict.fromkeys(planned["ensemble"]))
    datasets = sorted(dict.fromkeys(planned["dataset"]), key=_n_samples)
    rows = [
        [
            f"{dataset} (apart)" if dataset in DOUBTFUL else dataset,
            str(_n_samples(dataset) or NOTHING),
            *(f"{counts.loc[dataset, each]['sum']} of {counts.loc[dataset, each]['size']}" for each in ensembles),
        ]
        for dataset in datasets
    ]
    return Table(name, title, ["Dataset", "Samples", *ensembles], rows, counts.reset_index())


def _complete_folds(results: pd.DataFrame, planned: pd.DataFrame) -> pd.Series:
    """Whether every variant is done, for each dataset, repeat, fold and ensemble."""
    keys = [*_OUTER, "ensemble", "variant"]
    done = results.loc[results["status"] == "done", keys].assign(done=True)
    cells = planned.merge(done, on=keys, how="left")
    cells["done"] = cells["done"].notna()
    return cells.groupby([*_OUTER, "ensemble"], sort=False)["done"].all()


def _compared(store: Store, stored: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """What is stored of complete folds only: pooled over others, methods would not answer the same samples."""
    complete = _complete_folds(store.results(), pd.DataFrame(store.planned()))
    folds = set(complete[complete].index)
    return (each for each in stored if tuple(each[0][name] for name in (*_OUTER, "ensemble")) in folds)


def _n_samples(dataset: str) -> int:
    return PUBLISHED[dataset].n_samples if dataset in PUBLISHED else 0


def _figures(results: pd.DataFrame, store: Store, folder: Path) -> Sequence[Part]:
    """Copy the figures of the main study's report, and link those that it has."""
    folder.mkdir(parents=True, exist_ok=True)
    variants = [name for name in METHODS if name in set(results["variant"])]
    with TemporaryDirectory() as report:
        rules, predictions = _compared(store, store.rulesets()), _compared(store, store.predictions())
        write_report(results, rules, predictions, report, variants=variants, apart=DOUBTFUL, formats=("png",))
        found = [name for name in FIGURES if Path(report, "figures", f"{name}.png").exists()]
        for name in found:
            shutil.copyfile(Path(report, "figures", f"{name}.png"), folder / f"{name}.png")
    return [f"![{FIGURES[name]}](figures/{name}.png)\n\n{FIGURES[name]}." for name in found]


def _markdown(part: Part, folder: Path) -> str:
    if isinstance(part, Table):
        return part.to_markdown()
    if isinstance(part, Picture):
        stem = part.name.replace(" ", "-")
        figures.save(part.figure, folder / "figures", stem, ("png",))
        return f"![{part.caption}](figures/{stem}.png)\n\n{part.caption}\n"
    return f"{part}\n"
