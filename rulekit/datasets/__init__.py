"""Datasets of studies: from a folder of tables, OpenML, scikit-learn, or the user's own file."""

from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import DatasetError, TableWarning, UnknownDatasetError, UnreachableDatasetError
from rulekit.datasets.folder import names
from rulekit.datasets.loading import load

__all__ = ["Dataset", "DatasetError", "TableWarning", "UnknownDatasetError", "UnreachableDatasetError", "load", "names"]
