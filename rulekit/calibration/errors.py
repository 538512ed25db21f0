"""What can be wrong with the samples that a map is learned from."""

from rulekit.core.errors import RulekitError


class CalibrationDataError(RulekitError, ValueError):
    """A map cannot be learned from these samples."""


class SeenSamplesWarning(UserWarning):
    """The probabilities that a map is learned from may belong to samples that the ensemble was trained on."""
