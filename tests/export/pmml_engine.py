"""Scores PMML documents with JPMML, in a process of its own: `python pmml_engine.py < jobs > answers`, JSON lines.

A job is [document, names of columns, rows]; its answer lists a dictionary of results, or the error, for each row.
"""

import json
import sys

from jpmml_evaluator import PythonEvaluatorUtil, make_backend, make_evaluator


def main() -> None:
    backend = make_backend("jpype")
    for line in sys.stdin:
        document, names, rows = json.loads(line)
        evaluator = make_evaluator(document.encode("utf-8"), backend)
        # NaN is how these tests write a missing value; None is how the engine does.
        columns = [[None if value != value else value for value in column] for column in zip(*rows, strict=True)]
        found = PythonEvaluatorUtil.evaluateAll(
            backend, evaluator.javaEvaluator, {"columns": names, "data": columns}, None, 1
        )
        answers = [dict(zip(found["columns"], values, strict=True)) for values in zip(*found["data"], strict=True)]
        print(json.dumps([answers, found["errors"]]))


if __name__ == "__main__":
    main()
