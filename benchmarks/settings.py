"""What the command line decides, for every benchmark."""

from collections.abc import Callable
from pathlib import Path

import attrs


def _say_nothing(step: str) -> None:
    pass


@attrs.frozen
class Settings:
    """How to measure.

    Attributes
    ----------
    data : Path
        Folder of the datasets, one CSV file each, with the classes in the column `target`.
    datasets : tuple of str
    engines : tuple of {"numba", "numpy"}
    cache : Path
        Folder of the forests that take minutes to train.
    repeats : int
        Runs that count; the median is taken.
    peers : tuple of str or None
        Names of the peers to run; None for all.
    mixed : Path
        Folder of the tables with categories.
    time_limit : float or None
        Seconds after which work that may take hours is stopped; None leaves it to the benchmark.
    announce : callable
        Told what is measured next.
    """

    data: Path
    datasets: tuple[str, ...]
    engines: tuple[str, ...]
    cache: Path
    repeats: int = 3
    peers: tuple[str, ...] | None = None
    mixed: Path = Path("../shared/mixed")
    time_limit: float | None = None
    announce: Callable[[str], None] = _say_nothing
