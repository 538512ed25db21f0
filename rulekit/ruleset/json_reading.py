"""From JSON to a document, strictly: ambiguous JSON is rejected."""

import json
from collections import Counter
from typing import Any, NoReturn

from rulekit.core.errors import RuleSetFormatError
from rulekit.core.messages import short
from rulekit.ruleset.limits import MAX_DIGITS, MAX_FILE_BYTES, MAX_FILE_VALUES


def parse(document: str | bytes) -> Any:
    """Parse JSON; raise `RuleSetFormatError` for anything else, and for repeated keys, NaN and huge numbers."""
    if not isinstance(document, str | bytes | bytearray):
        raise TypeError(
            f"from_json expects a string or bytes, got {short(document)}. Read a file first: "
            "from_json(Path('rules.json').read_bytes())."
        )
    check_size(len(document))
    try:
        string = document if isinstance(document, str) else document.decode("utf-8")
        _check_count(string)
        return json.loads(
            string,
            object_pairs_hook=_without_repetition,
            parse_constant=_reject_constant,
            parse_int=_short_number,
        )
    except RecursionError:
        raise RuleSetFormatError("This is not a ruleset: its JSON is nested too deeply.") from None
    except (ValueError, MemoryError) as error:
        if isinstance(error, RuleSetFormatError):
            raise
        raise RuleSetFormatError(f"This is not valid JSON: {error}. Export the rules again.") from error


def check_size(n_bytes: int) -> None:
    """Raise if a file is too large to be read."""
    if n_bytes > MAX_FILE_BYTES:
        raise RuleSetFormatError(f"The ruleset is too large: {n_bytes:,} bytes (limit {MAX_FILE_BYTES:,}).")


def _check_count(string: str) -> None:
    """Raise if JSON has too many values: a byte or two of it can take a hundred in memory."""
    # Each value but the outermost follows one of these characters. Those inside strings count too: an upper bound.
    n_values = sum(map(string.count, ",[{"))
    if n_values > MAX_FILE_VALUES:
        raise RuleSetFormatError(f"The ruleset is too large: {n_values:,} values (limit {MAX_FILE_VALUES:,}).")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise RuleSetFormatError(f"The ruleset is damaged: an object has the key {short(repeated)} twice.")
    return entries


def _reject_constant(name: str) -> NoReturn:
    raise RuleSetFormatError(f"The ruleset is damaged: {name} is not a number in JSON.")


def _short_number(digits: str) -> int:
    n_digits = len(digits.lstrip("-"))
    if n_digits > MAX_DIGITS:
        raise RuleSetFormatError(f"The ruleset is damaged: a number has {n_digits} digits (limit {MAX_DIGITS}).")
    return int(digits)
