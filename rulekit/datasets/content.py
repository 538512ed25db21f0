"""The bytes of a table: a file, or what comes from the standard input."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import BinaryIO, Literal, Self, TextIO, cast

import attrs

from rulekit.datasets.errors import DatasetError, UnknownDatasetError
from rulekit.datasets.spelling import hint

Format = Literal["csv", "parquet", "excel"]

CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")
PARQUET_ENDINGS = (".parquet", ".pq")
EXCEL_ENDINGS = (".xlsx", ".xlsm")
ENDINGS = (*CSV_ENDINGS, *PARQUET_ENDINGS, *EXCEL_ENDINGS)
#: The path that stands for the standard input.
STANDARD_INPUT = Path("-")
#: What compressed files, Parquet files and Excel files begin with.
GZIP, PARQUET, ARCHIVE = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"


def is_table(spec: str) -> bool:
    """Whether a string is the name of a file that can be read, judging by its ending."""
    return spec.lower().endswith(ENDINGS)


@attrs.frozen
class Content:
    """A table's bytes, which can be read several times.

    Attributes
    ----------
    name : str
        For messages.
    format : {"csv", "parquet", "excel"}
    source : Path or bytes
    """

    name: str
    format: Format
    source: Path | bytes = attrs.field(repr=False)

    @classmethod
    def of(cls, path: Path) -> Self:
        """The file at a path, or the standard input; raise if there is none, or its format is not supported.

        The ending of a file's name says what it is; the standard input is known by its first bytes.
        """
        if path == STANDARD_INPUT:
            data = sys.stdin.buffer.read()
            starts: dict[bytes, Format] = {PARQUET: "parquet", ARCHIVE: "excel"}
            found = next((kind for start, kind in starts.items() if data.startswith(start)), "csv")
            return cls("standard input", cast(Format, found), data)
        if not path.is_file():
            beside = (each.name for each in path.parent.glob("*") if is_table(each.name))
            raise UnknownDatasetError(f"File not found: {path}.{hint(path.name, beside)}")
        if not is_table(path.name):
            raise DatasetError(
                f"The file format of {path} is not supported; its name should end in one of {', '.join(ENDINGS)}."
            )
        name = path.name.lower()
        is_typed = name.endswith((*PARQUET_ENDINGS, *EXCEL_ENDINGS))
        kind: Format = "csv" if not is_typed else "parquet" if name.endswith(PARQUET_ENDINGS) else "excel"
        return cls(str(path), kind, path)

    @property
    def has_tabs(self) -> bool:
        """Whether the name of the file says that tabs separate its values."""
        return isinstance(self.source, Path) and self.source.name.lower().endswith((".tsv", ".tsv.gz"))

    def open(self) -> BinaryIO:
        """The bytes from the beginning, without compression."""
        with self._raw() as file:
            is_compressed = file.read(len(GZIP)) == GZIP
        if not is_compressed:
            return self._raw()
        # Other than `GzipFile`, `gzip.open` closes the file that it opens.
        return cast(BinaryIO, gzip.open(self.source if isinstance(self.source, Path) else io.BytesIO(self.source)))

    def _raw(self) -> BinaryIO:
        return self.source.open("rb") if isinstance(self.source, Path) else io.BytesIO(self.source)

    def text(self) -> TextIO:
        """The lines, as UTF-8; what cannot be decoded is replaced."""
        return io.TextIOWrapper(self.open(), encoding="utf-8-sig", errors="replace", newline="")
