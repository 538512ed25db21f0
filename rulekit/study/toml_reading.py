"""From a study's file to a document: sizes are bounded, so that no file takes minutes to read."""

import re
import tomllib
from pathlib import Path
from typing import Any

from rulekit.core.messages import cut
from rulekit.study.errors import StudyDefinitionError

#: Far more than anybody writes, far less than exhausts a machine.
MAX_FILE_BYTES = 2**20
#: Parts of a key such as `variants.rcprob.parameters`: the time that `tomllib` takes grows with their square.
MAX_KEY_PARTS = 20
#: Texts and comments, closed or not, in which a dot parts nothing.
_TEXTS = re.compile(
    r""""{3}(?s:[^\\]|\\.)*?(?:"{3,5}|\\?\Z)|'{3}(?s:.)*?(?:'{3,5}|\Z)|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|#[^\n]*+"""
)
#: Signs that no key goes across.
_ENDS = re.compile(r"[\n=,{\[]")


def read_toml(path: Path) -> dict[str, Any]:
    """The document in a TOML file."""
    n_bytes = path.stat().st_size
    if n_bytes > MAX_FILE_BYTES:
        raise StudyDefinitionError(f"{path} is not read: it has {n_bytes:,} bytes, a study {MAX_FILE_BYTES:,} at most.")
    try:
        text = path.read_text(encoding="utf-8")
        _check_keys(path, text)
        return tomllib.loads(text)
    except StudyDefinitionError:
        raise
    # Beside what is no TOML: bytes that are no text, numbers of thousands of digits, tables in tables in tables.
    except (ValueError, RecursionError) as error:
        raise StudyDefinitionError(f"{path} is not a TOML file: {cut(str(error), 400)}.") from error


def _check_keys(path: Path, text: str) -> None:
    for key in _ENDS.split(_TEXTS.sub("''", text)):
        if key.count(".") >= MAX_KEY_PARTS:
            raise StudyDefinitionError(
                f"{path} is not read: the key {cut(key.strip())} has {key.count('.') + 1:,} parts, and one of a study "
                f"{MAX_KEY_PARTS} at most."
            )
