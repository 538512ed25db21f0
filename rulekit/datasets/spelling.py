"""Names for error messages."""

from collections.abc import Iterable
from difflib import get_close_matches


def hint(name: str, known: Iterable[str]) -> str:
    """A question with the nearest of the known names, with a space before it; nothing if none is near."""
    by_folded = {each.casefold(): each for each in known}
    nearest = get_close_matches(name.casefold(), by_folded, n=1)
    return f" Did you mean {by_folded[nearest[0]]!r}?" if nearest else ""


def listed(names: Iterable[str], most: int = 30) -> str:
    """Names one after the other, the first few if there are many."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "none") + more
