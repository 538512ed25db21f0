"""The commands under one name."""

from typing import Annotated

import typer

from rulekit import __version__
from rulekit.cli.benchmark import benchmark
from rulekit.cli.components import components
from rulekit.cli.demo import demo
from rulekit.cli.export import export
from rulekit.cli.extract import extract
from rulekit.cli.info import info
from rulekit.cli.new_plugin import new_plugin
from rulekit.cli.report import report
from rulekit.cli.study import study

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
app.command()(demo)
app.command()(extract)
app.command()(export)
app.command()(report)
app.command()(components)
app.command()(benchmark)
app.command()(info)
app.command()(new_plugin)
app.add_typer(study, name="study")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"rulekit {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def rulekit(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Turn a tree ensemble into a short list of IF-THEN rules with probabilities.

    Start with the demo, then try your own table:

    \b
      rulekit demo
      rulekit extract data.csv --target class --out rules.json
      rulekit export rules.json --to sql
      rulekit report rules.json test.csv --target class
      rulekit components --kind probability
      rulekit benchmark rcprob rclist
      rulekit info
    """  # noqa: D301, the sign keeps the line breaks of the examples
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
