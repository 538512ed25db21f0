"""What a file does not say of its own table: how its values are separated, and what stands for a missing one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

import attrs

from rulekit.core.errors import InvalidParameterError
from rulekit.datasets.labels import Labels


def _strings(values: Iterable[str] | str) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)


def _strings_or_none(values: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if values is None else _strings(values)


@attrs.frozen
class Reading:
    """How a table is written in its file.

    Attributes
    ----------
    separator : str or None
        Separator of the values in a CSV file; None guesses it. A `.tsv` file is always read with tabs.
    missing : tuple of str
        Strings that stand for a missing value, besides empty fields and the usual ones such as NA.
    columns : tuple of str or None
        Names of the columns of a file without a row of names.
    labels : {"auto", "string"}
        Whether labels of a CSV file become numbers or booleans where that merges none of them (0, 1, …), or all labels
        are strings.
    """

    separator: str | None = None
    missing: tuple[str, ...] = attrs.field(default=(), converter=_strings)
    columns: tuple[str, ...] | None = attrs.field(default=None, converter=_strings_or_none)
    labels: Labels = "auto"

    def __attrs_post_init__(self) -> None:
        if self.labels not in get_args(Labels):
            raise InvalidParameterError(f"labels must be one of 'auto', 'string', got {self.labels!r}.")
        if self.separator is not None and len(self.separator) != 1:
            raise InvalidParameterError(f"separator must be one character, such as ';', got {self.separator!r}.")
