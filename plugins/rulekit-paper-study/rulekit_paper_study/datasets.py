"""The 23 datasets of the published study, as its table describes them."""

from collections.abc import Mapping
from types import MappingProxyType

import attrs


@attrs.frozen
class PublishedDataset:
    """One row of the published table, and where to get the data.

    Attributes
    ----------
    name : str
    n_samples, n_features, n_classes : int
    ratio : float
        Samples of the largest class per sample of the smallest, to two decimals. The table has no counts by class.
    openml : int or None
        Id at OpenML; None where no dataset there is known to be the same.
    drops_missing : bool
        Whether OpenML's samples with missing values are not among the published ones.
    smallest_class : int
        OpenML's classes with fewer samples are not among the published ones.
    doubt : str
        Why the published ratio is not that of the data at hand, empty if it is.
    """

    name: str
    n_samples: int
    n_features: int
    n_classes: int
    ratio: float
    openml: int | None = None
    drops_missing: bool = attrs.field(default=False, kw_only=True)
    smallest_class: int = attrs.field(default=1, kw_only=True)
    doubt: str = attrs.field(default="", kw_only=True)


_CREDIT = (
    "The study does not say which credit data it means. Credit Approval of the UCI repository, one-hot encoded, has "
    "the published samples and features, but another class ratio: report its results apart."
)

_TABLE = (
    PublishedDataset("cryotherapy", 90, 6, 2, 1.14),
    PublishedDataset("divorce", 170, 54, 2, 1.02),
    PublishedDataset("heart", 270, 13, 2, 1.25, 53),
    PublishedDataset("ionosphere", 351, 34, 2, 1.79, 59),
    PublishedDataset("bands", 365, 19, 2, 1.70),
    PublishedDataset("credit", 666, 51, 2, 11.11, doubt=_CREDIT),
    PublishedDataset("wisconsin", 683, 9, 2, 1.86, 15, drops_missing=True),
    PublishedDataset("australian", 690, 14, 2, 1.25, 40981),
    PublishedDataset("pima", 768, 8, 2, 1.87, 37),
    PublishedDataset("mammographic", 830, 5, 2, 1.06),
    PublishedDataset("biodeg", 1055, 41, 2, 1.96, 1494),
    PublishedDataset("banknote", 1372, 4, 2, 1.25, 1462),
    PublishedDataset("cardiotoc", 2126, 21, 2, 3.51),
    PublishedDataset("spambase", 4601, 57, 2, 1.54, 44),
    PublishedDataset("pageblocks0", 5472, 10, 2, 8.79),
    PublishedDataset("occupancy", 8143, 5, 2, 3.71),
    PublishedDataset("maintenance", 10000, 8, 2, 28.50),
    PublishedDataset("htru2", 17898, 8, 2, 9.92),
    PublishedDataset("glass", 214, 9, 6, 8.44, 41),
    PublishedDataset("new-thyroid", 215, 5, 3, 5.00),
    PublishedDataset("ecoli", 327, 7, 5, 7.15, 39, smallest_class=10),
    PublishedDataset("vehicle", 845, 18, 4, 1.09),
    PublishedDataset("yeast", 1479, 8, 9, 23.15, 181, smallest_class=10),
)

#: The published datasets by name, in the order of the table.
PUBLISHED: Mapping[str, PublishedDataset] = MappingProxyType({each.name: each for each in _TABLE})
