"""The built-in formats: each encodes what a function of `rulekit.export` returns as the bytes of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rulekit import export
from rulekit.core.interfaces import Exporter

if TYPE_CHECKING:
    from rulekit.regression.rules import RegressionRules
    from rulekit.ruleset import RuleSet


class JsonExporter(Exporter):
    """The exact document, which `from_json` of the rules' class reads back."""

    suffix: ClassVar[str] = ".json"
    takes_numbers: ClassVar[bool] = True

    def export(self, ruleset: RuleSet | RegressionRules) -> bytes:
        """JSON in UTF-8; see `rulekit.export.to_json`."""
        return export.to_json(ruleset).encode()


class PythonExporter(Exporter):
    """A Python module without dependencies."""

    suffix: ClassVar[str] = ".py"
    takes_numbers: ClassVar[bool] = True

    def export(self, ruleset: RuleSet | RegressionRules) -> bytes:
        """Source in UTF-8; see `rulekit.export.to_python`."""
        return export.to_python(ruleset).encode()


class SqlExporter(Exporter):
    """A query for SQLite, DuckDB and similar databases.

    Parameters
    ----------
    table : str, default="samples"
        Name of the table or view with the samples.
    keep : sequence of str, default=()
        Columns of the table to include in the result, such as its key.
    columns : sequence of str, default=()
        The table's names of the features, in order; if empty, the ruleset's names.
    """

    suffix: ClassVar[str] = ".sql"
    takes_numbers: ClassVar[bool] = True

    def __init__(self, table: str = "samples", keep: Sequence[str] = (), columns: Sequence[str] = ()) -> None:
        self.table = table
        self.keep = keep
        self.columns = columns

    def export(self, ruleset: RuleSet | RegressionRules) -> bytes:
        """A query in UTF-8; see `rulekit.export.to_sql`."""
        return export.to_sql(ruleset, self.table, self.keep, self.columns or None).encode()


class CExporter(Exporter):
    """A C99 function.

    Parameters
    ----------
    name : str, default="rules"
        Prefix of every name in the file.
    """

    suffix: ClassVar[str] = ".c"
    takes_numbers: ClassVar[bool] = True

    def __init__(self, name: str = "rules") -> None:
        self.name = name

    def export(self, ruleset: RuleSet | RegressionRules) -> bytes:
        """Source in UTF-8; see `rulekit.export.to_c`."""
        return export.to_c(ruleset, self.name).encode()


class PmmlExporter(Exporter):
    """A PMML 4.4 RuleSetModel.

    Parameters
    ----------
    columns : sequence of str, default=()
        Other names for the features, in order; if empty, the ruleset's names.
    """

    suffix: ClassVar[str] = ".pmml"

    def __init__(self, columns: Sequence[str] = ()) -> None:
        self.columns = columns

    def export(self, ruleset: RuleSet) -> bytes:
        """XML in UTF-8; see `rulekit.export.to_pmml`."""
        return export.to_pmml(ruleset, self.columns or None).encode()


class OnnxExporter(Exporter):
    """An ONNX graph in double precision; needs the extra `onnx`."""

    suffix: ClassVar[str] = ".onnx"

    def export(self, ruleset: RuleSet) -> bytes:
        """A serialised model; see `rulekit.export.to_onnx`."""
        return bytes(export.to_onnx(ruleset).SerializeToString())


class CsvExporter(Exporter):
    """A table with one row per rule."""

    suffix: ClassVar[str] = ".csv"

    def export(self, ruleset: RuleSet) -> bytes:
        """CSV in UTF-8; see `rulekit.export.to_csv`."""
        return export.to_csv(ruleset).encode()


class ExcelExporter(Exporter):
    """A workbook of rules and conditions; needs the extra `excel`."""

    suffix: ClassVar[str] = ".xlsx"

    def export(self, ruleset: RuleSet) -> bytes:
        """A workbook, byte for byte the same for the same rules; see `rulekit.export.to_excel`."""
        from rulekit.export.tables import without_dates

        return without_dates(export.to_excel(ruleset))
