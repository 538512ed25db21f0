"""Rows in a file, with the machine that they were measured on."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import attrs

from benchmarks.machine import machine, versions
from benchmarks.rows import Row

FORMAT: Final = "rulekit-benchmarks"
VERSION: Final = 1


class DocumentError(ValueError):
    """The file holds no rows of a benchmark."""


def document(rows: Iterable[Row]) -> dict[str, Any]:
    """Rows, machine and versions in plain types."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "machine": machine(),
        "versions": versions(),
        "rows": [{**attrs.asdict(row), "is_met": row.is_met} for row in rows],
    }


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a document as JSON."""
    path.write_text(json.dumps(document(rows), indent=2) + "\n", encoding="utf-8")


def read(path: Path) -> list[Row]:
    """The rows of a file that `write` wrote."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if (content["format"], content["version"]) != (FORMAT, VERSION):
            raise KeyError("format")
        names = attrs.fields_dict(Row)
        return [Row(**{name: entry[name] for name in names}) for entry in content["rows"]]
    except (ValueError, LookupError, TypeError) as error:
        raise DocumentError(
            f"{path} is not a file that `python -m benchmarks --out` of this version wrote: {error!r}."
        ) from error
