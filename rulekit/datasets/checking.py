"""Whether a dataset is the one that the published study describes."""

from __future__ import annotations

import attrs

from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import UnknownDatasetError
from rulekit.datasets.published import PUBLISHED, PublishedDataset
from rulekit.datasets.spelling import hint, listed

RATIO = "class ratio"


@attrs.frozen
class Difference:
    """One way in which a dataset is not as published.

    Attributes
    ----------
    what : {"samples", "features", "classes", "class ratio"}
    found, published : float
    """

    what: str
    found: float
    published: float

    def __str__(self) -> str:
        return f"{self.what}: {_readable(self.found)}, published {_readable(self.published)}"


def check_published(dataset: Dataset, name: str | None = None) -> tuple[Difference, ...]:
    """Compare a dataset's shape and class ratio with the published table.

    Parameters
    ----------
    dataset : Dataset
    name : str, optional
        Which row of the table; by default the one of the dataset's own name.

    Returns
    -------
    differences : tuple of Difference
        Empty if there are none. Labels are not compared: their coding is arbitrary.
    """
    published = find_published(dataset.name if name is None else name)
    counts = list(dataset.class_counts.values())
    compared = (
        Difference("samples", dataset.n_samples, published.n_samples),
        Difference("features", dataset.n_features, published.n_features),
        Difference("classes", len(counts), published.n_classes),
        Difference(RATIO, round(max(counts) / min(counts), 2), published.ratio),
    )
    return tuple(each for each in compared if each.found != each.published)


def find_published(name: str) -> PublishedDataset:
    """The row of the published table for a dataset; raise if there is none."""
    if name not in PUBLISHED:
        raise UnknownDatasetError(
            f"No published dataset is named {name!r}.{hint(name, PUBLISHED)} Published: {listed(PUBLISHED)}."
        )
    return PUBLISHED[name]


def _readable(number: float) -> str:
    return f"{number:.2f}" if isinstance(number, float) else str(number)
