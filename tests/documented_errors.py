"""The exceptions and warnings that `docs/reference/errors.md` lists, and those that rulekit raises."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from rulekit.core.errors import RulekitError

PAGE = Path(__file__).parents[1] / "docs/reference/errors.md"


def documented_names() -> set[str]:
    """Names of the classes in the first columns of the page's tables."""
    return set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


@contextmanager
def raised_classes() -> Iterator[set[type]]:
    """The classes of all errors of rulekit that are made in the block, wherever they are caught."""
    found: set[type] = set()

    def note(error: RulekitError, *arguments: object) -> None:
        found.add(type(error))

    with patch.object(RulekitError, "__init__", note, create=True):
        yield found
