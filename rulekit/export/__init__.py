"""Rules for other programs, one module per format; `RuleSet.export` writes any of them to a file."""

from typing import TYPE_CHECKING

from rulekit.core.lazy import lazy_names

if TYPE_CHECKING:
    from rulekit.export.c_source import to_c
    from rulekit.export.json_document import json_schema, to_json
    from rulekit.export.onnx_graph import to_onnx
    from rulekit.export.pmml_model import to_pmml
    from rulekit.export.python_source import to_python
    from rulekit.export.sql_query import to_sql
    from rulekit.export.tables import to_csv, to_excel

__all__ = ["json_schema", "to_c", "to_csv", "to_excel", "to_json", "to_onnx", "to_pmml", "to_python", "to_sql"]

# Imported on first use: the formats are registered before every fit, which seldom needs these functions.
_MODULES = {
    "json_schema": "rulekit.export.json_document",
    "to_c": "rulekit.export.c_source",
    "to_csv": "rulekit.export.tables",
    "to_excel": "rulekit.export.tables",
    "to_json": "rulekit.export.json_document",
    "to_onnx": "rulekit.export.onnx_graph",
    "to_pmml": "rulekit.export.pmml_model",
    "to_python": "rulekit.export.python_source",
    "to_sql": "rulekit.export.sql_query",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
