"""Rules for other programs: one target, one file; `RuleSet.export` writes any of them to a file."""

from rulekit.export.c_source import to_c
from rulekit.export.json_text import json_schema, to_json
from rulekit.export.onnx_graph import to_onnx
from rulekit.export.pmml_model import to_pmml
from rulekit.export.python_source import to_python
from rulekit.export.sql_query import to_sql
from rulekit.export.tables import to_csv, to_excel

__all__ = ["json_schema", "to_c", "to_csv", "to_excel", "to_json", "to_onnx", "to_pmml", "to_python", "to_sql"]
