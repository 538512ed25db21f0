"""From JSON text to a document, strictly: what a reader could take in two ways is refused."""

import json
from collections import Counter
from typing import Any, NoReturn

from rulekit.core.errors import RuleSetFormatError
from rulekit.ruleset.limits import MAX_DIGITS, MAX_FILE_BYTES
from rulekit.ruleset.shape import short


def parse(text: str | bytes) -> Any:
    """The value of a JSON text; `RuleSetFormatError` for all else, and for repeated keys, NaN and huge numbers."""
    check_size(len(text))
    try:
        return json.loads(
            text.decode("utf-8") if isinstance(text, bytes) else text,
            object_pairs_hook=_without_repetition,
            parse_constant=_refuse_constant,
            parse_int=_short_number,
        )
    except RecursionError:
        raise RuleSetFormatError("This is not a ruleset: its JSON is nested too deeply.") from None
    except (ValueError, MemoryError) as error:
        if isinstance(error, RuleSetFormatError):
            raise
        raise RuleSetFormatError(f"This is not a JSON file, as rulekit writes it: {error}.") from error


def check_size(n_bytes: int) -> None:
    """Raise if a file is too large to be read."""
    if n_bytes > MAX_FILE_BYTES:
        raise RuleSetFormatError(
            f"This is not read: it has {n_bytes:,} bytes, and a ruleset may have {MAX_FILE_BYTES:,} at most."
        )


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise RuleSetFormatError(f"The ruleset is damaged: a table has the key {short(repeated)} twice.")
    return table


def _refuse_constant(name: str) -> NoReturn:
    raise RuleSetFormatError(f"The ruleset is damaged: {name} is no number in JSON.")


def _short_number(digits: str) -> int:
    n_digits = len(digits.lstrip("-"))
    if n_digits > MAX_DIGITS:
        raise RuleSetFormatError(f"The ruleset is damaged: a number has {n_digits} digits.")
    return int(digits)
