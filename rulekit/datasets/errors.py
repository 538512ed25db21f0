"""What can go wrong with a dataset, one class for each cause."""

from rulekit.core.errors import RulekitError


class DatasetError(RulekitError, ValueError):
    """A dataset cannot be used as it is; base of the other errors here."""


class UnknownDatasetError(DatasetError):
    """There is no dataset of that name, file or id."""


class UnreachableDatasetError(DatasetError):
    """OpenML could not be reached."""


class TableWarning(UserWarning):
    """Something about a table's file was guessed, such as the separator of its values."""
