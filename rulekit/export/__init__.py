"""Rules for other programs: one target, one file; `RuleSet.export` writes any of them to a file."""

from typing import TYPE_CHECKING

from rulekit.core.lazy import lazy_names

if TYPE_CHECKING:
    from rulekit.export.c_source import to_c
    from rulekit.export.json_text import json_schema, to_json
    from rulekit.export.onnx_graph import to_onnx
    from rulekit.export.pmml_model import to_pmml
    from rulekit.export.python_source import to_python
    from rulekit.export.sql_query import to_sql
    from rulekit.export.tables import to_csv, to_excel

__all__ = ["json_schema", "to_c", "to_csv", "to_excel", "to_json", "to_onnx", "to_pmml", "to_python", "to_sql"]

# The formats are registered before the first fit; the functions that write them are seldom needed there.
_HOMES = {
    "json_schema": "rulekit.export.json_text",
    "to_c": "rulekit.export.c_source",
    "to_csv": "rulekit.export.tables",
    "to_excel": "rulekit.export.tables",
    "to_json": "rulekit.export.json_text",
    "to_onnx": "rulekit.export.onnx_graph",
    "to_pmml": "rulekit.export.pmml_model",
    "to_python": "rulekit.export.python_source",
    "to_sql": "rulekit.export.sql_query",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
