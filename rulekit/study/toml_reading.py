"""From a study's file to a document: sizes are bounded, so that no file takes minutes to read."""

import re
import tomllib
from pathlib import Path
from typing import Any

from rulekit.core.messages import cut
from rulekit.study.errors import StudyDefinitionError

#: Far more than a study needs, far less than exhausts a machine.
MAX_FILE_BYTES = 2**20
#: Parts of a key such as `variants.rcprob.parameters`: the time that `tomllib` takes grows with their square.
MAX_KEY_PARTS = 20
#: Strings and comments, closed or not, in which a dot does not separate keys.
_STRINGS = re.compile(
    r""""{3}(?s:[^\\]|\\.)*?(?:"{3,5}|\\?\Z)|'{3}(?s:.)*?(?:'{3,5}|\Z)|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|#[^\n]*+"""
)
#: Signs that no key goes across.
_ENDS = re.compile(r"[\n=,{\[]")


def read_toml(path: Path) -> dict[str, Any]:
    """The document in a TOML file."""
    n_bytes = path.stat().st_size
    if n_bytes > MAX_FILE_BYTES:
        raise StudyDefinitionError(f"File too large: {path} has {n_bytes:,} bytes (limit {MAX_FILE_BYTES:,}).")
    try:
        content = path.read_text(encoding="utf-8")
        _check_keys(path, content)
        return tomllib.loads(content)
    except StudyDefinitionError:
        raise
    # Besides invalid TOML: bytes that are not UTF-8, numbers of thousands of digits, tables in tables in tables.
    except (ValueError, RecursionError) as error:
        raise StudyDefinitionError(f"{path} is not a TOML file: {cut(str(error), 400)}.") from error


def _check_keys(path: Path, content: str) -> None:
    for key in _ENDS.split(_STRINGS.sub("''", content)):
        if key.count(".") >= MAX_KEY_PARTS:
            raise StudyDefinitionError(
                f"{path}: the key {cut(key.strip())} has {key.count('.') + 1:,} parts (limit {MAX_KEY_PARTS})."
            )
