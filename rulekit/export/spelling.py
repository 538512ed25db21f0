"""Names and comments that are safe in any language."""

from collections.abc import Iterable, Sequence
from typing import Any

from rulekit.core.errors import ExportError
from rulekit.export.program import Clauses, Column

#: Limits of a signed 64-bit integer.
SMALLEST_INTEGER, LARGEST_INTEGER = -(2**63), 2**63 - 1


def one_line(words: str) -> str:
    """Words for a comment that ends with its line: characters that cannot be printed become spaces."""
    return "".join(character if character.isprintable() else " " for character in words)


def utf8(string: str) -> bytes:
    """The string in UTF-8; raise `ExportError` if it has a lone surrogate."""
    try:
        return string.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ExportError(f"{string!r} is not valid Unicode: {error.reason}. Rename it before fit.") from error


def needs_unsigned(labels: Sequence[int], target: str) -> bool:
    """Whether the integers need an unsigned 64-bit type; raise `ExportError` if no 64-bit type holds them all."""
    low, high = min(labels), max(labels)
    if low >= SMALLEST_INTEGER and high <= LARGEST_INTEGER:
        return False
    if low >= 0 and high < 2**64:
        return True
    raise ExportError(
        f"Not supported in {target}: integer labels from {low} to {high}, which no 64-bit type holds. "
        "Convert the labels to strings before fit."
    )


class Names:
    """Names that differ even if case is ignored.

    Parameters
    ----------
    taken : iterable of str
        Names that are in use.

    Examples
    --------
    >>> names = Names(["Class"])
    >>> names.new("rule"), names.new("class"), names.new("class")
    ('rule', 'class_2', 'class_3')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        # The number to try next, by lower-case name: colliding names are not counted from 2 each time.
        self._numbers = {each.lower(): 2 for each in taken}

    def new(self, name: str) -> str:
        """The name, with a number if it is taken."""
        key, chosen = name.lower(), name
        while chosen.lower() in self._numbers:
            chosen = f"{name}_{self._numbers[key]}"
            self._numbers[key] += 1
        self._numbers[chosen.lower()] = 2
        return chosen


def column_names(
    program: Clauses[Any], columns: Sequence[str] | None, target: str, *, any_case: bool
) -> dict[Column, str]:
    """Names of the tested columns in the exported file; raise `ExportError` if they are not different.

    Parameters
    ----------
    program : Clauses
    columns : sequence of str or None
        Other names, one for each column of the ruleset; None keeps the ruleset's own.
    target : str
        Name of the format, for the error message.
    any_case : bool
        Whether the format ignores case, so that `a` and `A` are the same name.
    """
    names = [column.name for column in program.columns] if columns is None else list(columns)
    if len(names) != len(program.columns):
        raise ExportError(f"columns must have one name for each of the {len(program.columns)} features, got {names!r}.")
    used = {column: names[column.position] for column in program.used}
    seen: dict[str, str] = {}
    for name in used.values():
        key = name.lower() if any_case else name
        if not name or key in seen:
            problem = (
                f"the column names {seen[key]!r} and {name!r}, which are the same" if name else "an empty column name"
            )
            raise ExportError(f"Not supported in {target}: {problem}. Pass columns=[…] with one name per feature.")
        seen[key] = name
    return used
