"""rulekit info: the engine, and the versions that are installed."""

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer

from rulekit import __version__
from rulekit.cli.errors import Debug, in_one_line

LIBRARIES = ("numpy", "scikit-learn", "scipy", "pandas", "numba", "xgboost", "xgboost-cpu", "lightgbm", "catboost")


@in_one_line
def info(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    debug: Debug = False,
) -> None:
    """Show the engine, and the versions of libraries and plugins.

    Include it in bug reports, and check the engine when extraction is
    slower than expected.

    \b
      rulekit info
      RULEKIT_ENGINE=numpy rulekit info
    """  # noqa: D301, the sign keeps the line breaks of the examples
    facts = _facts()
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    typer.echo(f"rulekit    {facts['rulekit']}")
    typer.echo(f"engine     {facts['engine']}: {_reason(facts)}")
    typer.echo(f"python     {facts['python']} on {facts['system']}, {facts['cores']} cores")
    typer.echo(f"libraries  {', '.join(f'{name} {number}' for name, number in facts['libraries'].items())}")
    typer.echo(f"plugins    {', '.join(facts['plugins']) or 'none'}")


def _facts() -> dict[str, Any]:
    from rulekit.core.engine import engine_name
    from rulekit.plugin.catalogue import list_components

    libraries = {name: found for name in LIBRARIES if (found := _version(name))}
    origins = {component.origin for component in list_components()}
    return {
        "rulekit": __version__,
        "engine": engine_name(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "libraries": libraries,
        "plugins": sorted(origin for origin in origins if not origin.startswith("rulekit-rcprob ")),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _reason(facts: dict[str, Any]) -> str:
    from rulekit.core.engine.choice import VARIABLE

    if os.environ.get(VARIABLE):
        return f"set by {VARIABLE}"
    if facts["engine"] == "numba":
        return f"loops compiled by numba {facts['libraries'].get('numba', '')}, cached on disk after their first use"
    return "the default without numba, which is several times faster: pip install 'rulekit-rcprob[fast]'"
