"""rulekit new-plugin: a plugin to start from."""

from pathlib import Path
from typing import Annotated

import typer

from rulekit.cli.errors import Debug, in_one_line


@in_one_line
def new_plugin(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the distribution, such as rulekit-shy-forest.")],
    kind: Annotated[
        str, typer.Option(help="Kind of the component, such as probability or method; all are listed above.")
    ],
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Folder in which NAME is created.")] = Path(),
    debug: Debug = False,
) -> None:
    """Create a plugin: a distribution with a working component and its tests.

    Install it, run its tests, then replace the component by your own.
    Kinds: probability, priors, inference, combine, cover, simplify, refine,
    score, measure, export, calibration, adapter, ensemble, method, regressor,
    study.
    Existing files are never overwritten.

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
