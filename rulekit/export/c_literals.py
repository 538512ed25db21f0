"""Texts, arrays and remarks as C spells them."""

from collections.abc import Sequence
from typing import Any

from rulekit.core.errors import ExportError
from rulekit.export.program import Kind
from rulekit.export.spelling import SMALLEST_INTEGER, needs_unsigned, one_line, utf8

TYPES: dict[Kind, str] = {"text": "char *const", "truth": "int", "integer": "long long", "number": "double"}


def array(kind: Kind, name: str, values: Sequence[Any]) -> str:
    """The definition of a constant array."""
    is_unsigned = kind == "integer" and needs_unsigned(values, "C")
    element = "unsigned long long" if is_unsigned else TYPES[kind]
    spelled = ", ".join(_value(kind, value, is_unsigned) for value in values)
    return f"const {element} {name}[] = {{{spelled}}};"


def string(text: str) -> str:
    """A string literal of UTF-8 bytes; octal escapes cannot run into what follows, nor be taken for trigraphs."""
    if "\0" in text:
        raise ExportError(f"C has no strings with a NUL character, such as {text!r}. Rename it first.")
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in utf8(text))
    return f'"{"".join(plain)}"'


def remark(text: str) -> str:
    """A comment that ends where it should."""
    inside = one_line(text).replace("*", "·").replace("\\", "·").replace("??", "··")
    return f"/* {inside} */"


def _value(kind: Kind, value: Any, is_unsigned: bool) -> str:
    if kind == "text":
        return string(value)
    if kind == "number":
        return float(value).hex()
    if kind == "truth":
        return str(int(value))
    if is_unsigned:
        return f"{value}ULL"
    # The smallest integer has no literal of its own: its sign is an operator on a number that is too large.
    return f"({value + 1}LL - 1)" if value == SMALLEST_INTEGER else f"{value}LL"
