"""What can be wrong with the records that a map is learned from."""

from rulekit.core.errors import RulekitError


class CalibrationDataError(RulekitError, ValueError):
    """A map cannot be learned from these records."""


class SeenRecordsWarning(UserWarning):
    """The probabilities that a map is learned from may belong to records that the ensemble was trained on."""
