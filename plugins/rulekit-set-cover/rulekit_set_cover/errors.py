"""What the method warns of."""


class FidelityWarning(UserWarning):
    """The candidates do not suffice to agree with the ensemble as often as was asked for."""
