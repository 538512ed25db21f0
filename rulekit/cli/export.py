"""rulekit export: rules for another program."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulekit.cli.errors import CommandError, Debug, in_one_line
from rulekit.cli.overrides import parse_value
from rulekit.core.errors import RuleSetFormatError

if TYPE_CHECKING:
    from rulekit.plugin.registry import Component
    from rulekit.ruleset import RuleSet

STANDARD = Path("-")


@in_one_line
def export(
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="A rules file written by rulekit extract --out.")],
    to: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="Format to write. Default: the format of --out's suffix.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write; - is the standard output.")] = STANDARD,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="An option of the format, such as table=patients. Can be repeated."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Allow --out to overwrite a file.")] = False,
    debug: Debug = False,
) -> None:
    """Export rules to another program, with the same classes and probabilities.

    rulekit components --kind export lists the formats, and the options
    of each that --set takes, such as table=NAME for SQL.

    \b
      rulekit export rules.json --to sql --set table=patients --set keep=id
      rulekit export rules.json --out rules.py
      rulekit export rules.json --out rules.xlsx
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.cli.rule_table import counted
    from rulekit.export.formats import file_content, find_format, make_exporter

    if to is None and out == STANDARD:
        raise CommandError("No format given: use --to FORMAT, or --out FILE with the suffix of a format.")
    target = find_format(to, out)
    if out != STANDARD and out.exists() and not force:
        raise CommandError(f"{out} already exists. Choose another name, or overwrite it with --force.")
    exporter = make_exporter(target, _options(target, settings or []))
    ruleset = read_rules(rules)
    content = file_content(exporter, ruleset)
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
        raise CommandError(f"File not found: {path}.")
    try:
        check_size(path.stat().st_size)
        return RuleSet.from_json(path.read_bytes())
    except RuleSetFormatError as error:
        raise RuleSetFormatError(f"{path}: {error}") from error


def _options(target: "Component", settings: list[str]) -> dict[str, Any]:
    """Options of a format from strings such as `table=patients`; repeat an option that takes several values."""
    from rulekit.export.formats import unknown_option

    defaults, options = target.parameters, dict[str, Any]()
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign:
            raise CommandError(f"--set takes NAME=VALUE, such as table=patients; got {setting!r}.")
        if name not in defaults:
            raise CommandError(f"--set {setting}: {unknown_option(target, name)}")
        if isinstance(defaults[name], tuple | list):
            options.setdefault(name, []).append(value)
        elif name in options:
            raise CommandError(f"--set {name} is given twice.")
        else:
            options[name] = _typed(setting, value, defaults[name])
    return options


def _typed(setting: str, value: str, default: Any) -> Any:
    """A value of the default's type if that is a boolean or a number, otherwise the string itself."""
    if not isinstance(default, bool | int | float):
        return value
    parsed = parse_value(value)
    wanted = type(default)
    if isinstance(parsed, bool) == (wanted is bool) and isinstance(parsed, int if wanted is bool else int | wanted):
        return wanted(parsed)
    kind = {bool: "true or false", int: "an integer", float: "a number"}[wanted]
    raise CommandError(f"--set {setting}: this option takes {kind}.")
