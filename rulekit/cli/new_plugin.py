"""rulekit new-plugin: the beginning of a part of your own."""

from pathlib import Path
from typing import Annotated

import typer

from rulekit.cli.errors import Debug, in_one_line


@in_one_line
def new_plugin(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the distribution, such as rulekit-shy-forest.")],
    kind: Annotated[str, typer.Option(help="What to write: probability, inference, method, …; see below.")],
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="Where to make the folder NAME. Without it, here.")
    ] = Path(),
    debug: Debug = False,
) -> None:
    """Write a plugin: a distribution with a working component and its tests.

    Install it, run its tests, then change the component into your own.
    Kinds: probability, priors, inference, combine, cover, simplify, refine,
    score, measure, export, calibration, adapter, ensemble, method, study.
    Nothing is ever overwritten.

    \b
      rulekit new-plugin rulekit-shy-forest --kind ensemble
      rulekit new-plugin rulekit-median --kind probability --folder plugins
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.plugin.kinds import KINDS
    from rulekit.scaffold import write_plugin

    paths = write_plugin(name, kind, folder)
    typer.echo(f"Wrote {folder / name}, a distribution with a working {KINDS[kind]}:")
    for path in paths:
        typer.echo(f"  {path}")
    typer.echo("Next:")
    typer.echo(f'  pip install -e "{folder / name}[test]"')
    typer.echo(f'  pytest "{folder / name}"')
