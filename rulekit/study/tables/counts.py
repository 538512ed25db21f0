"""What a table leaves out, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from rulekit.study.statistics import DatasetMeans, outcome
from rulekit.study.tables.numbers import counted, listed


def left_out_notes(means: Mapping[str, DatasetMeans]) -> list[str]:
    """Sentences on how many datasets there are, which are left out and which lack folds, measure by measure.

    Parameters
    ----------
    means : mapping of str to DatasetMeans
        By measure.
    """
    sizes = {each.n_datasets for each in means.values()}
    notes = [f"Over {counted(sizes.pop(), 'dataset')}."] if len(sizes) == 1 else []
    if sizes:
        notes += [f"Over {_by_measure({name: each.n_datasets for name, each in means.items()})} datasets."]
    for kind, reason in (
        ("left_out", "No value for every variant, so left out"),
        ("shortened", "Only folds that all have"),
    ):
        found: dict[tuple[str, ...], list[str]] = {}
        for name, each in means.items():
            found.setdefault(getattr(each, kind), []).append(outcome(name).heading)
        notes += [
            f"{reason}: {listed(datasets)} ({_which(names, means)})." for datasets, names in found.items() if datasets
        ]
    return notes


def _by_measure(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{size} ({outcome(name).heading})" for name, size in sizes.items())


def _which(names: list[str], means: Mapping[str, DatasetMeans]) -> str:
    return "all measures" if len(names) == len(means) > 1 else listed(names)
