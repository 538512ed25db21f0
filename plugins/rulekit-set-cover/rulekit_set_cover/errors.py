"""Warnings of the method."""


class FidelityWarning(UserWarning):
    """The candidates are not sufficient to reach the requested fidelity."""
