"""Strings, arrays and comments in C syntax."""

from collections.abc import Sequence
from typing import Any

from rulekit.core.errors import ExportError
from rulekit.export.program import Kind
from rulekit.export.spelling import SMALLEST_INTEGER, needs_unsigned, one_line, utf8

TYPES: dict[Kind, str] = {"string": "char *const", "boolean": "int", "integer": "long long", "number": "double"}


def array(kind: Kind, name: str, values: Sequence[Any]) -> str:
    """The definition of a constant array."""
    is_unsigned = kind == "integer" and needs_unsigned(values, "C")
    element = "unsigned long long" if is_unsigned else TYPES[kind]
    elements = ", ".join(_value(kind, value, is_unsigned) for value in values)
    return f"const {element} {name}[] = {{{elements}}};"


def string(value: str) -> str:
    """A string literal of UTF-8 bytes; octal escapes neither run into what follows nor form trigraphs."""
    if "\0" in value:
        raise ExportError(f"Not supported in C: a NUL character in {value!r}. Rename it before fit.")
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in utf8(value))
    return f'"{"".join(plain)}"'


def comment(words: str) -> str:
    """A comment that nothing in its words can end early."""
    inside = one_line(words).replace("*", "·").replace("\\", "·").replace("??", "··")
    return f"/* {inside} */"


def _value(kind: Kind, value: Any, is_unsigned: bool) -> str:
    if kind == "string":
        return string(value)
    if kind == "number":
        return float(value).hex()
    if kind == "boolean":
        return str(int(value))
    if is_unsigned:
        return f"{value}ULL"
    # The smallest integer has no literal: the minus sign is an operator on a number that is too large.
    return f"({value + 1}LL - 1)" if value == SMALLEST_INTEGER else f"{value}LL"
