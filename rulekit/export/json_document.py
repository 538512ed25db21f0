"""Rules as JSON, and the JSON Schema of these documents."""

import json
import re
from typing import Any

from rulekit.ruleset import RuleSet
from rulekit.ruleset.format import json_schema as ruleset_schema

# Quotes inside strings are escaped, so only a threshold can look like this.
INFINITE = re.compile(r'("(?:threshold|display)": -?)Infinity')


def to_json(ruleset: RuleSet) -> str:
    """The versioned document of `RuleSet.to_dict` as strict JSON; `RuleSet.from_json` reads it back.

    Parameters
    ----------
    ruleset : RuleSet
        With any registered inference mode.
    """
    document = json.dumps(ruleset.to_dict(), indent=2, ensure_ascii=False)
    # Some ensembles separate missing values by an infinite threshold. JSON has no infinity, but numbers that are too
    # large are read as infinite.
    return INFINITE.sub(r"\g<1>1e999", document) + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the documents that `to_json` writes, also in `ruleset.schema.json`."""
    return ruleset_schema()
