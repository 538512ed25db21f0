"""Strings that terminals, HTML pages, Markdown, LaTeX and spreadsheets show as they are."""

import re
from typing import Any

#: What acts on a terminal or changes the writing direction: control characters, direction marks, lone surrogates.
_INVISIBLE = re.compile(r"[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: A spreadsheet takes a string that begins with one of these for a formula, and runs it.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_LATEX_SIGNS = {
    "-": "$-$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "<=": r"$\leq$",
    "<": "$<$",
    ">": "$>$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
}
#: A minus sign, not the hyphen of a name or a range.
_MINUS = r"(?<![\w.])-(?=\d)"
_LATEX_SIGN = re.compile("|".join([_MINUS, *(re.escape(sign) for sign in _LATEX_SIGNS if sign != "-")]))
#: Characters with a meaning in Markdown, where they have it: `a_b` and `<0.01` are left as they are.
_MARKDOWN_SIGN = re.compile(r"[\\|*`~]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|&(?=[A-Za-z#])|\](?=\()")


def visible(value: object) -> str:
    r"""A name or label for display: in one line, with escape codes for characters that would act instead of being seen.

    Examples
    --------
    >>> print(visible("a\nb \x1b[2J \u202e"))
    a b \x1b[2J \u202e
    """
    line = " ".join(str(value).splitlines())
    return _INVISIBLE.sub(lambda found: found.group().encode("unicode_escape").decode(), line)


def latex(string: str) -> str:
    r"""A string escaped for LaTeX, in one line.

    Examples
    --------
    >>> print(latex("-3.7 % of n_0"))
    $-$3.7 \% of n\_0
    >>> print(latex("16.5 < age <= 50"))
    16.5 $<$ age $\leq$ 50
    """
    return _LATEX_SIGN.sub(lambda found: _LATEX_SIGNS[found.group()], visible(string))


def markdown(string: str) -> str:
    r"""A string escaped for Markdown, in one line: a name may be `*` or `a|b`.

    Examples
    --------
    >>> print(markdown("16.5 < age <= 50 or a|b"))
    16.5 < age <= 50 or a\|b
    """
    return _MARKDOWN_SIGN.sub(r"\\\g<0>", visible(string))


def is_formula(value: object) -> bool:
    """Whether a spreadsheet would run a value as a formula; numbers are none, whatever their sign."""
    return isinstance(value, str) and value.startswith(_FORMULA_STARTS)


def spreadsheet(value: Any) -> Any:
    """A value for a CSV file: an apostrophe in front keeps spreadsheets from running a string as a formula.

    Examples
    --------
    >>> spreadsheet("=1+1"), spreadsheet("age"), spreadsheet(-1.5)
    ("'=1+1", 'age', -1.5)
    """
    return f"'{value}" if is_formula(value) else value
