"""Find an export format by name or file suffix, and write a file in it."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rulekit.core.errors import ExportError
from rulekit.core.interfaces import Exporter
from rulekit.plugin.manager import plugins
from rulekit.plugin.registry import Component
from rulekit.regression.rules import RegressionRules
from rulekit.ruleset import RuleSet


def write(ruleset: RuleSet | RegressionRules, path: str | Path, format: str | None, options: Mapping[str, Any]) -> None:
    """Write a ruleset to a file; see `RuleSet.export`."""
    found = find_format(format, Path(path))
    exporter = make_exporter(found, options)
    if isinstance(ruleset, RegressionRules) and not exporter.takes_numbers:
        registry = plugins().registry
        able = [each.name for each in registry.of_kind("export") if getattr(each.factory, "takes_numbers", False)]
        raise ExportError(f"Not supported: rules for numbers in the format {found.name!r}. Choose {', '.join(able)}.")
    content = file_content(exporter, ruleset)
    Path(path).write_bytes(content)


def find_format(name: str | None, path: Path) -> Component:
    """The registered format of a name or, without one, of the path's suffix; raise `ExportError` if there is none."""
    registry = plugins().registry
    if name is not None:
        return registry.get("export", name)
    suffixes = {each: getattr(each.factory, "suffix", "") for each in registry.of_kind("export")}
    found = [each for each, suffix in suffixes.items() if suffix and path.name.lower().endswith(suffix)]
    if not found:
        known = ", ".join(f"{each.name} ({suffix})" if suffix else each.name for each, suffix in suffixes.items())
        raise ExportError(
            f"No export format has the suffix of {str(path)!r}. Known: {known}. Choose one with format=…, or with --to "
            "on the command line."
        )
    return max(found, key=lambda each: len(suffixes[each]))


def make_exporter(format: Component, options: Mapping[str, Any]) -> Exporter:
    """The exporter of a format with options; raise `ExportError` for an option that it does not have."""
    for name in options:
        if name not in format.parameters:
            raise ExportError(unknown_option(format, name))
    exporter: Exporter = plugins().registry.create("export", format.name, **options)
    return exporter


def unknown_option(format: Component, name: str) -> str:
    """The message for an option that a format does not have."""
    known = list(format.parameters)
    nearest = get_close_matches(name, known, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    return f"The format {format.name!r} has no option {name!r}.{hint} Its options: {', '.join(known) or 'none'}."


def file_content(exporter: Exporter, ruleset: Any) -> bytes:
    """The bytes of a file with the rules."""
    try:
        return exporter.export(ruleset)
    except UnicodeEncodeError as error:
        raise ExportError(f"A name or label is not valid Unicode: {error.object!r}. Rename it before fit.") from error
