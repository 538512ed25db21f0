r"""A table as LaTeX, for `\input`; it needs the package booktabs."""

import re
from collections.abc import Sequence

from rulekit.study.tables.table import Table

_SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "<": "$<$",
    ">": "$>$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
}
_SIGN = re.compile("|".join(re.escape(sign) for sign in _SIGNS))
#: A minus sign, not the hyphen of a name or a range.
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")


def to_latex(table: Table) -> str:
    r"""The table as a `table` environment, labelled `tab:` and its name; notes are part of the caption."""
    caption = " ".join([f"{table.title}.", *table.notes])
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{escaped(caption)}}}",
            f"  \\label{{tab:{table.name}}}",
            f"  \\begin{{tabular}}{{l{'r' * (len(table.headings) - 1)}}}",
            r"    \toprule",
            _line(table.headings),
            r"    \midrule",
            *(_line(row) for row in table.rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    Examples
    --------
    >>> print(escaped("-3.7 % of n_0"))
    $-$3.7 \% of n\_0
    """
    marked = _MINUS.sub("\0", text)
    return _SIGN.sub(lambda found: _SIGNS[found.group()], marked).replace("\0", "$-$")


def _line(cells: Sequence[str]) -> str:
    return f"    {' & '.join(escaped(cell) for cell in cells)} \\\\"
