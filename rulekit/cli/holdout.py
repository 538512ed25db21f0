"""--test: the samples that are held out."""

from collections.abc import Sequence
from pathlib import Path

import attrs

from rulekit.cli.errors import CommandError
from rulekit.cli.samples import Samples, Takes, check_classes, matching, samples, split
from rulekit.cli.tabular import read_table
from rulekit.datasets.labels import Labels

DEFAULT_FRACTION = 0.3


@attrs.frozen
class Source:
    """Where samples come from, as given on the command line."""

    path: Path
    target: str
    drop: Sequence[str]
    separator: str
    takes: Takes = attrs.field(factory=Takes)
    labels: Labels = "auto"

    def read(self) -> Samples:
        """The samples; raise for columns of a type that is not supported."""
        table = read_table(self.path, self.separator, self.target, self.labels)
        return samples(table, self.target, self.drop, str(self.path), self.takes)


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
    whole = source.read()
    check_classes(whole, source.target, str(source.path))
    if isinstance(test, Path):
        # A file of held-out samples may have fewer labels, such as "1" alone where "01" is another class.
        labels: Labels = "string" if whole.y.dtype.kind == "U" else source.labels
        held_out = attrs.evolve(source, path=test, drop=_present(source, test), labels=labels).read()
        return whole, matching(held_out, whole, str(test))
    return split(whole, test, seed) if test else (whole, None)


def _present(source: Source, test: Path) -> list[str]:
    """The columns to drop that the held-out file has; some may be missing from it already."""
    columns = read_table(test, source.separator).columns
    return [column for column in source.drop if column in columns]
