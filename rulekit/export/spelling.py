"""Names and remarks that are safe in any language."""

from collections.abc import Iterable, Sequence

from rulekit.core.errors import ExportError
from rulekit.export.program import Column, Program

#: What a 64-bit integer with a sign holds.
SMALLEST_INTEGER, LARGEST_INTEGER = -(2**63), 2**63 - 1


def one_line(text: str) -> str:
    """A text for a remark that ends with its line: whatever is no letter, sign or space becomes a space."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def utf8(text: str) -> bytes:
    """The bytes of a text; raise `ExportError` if it has none, because of half a pair of surrogates."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ExportError(f"{text!r} is no valid text: {error.reason}. Rename it first.") from error


def needs_unsigned(labels: Sequence[int], target: str) -> bool:
    """Whether 64 bits hold all integers without a sign only; raise `ExportError` if they do not hold all either way."""
    low, high = min(labels), max(labels)
    if low >= SMALLEST_INTEGER and high <= LARGEST_INTEGER:
        return False
    if low >= 0 and high < 2**64:
        return True
    raise ExportError(
        f"{target} has integers of 64 bits, and no type of them for labels from {low} to {high}. "
        "Make the labels text before fit."
    )


class Names:
    """Names that differ, whatever the case of their letters.

    Parameters
    ----------
    taken : iterable of str
        Names that others have already.

    Examples
    --------
    >>> names = Names(["Class"])
    >>> names.new("rule"), names.new("class"), names.new("class")
    ('rule', 'class_2', 'class_3')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        # By name in small letters, the number to try next: many names that collide are not counted from 2 each time.
        self._numbers = {each.lower(): 2 for each in taken}

    def new(self, name: str) -> str:
        """The name, with a number if it is taken."""
        key, chosen = name.lower(), name
        while chosen.lower() in self._numbers:
            chosen = f"{name}_{self._numbers[key]}"
            self._numbers[key] += 1
        self._numbers[chosen.lower()] = 2
        return chosen


def column_names(program: Program, columns: Sequence[str] | None, target: str, *, any_case: bool) -> dict[Column, str]:
    """What the columns that rules test are called outside; raise `ExportError` if names do not tell them apart.

    Parameters
    ----------
    program : Program
    columns : sequence of str or None
        Other names, one for each column of the ruleset; None keeps the ruleset's own.
    target : str
        What the error calls the format.
    any_case : bool
        Whether the format takes `a` and `A` for the same name.
    """
    names = [column.name for column in program.columns] if columns is None else list(columns)
    if len(names) != len(program.columns):
        raise ExportError(f"columns must have one name for each of the {len(program.columns)} columns; got {names!r}.")
    used = {column: names[column.position] for column in program.used}
    seen: dict[str, str] = {}
    for name in used.values():
        key = name.lower() if any_case else name
        if not name or key in seen:
            what = f"takes {seen[key]!r} and {name!r} for the same column" if name else "has no columns without a name"
            raise ExportError(f"{target} {what}. Pass columns=[…] with a name for each column of the ruleset.")
        seen[key] = name
    return used
