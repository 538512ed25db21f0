"""rulekit components: the components that are installed."""

import inspect
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulekit.cli.errors import Debug, in_one_line

if TYPE_CHECKING:
    from rich.table import Table

    from rulekit.plugin.registry import Component

#: How a component is chosen where it is not simply the value of a parameter.
CHOSEN_BY = {
    "method": "--method NAME",
    "regressor": "rulekit.build(NAME, regressor) in Python",
    "ensemble": "--ensemble NAME",
    "adapter": "--set adapter=NAME; by default, the adapter that matches the model",
    "probability": "--set final_estimator=NAME for the final rules, --set search_estimator=NAME for the search",
    "export": "rulekit export --to NAME",
    "calibration": "CalibratedRules(model, method=NAME) in Python, calibration = NAME in a study",
    "measure": "computed wherever rules are evaluated",
    "study": "rulekit study run NAME",
}


@in_one_line
def components(
    kind: Annotated[str | None, typer.Option(help="List only this kind, such as probability or ensemble.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    debug: Debug = False,
) -> None:
    """List the available components: methods, ensembles, estimators, stages.

    Components of installed plugins are included. Each entry names its
    distribution and its parameters with their default values.

    \b
      rulekit components
      rulekit components --kind probability
      rulekit components --json | jq '.[].name'
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.plugin.catalogue import list_components

    found = list_components(kind)
    if as_json:
        typer.echo(json.dumps([_document(component) for component in found], indent=2))
        return

    from rulekit.plugin.kinds import KINDS
    from rulekit.render.console import output

    console = output()
    for name in KINDS:
        of_kind = [component for component in found if component.kind == name]
        if of_kind:
            console.print(_table(name, of_kind))
            console.print()
        elif name == kind:
            console.print(f"No {KINDS[name]} is installed. rulekit new-plugin NAME --kind {name} writes one.")


def _table(kind: str, components: "list[Component]") -> "Table":
    """One row per component: its name, then its summary, its parameters and its distribution."""
    from rich.text import Text

    from rulekit.plugin.kinds import PARAMETERS
    from rulekit.render.terminal import plain_table

    chosen_by = CHOSEN_BY.get(kind) or " or ".join(
        f"--set {name}=NAME" for name in PARAMETERS if PARAMETERS[name] == kind
    )
    table = plain_table(Text.assemble((kind, "bold"), f": {chosen_by}"))
    table.add_column("name", no_wrap=True)
    table.add_column("summary; parameters and defaults; origin", overflow="fold")
    for component in components:
        parameters = ", ".join(_parameter(*item) for item in component.parameters.items())
        details = f"{parameters or 'no parameters'}; {component.origin}"
        summary = f"{component.summary}\n" if component.summary else ""
        table.add_row(Text(component.name, style="bold"), Text.assemble(summary, (details, "dim")))
    return table


def _parameter(name: str, default: Any) -> str:
    return name if default is inspect.Parameter.empty else f"{name}={default!r}"


def _document(component: "Component") -> dict[str, Any]:
    """A component in plain types; parameters without a default are listed as required."""
    given = component.parameters
    defaults = {name: default for name, default in given.items() if default is not inspect.Parameter.empty}
    return {
        "kind": component.kind,
        "name": component.name,
        "summary": component.summary,
        "origin": component.origin,
        "parameters": {name: _plain(default) for name, default in defaults.items()},
        "required": [name for name in given if name not in defaults],
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
