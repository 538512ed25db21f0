"""Rules as JSON, and the JSON Schema of these documents."""

import json
import re
from typing import Any

from rulekit.regression.rules import RegressionRules
from rulekit.ruleset import RuleSet
from rulekit.ruleset.format import json_schema as ruleset_schema

STRING_OR_INFINITE = re.compile(r'"(?:[^"\\]|\\.)*"|Infinity')


def to_json(ruleset: RuleSet | RegressionRules) -> str:
    """The versioned document of `to_dict` as strict JSON; `from_json` of the same class reads it back.

    Parameters
    ----------
    ruleset : RuleSet or RegressionRules
        A ruleset may have any registered inference mode.
    """
    document = json.dumps(ruleset.to_dict(), indent=2, ensure_ascii=False)
    # Some ensembles separate missing values by an infinite threshold, and intervals of a high level are infinite. JSON
    # has no infinity, but numbers that are too large are read as infinite.
    return STRING_OR_INFINITE.sub(_without_infinity, document) + "\n"


def _without_infinity(found: re.Match[str]) -> str:
    return "1e999" if found[0] == "Infinity" else found[0]


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the documents that `to_json` writes, also in `ruleset.schema.json`."""
    return ruleset_schema()
