"""Where studies get their data from: a folder of tables, OpenML, scikit-learn, or a file of one's own."""

from rulekit.datasets.checking import Difference, check_published
from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import (
    DatasetError,
    PublishedMismatchError,
    PublishedMismatchWarning,
    UnknownDatasetError,
    UnreachableDatasetError,
)
from rulekit.datasets.folder import names
from rulekit.datasets.loading import load
from rulekit.datasets.published import PUBLISHED, PublishedDataset
from rulekit.datasets.published_loading import load_published

__all__ = [
    "PUBLISHED",
    "Dataset",
    "DatasetError",
    "Difference",
    "PublishedDataset",
    "PublishedMismatchError",
    "PublishedMismatchWarning",
    "UnknownDatasetError",
    "UnreachableDatasetError",
    "check_published",
    "load",
    "load_published",
    "names",
]
