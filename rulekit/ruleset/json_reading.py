"""From JSON text to a document, strictly: what a reader could take in two ways is refused."""

import json
from collections import Counter
from typing import Any, NoReturn

from rulekit.core.errors import RuleSetFormatError
from rulekit.core.messages import short
from rulekit.ruleset.limits import MAX_DIGITS, MAX_FILE_BYTES, MAX_FILE_VALUES


def parse(text: str | bytes) -> Any:
    """The value of a JSON text; `RuleSetFormatError` for all else, and for repeated keys, NaN and huge numbers."""
    if not isinstance(text, str | bytes | bytearray):
        raise TypeError(
            f"RuleSet.from_json takes text or bytes, got {short(text)}. Read a file first: "
            "RuleSet.from_json(Path('rules.json').read_bytes())."
        )
    check_size(len(text))
    try:
        text = text if isinstance(text, str) else text.decode("utf-8")
        _check_count(text)
        return json.loads(
            text,
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


def _check_count(text: str) -> None:
    """Raise if a text has too many values: a byte or two of it can become a hundred in memory."""
    # Each value but the outermost comes after one of these signs. Those in names are counted too: it is a bound.
    n_values = sum(map(text.count, ",[{"))
    if n_values > MAX_FILE_VALUES:
        raise RuleSetFormatError(
            f"This is not read: it has {n_values:,} values, and a ruleset may have {MAX_FILE_VALUES:,} at most."
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
