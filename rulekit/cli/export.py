"""rulekit export: rules for another program."""

import inspect
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulekit.cli.errors import CommandError, Debug, in_one_line
from rulekit.core.errors import RuleSetFormatError

if TYPE_CHECKING:
    from rulekit.export.formats import Format
    from rulekit.ruleset import RuleSet

STANDARD = Path("-")
#: Options that take several names.
LISTS = ("keep", "columns")


@in_one_line
def export(
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="A file that rulekit extract --out wrote.")],
    to: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="What to write; without it, what --out ends in.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write; - is the standard output.")] = STANDARD,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="An option of the format, such as table=patients; repeat."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --out overwrite a file.")] = False,
    debug: Debug = False,
) -> None:
    """Write rules for another program: same classes, same probabilities.

    Formats: json, python, sql, c, pmml, onnx, csv, excel. SQL takes
    --set table=NAME and --set keep=COLUMN, C takes --set name=PREFIX.

    \b
      rulekit export rules.json --to sql --set table=patients --set keep=id
      rulekit export rules.json --out rules.py
      rulekit export rules.json --out rules.xlsx
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.cli.rule_table import counted
    from rulekit.export.formats import find_format

    if to is None and out == STANDARD:
        raise CommandError("Say what to write: --to FORMAT, or --out FILE with an ending that names one.")
    target = find_format(to, out)
    if out != STANDARD and out.exists() and not force:
        raise CommandError(f"{out} exists already. Choose another name, or overwrite it with --force.")
    options = _options(target, settings or [])
    ruleset = read_rules(rules)
    content = target.make(ruleset, **options)
    if out == STANDARD:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    out.write_bytes(content)
    typer.echo(f"Wrote {counted(len(ruleset), 'rule')} to {out}.")


def read_rules(path: Path) -> "RuleSet":
    """The ruleset in a JSON file."""
    from rulekit.ruleset import RuleSet
    from rulekit.ruleset.json_reading import check_size

    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    try:
        check_size(path.stat().st_size)
        return RuleSet.from_json(path.read_bytes())
    except RuleSetFormatError as error:
        raise RuleSetFormatError(f"{path}: {error}") from error


def _options(target: "Format", settings: list[str]) -> dict[str, Any]:
    """Options of the format's function; values are names, and a list of names is given by repeating the option."""
    function = getattr(import_module(f"rulekit.export.{target.module}"), target.function)
    known = [name for name in inspect.signature(function).parameters if name != "ruleset"]
    options: dict[str, Any] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign or name not in known:
            takes = ", ".join(f"{each}=…" for each in known) or "no options"
            raise CommandError(f"--set {setting}: the format {target.name!r} has no such option. It takes: {takes}.")
        if name in LISTS:
            options.setdefault(name, []).append(value)
        elif name in options:
            raise CommandError(f"--set gives {name} twice.")
        else:
            options[name] = value
    return options
