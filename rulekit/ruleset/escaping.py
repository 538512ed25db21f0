"""Text that Markdown and LaTeX show as it is."""

import re

_LATEX_SIGNS = {
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
_LATEX_SIGN = re.compile("|".join(re.escape(sign) for sign in _LATEX_SIGNS))
#: A minus sign, not the hyphen of a name or a range.
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")
#: Signs that Markdown would take for its own, where it would: `a_b` and `<0.01` are left as they are.
_MARKDOWN_SIGN = re.compile(r"[\\|*`~]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|&(?=[A-Za-z#])|\](?=\()")


def latex(text: str) -> str:
    r"""Text for LaTeX, in one line.

    Examples
    --------
    >>> print(latex("-3.7 % of n_0"))
    $-$3.7 \% of n\_0
    >>> print(latex("16.5 < age <= 50"))
    16.5 $<$ age $\leq$ 50
    """
    marked = _MINUS.sub("\0", " ".join(text.splitlines()))
    return _LATEX_SIGN.sub(lambda found: _LATEX_SIGNS[found.group()], marked).replace("\0", "$-$")


def markdown(text: str) -> str:
    r"""Text for Markdown, in one line: a name may be `*` or `a|b`.

    Examples
    --------
    >>> print(markdown("16.5 < age <= 50 or a|b"))
    16.5 < age <= 50 or a\|b
    """
    return _MARKDOWN_SIGN.sub(r"\\\g<0>", " ".join(text.splitlines()))
