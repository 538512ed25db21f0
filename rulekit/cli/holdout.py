"""--test: the samples that are held out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pandas as pd

from rulekit.cli.class_names import labels_of_table, named, own_labels
from rulekit.cli.errors import CommandError
from rulekit.cli.samples import Samples, Takes, check_classes, check_few_numbers, matching, samples, split
from rulekit.cli.tabular import read_table, source_name
from rulekit.datasets.reading import Reading

DEFAULT_FRACTION = 0.3


@attrs.frozen
class Source:
    """Where samples come from, as given on the command line.

    Attributes
    ----------
    path : Path
    target : str
    drop : sequence of str
    reading : Reading
    takes : Takes
    classes : sequence of str or None
        Names of the classes.
    model : fitted model or None
        The one whose labels the names stand for; without it, those in the table, sorted.
    """

    path: Path
    target: str
    drop: Sequence[str] = ()
    reading: Reading = attrs.field(factory=Reading)
    takes: Takes = attrs.field(factory=Takes)
    classes: Sequence[str] | None = None
    model: Any = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return source_name(self.path)

    def table(self) -> pd.DataFrame:
        """The table with all its columns."""
        return read_table(self.path, self.reading, self.target)

    def samples(self, table: pd.DataFrame) -> Samples:
        """The samples of its table; raise for columns of a type that is not supported."""
        return samples(table, self.target, self.drop, self.name, self.takes)

    def with_names(self, found: Samples, own: Sequence[Any]) -> Samples:
        """Samples whose labels are the names of the classes, if there are any."""
        if self.classes is None:
            return found
        return attrs.evolve(found, y=named(found.y, self.classes, own, self.name))


def parse_test(value: str | None, *, has_model: bool) -> float | Path:
    """The fraction of samples to hold out, or a file of held-out samples.

    The default is 0.3; with a fitted model it is 0, since the model has probably seen all samples.
    """
    if value is None:
        return 0.0 if has_model else DEFAULT_FRACTION
    try:
        fraction = float(value)
    except ValueError:
        return Path(value)
    if 0 <= fraction < 1:
        return fraction
    raise CommandError(f"--test takes a fraction of the samples, at least 0 and below 1, or a file; got {value}.")


def train_and_test(source: Source, test: float | Path, seed: int) -> tuple[Samples, Samples | None]:
    """Training samples and those held out, if any."""
    if test == source.path == Path("-"):
        raise CommandError("DATA and --test are both the standard input. Write one of them to a file.")
    whole = source.samples(source.table())
    if source.model is None:
        check_few_numbers(whole, source.target, source.name)
    own = _own(source, whole)
    string_labels = whole.y.dtype.kind == "U"
    whole = source.with_names(whole, own)
    check_classes(whole, source.target, source.name)
    if not isinstance(test, Path):
        return split(whole, test, seed) if test else (whole, None)
    # A file of held-out samples may have fewer labels, such as "1" alone where "01" is another class.
    reading = attrs.evolve(source.reading, labels="string") if string_labels else source.reading
    other = attrs.evolve(source, path=test, reading=reading)
    table = other.table()
    # Some of the columns to drop may be missing from it already.
    other = attrs.evolve(other, drop=[column for column in source.drop if column in table.columns])
    held_out = other.with_names(other.samples(table), own)
    return whole, matching(held_out, whole, other.name)


def _own(source: Source, whole: Samples) -> list[Any]:
    """The labels that the names of the classes stand for."""
    if source.classes is None:
        return []
    if source.model is not None:
        return own_labels(source.model, source.classes)
    return labels_of_table(whole.y, source.classes, source.name)
