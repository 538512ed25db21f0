"""What a benchmark returns: rows, each one figure. Printing, files and comparisons work on rows alone."""

import attrs

from benchmarks.measures import MEASURES


@attrs.frozen
class Row:
    """One measured figure.

    Attributes
    ----------
    benchmark : str
        Its name on the command line.
    engine : str
        "numba", "numpy", or "" where none took part.
    case : str
        What was measured, such as "pima RF rc+".
    measure : str
        A name of `benchmarks.measures`.
    value : float or None
        None where nothing could be measured; the detail says why.
    limit : float or None
        What the value is held against, if anything.
    detail : str
        The figures behind the value.
    """

    benchmark: str
    engine: str
    case: str
    measure: str
    value: float | None
    limit: float | None = None
    detail: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What identifies the same figure of another run."""
        return self.benchmark, self.engine, self.case, self.measure

    @property
    def is_met(self) -> bool | None:
        """Whether the limit is met; None if there is none, or no value."""
        if self.limit is None or self.value is None:
            return None
        return MEASURES[self.measure].is_within(self.value, self.limit)
