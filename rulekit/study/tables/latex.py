r"""A table as LaTeX, for `\input`; it needs the package booktabs."""

from collections.abc import Sequence

from rulekit.ruleset.escaping import latex
from rulekit.study.tables.table import Table


def to_latex(table: Table) -> str:
    r"""The table as a `table` environment, labelled `tab:` and its name; notes are part of the caption."""
    caption = " ".join([f"{table.title}.", *table.notes])
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{latex(caption)}}}",
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


def _line(cells: Sequence[str]) -> str:
    return f"    {' & '.join(latex(cell) for cell in cells)} \\\\"
