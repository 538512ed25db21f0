"""A ruleset as a table that fits the terminal: antecedents wrap between conditions and are never truncated."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

import attrs
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from rulekit.render.escaping import visible
from rulekit.render.terminal import plain_table
from rulekit.ruleset import Rule, RuleSet
from rulekit.ruleset.table import answered, remarks

#: Below this width headings are abbreviated to leave enough space for a condition on one line.
WIDE = 96
#: Below this width there is no column for the counts by class.
NARROW = 72
NARROWEST_ANTECEDENT = 12
#: Longer counts by class wrap, to leave the width to the antecedents.
WIDEST_COUNTS = 24


def rule_table(ruleset: RuleSet, title: str, width: int) -> Table:
    """One row per rule: antecedent, class, probability, the training samples that it answers, and those it covers.

    Parameters
    ----------
    ruleset : RuleSet
    title : str
        Title of the table; the number of rules is added.
    width : int
        Width of the terminal: headings are shorter in a narrow one, and the counts by class are left out.
    """
    heading = f"{title}: {counted(len(ruleset), 'rule')}, {counted(ruleset.n_conditions, 'condition')}"
    table = plain_table(heading)
    table.caption = Text("\n".join(remarks(ruleset))) if remarks(ruleset) else None
    table.caption_justify = "left"
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("if", min_width=NARROWEST_ANTECEDENT, overflow="fold")
    table.add_column("then", overflow="fold")
    table.add_column("p", justify="right", no_wrap=True)
    if ruleset.knows_answered:
        table.add_column("answered" if width >= WIDE else "answ.", justify="right", no_wrap=True)
    for name in ("precision", "coverage") if width >= WIDE else ("prec.", "cov."):
        table.add_column(name, justify="right", no_wrap=True)
    if width >= NARROW:
        table.add_column("samples", justify="right", max_width=WIDEST_COUNTS, overflow="fold")
    for rule in ruleset:
        table.add_row(*_cells(rule)[: len(table.columns)])
    return table


def legend(ruleset: RuleSet, width: int) -> Text:
    """What the columns of `rule_table` mean in a terminal of this width."""
    classes = ", ".join(visible(label) for label in ruleset.classes)
    is_list = ruleset.inference.combination == "first"
    sentences = {
        "A sample is answered by the first rule that covers it. ": is_list,
        "p: predicted probability of the rule's class; ": True,
        "answered: training samples of that class, of those that the rule answers; ": ruleset.knows_answered,
        "precision: fraction of covered training samples of that class; ": True,
        f"coverage: covered fraction of all {ruleset.n_samples} training samples": True,
        f"; samples: covered training samples by class ({classes})": width >= NARROW,
    }
    sentences["; precision and coverage are fractions by weight"] = ruleset.weighted is not None
    return Text("".join(sentence for sentence, is_needed in sentences.items() if is_needed) + ".")


def counted(number: int, noun: str) -> str:
    """A number and its noun: 1 rule, 2 rules."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@attrs.frozen
class Antecedent:
    """Conditions joined by `and`, with line breaks only between them as long as one fits a line."""

    conditions: Sequence[str]

    def lines(self, width: int) -> Iterator[str]:
        """Lines of at most `width` characters; what continues a broken condition is indented."""
        line = self.conditions[0]
        for condition in self.conditions[1:]:
            if len(line) + len(" and ") + len(condition) <= width:
                line = f"{line} and {condition}"
            else:
                yield from wrap(line, width, subsequent_indent="  ")
                line = f"and {condition}"
        yield from wrap(line, width, subsequent_indent="  ")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("\n".join(self.lines(options.max_width)), overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        longest = max(len(condition) for condition in self.conditions) + len("and ")
        whole = len(" and ".join(self.conditions))
        return Measurement(min(longest, whole), whole).with_maximum(options.max_width)


def _cells(rule: Rule) -> tuple[Text | Antecedent, ...]:
    return (
        Text(str(rule.position)),
        Antecedent(rule.clauses) if rule.clauses else Text("(otherwise)"),
        Text(visible(rule.label)),
        Text(f"{rule.probability:.3f}"),
        *(() if rule.answered_counts is None else (Text(answered(rule)),)),
        Text(f"{rule.precision:.3f}"),
        Text(f"{rule.coverage:.3f}"),
        Text(str(rule.counts.tolist())),
    )
