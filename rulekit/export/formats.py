"""The formats by name, and writing a file in one of them."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs

from rulekit.core.errors import ExportError
from rulekit.ruleset import RuleSet


@attrs.frozen
class Format:
    """One way to write rules.

    Attributes
    ----------
    name : str
    suffix : str
        What names of such files end in.
    summary : str
    module : str
        Where the function that makes it lives.
    function : str
    encode : callable
        From what the function returns to the bytes of a file.
    """

    name: str
    suffix: str
    summary: str
    module: str
    function: str
    encode: Callable[[Any], bytes]

    def make(self, ruleset: RuleSet, **options: Any) -> bytes:
        """The content of a file."""
        try:
            made = getattr(import_module(f"rulekit.export.{self.module}"), self.function)
            return self.encode(made(ruleset, **options))
        except UnicodeEncodeError as error:
            raise ExportError(f"A name or label is no valid text: {error.object!r}. Rename it first.") from error


def _text(made: str) -> bytes:
    return made.encode("utf-8")


def _onnx(made: Any) -> bytes:
    return bytes(made.SerializeToString())


def _excel(made: Any) -> bytes:
    from io import BytesIO

    content = BytesIO()
    made.save(content)
    return content.getvalue()


FORMATS = {
    each.name: each
    for each in (
        Format("json", ".json", "the exact document, to be read back", "json_text", "to_json", _text),
        Format("python", ".py", "a function without dependencies", "python_source", "to_python", _text),
        Format("sql", ".sql", "a query for SQLite, DuckDB and relatives", "sql_query", "to_sql", _text),
        Format("c", ".c", "a C99 function", "c_source", "to_c", _text),
        Format("pmml", ".pmml", "a PMML 4.4 RuleSetModel", "pmml_model", "to_pmml", _text),
        Format("onnx", ".onnx", "a graph in double precision", "onnx_graph", "to_onnx", _onnx),
        Format("csv", ".csv", "a table, one line per rule", "tables", "to_csv", _text),
        Format("excel", ".xlsx", "a workbook of rules and conditions", "tables", "to_excel", _excel),
    )
}


def find_format(name: str | None, path: Path | None) -> Format:
    """The format of that name or, without a name, of the path's ending; raise `ExportError` if there is none."""
    known = ", ".join(f"{each.name} ({each.suffix})" for each in FORMATS.values())
    if name is not None:
        if name not in FORMATS:
            raise ExportError(f"There is no format {name!r}. Known: {known}.")
        return FORMATS[name]
    suffix = "" if path is None else path.suffix.lower()
    found = [each for each in FORMATS.values() if each.suffix == suffix]
    if not found:
        raise ExportError(f"The ending of {str(path)!r} names no format. Known: {known}. Name one with format=….")
    return found[0]


def write(ruleset: RuleSet, path: str | Path, format: str | None = None, **options: Any) -> None:
    """Write a ruleset to a file; see `RuleSet.export`."""
    content = find_format(format, Path(path)).make(ruleset, **options)
    Path(path).write_bytes(content)
