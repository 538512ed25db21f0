"""rulekit report: an HTML page about rules."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rulekit.cli import options
from rulekit.cli.errors import CommandError, Debug, in_one_line

if TYPE_CHECKING:
    from rulekit.cli.holdout import Source
    from rulekit.cli.samples import Samples
    from rulekit.ruleset import RuleSet


@in_one_line
def report(
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="A rules file written by rulekit extract --out.")],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA", help="A CSV, Parquet or Excel file of held-out samples; - is the standard input."
        ),
    ],
    target: options.Target,
    out: Annotated[Path, typer.Option(metavar="FILE", help="HTML file to write.")] = Path("rules.html"),
    compare: Annotated[
        list[Path] | None, typer.Option(metavar="RULES", help="Other rules to compare with. Can be repeated.")
    ] = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Rules",
    examples: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Include the first N samples of DATA in the page, as examples for its form."
        ),
    ] = 0,
    separator: options.Separator = None,
    missing: options.Missing = None,
    columns: options.Columns = None,
    classes: options.Classes = None,
    force: options.Force = False,
    debug: Debug = False,
) -> None:
    """Write a page about rules: one HTML file that works offline.

    The page shows the rules as a table, how well their probabilities are
    calibrated on DATA, and a form that predicts a sample. It contains counts
    and ranges of the features, but no samples unless --examples is given.

    \b
      rulekit report rules.json test.csv --target class --out rules.html
      rulekit report rcprob.json test.csv --target class --compare rc+.json
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.cli.extract import check_free
    from rulekit.cli.holdout import Source
    from rulekit.cli.rule_table import counted
    from rulekit.cli.tabular import parse_names, parse_reading
    from rulekit.report import write

    check_free(out, force)
    ruleset, others = _read([rules, *(compare or [])])
    reading = parse_reading(separator, missing, columns, string_labels=False)
    held_out = _held_out(Source(data, target, reading=reading, classes=parse_names("--classes", classes)), ruleset)
    write(out, ruleset, held_out.X, held_out.y, compare=others, name=rules.stem, title=title, n_examples=examples)
    typer.echo(f"Wrote a page about {counted(len(ruleset), 'rule')} to {out}.")


def _read(paths: list[Path]) -> "tuple[RuleSet, dict[str, RuleSet]]":
    """The first ruleset, and the others by the names of their files."""
    from rulekit.cli.export import read_rules

    names = [path.stem for path in paths]
    twice = [name for position, name in enumerate(names) if name in names[:position]]
    if twice:
        raise CommandError(
            f"Two rules files are called {twice[0]!r}, so the page could not distinguish them. Rename one of them."
        )
    first, *others = [read_rules(path) for path in paths]
    return first, dict(zip(names[1:], others, strict=True))


def _held_out(source: "Source", ruleset: "RuleSet") -> "Samples":
    """The columns that the rules use, in their order, and labels of the type that the rules predict."""
    from rulekit.cli.class_names import labels_of_table, named
    from rulekit.cli.samples import Samples, Takes, samples
    from rulekit.cli.tabular import quoted

    table, target = source.table(), source.target
    names = list(ruleset.feature_names)
    lacking = [name for name in names if name not in table.columns]
    if target in names:
        raise CommandError(f"The target {target!r} is a feature of the rules. Choose another target.")
    if lacking:
        raise CommandError(f"{source.name} lacks columns that the rules use: {quoted(lacking)}.")
    unused = [name for name in table.columns if name not in (*names, target)]
    found = samples(table, target, unused, source.name, Takes(missing=True, categories=True))
    labels = ruleset.classes.tolist()
    y = found.y
    if source.classes is not None:
        y = named(y, source.classes, labels_of_table(y, source.classes, source.name), source.name)
    if not set(y.tolist()) <= set(labels):
        # A file may contain 1 where the rules have "1".
        by_name = {str(label): label for label in labels}
        unknown = sorted({str(label) for label in y.tolist()} - set(by_name))
        if unknown:
            raise CommandError(
                f"The target {target!r} of {source.name} has classes that the rules do not know: {quoted(unknown)}. "
                f"They know: {quoted(list(by_name))}."
            )
        y = ruleset.classes[[labels.index(by_name[str(label)]) for label in y.tolist()]]
    return Samples(found.X[names], y)
