"""Values in messages of errors: whole if they are short, else cut."""

from reprlib import Repr
from typing import Any

#: Characters of a name or value in a message: more than anybody reads.
LONGEST = 80

_outline = Repr()
_outline.maxstring = _outline.maxlong = _outline.maxother = 4 * LONGEST
# Lists in lists are multiplied: six of six of six are more than a message holds.
_outline.maxlevel = 3


def short(value: Any) -> str:
    """A value as Python writes it, cut if it is long.

    Examples
    --------
    >>> short("age"), len(short("a" * 10**6))
    ("'age'", 80)
    """
    try:
        return cut(_outline.repr(value))
    except Exception:  # Python writes no number of thousands of digits, and a class may fail in any way
        return f"<{type(value).__name__}>"


def cut(text: str, longest: int = LONGEST) -> str:
    """A text, or its beginning and a sign that there is more.

    Examples
    --------
    >>> cut("a name without end", 10)
    'a name wi…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
