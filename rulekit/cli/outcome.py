"""The output of `rulekit extract`, printed and written."""

from pathlib import Path

from rich.console import Console

from rulekit.cli.errors import CommandError
from rulekit.cli.extraction import Extraction
from rulekit.cli.measure_table import measure_list
from rulekit.cli.rule_table import counted, legend, rule_table
from rulekit.cli.samples import Samples
from rulekit.evaluation import evaluate
from rulekit.ruleset import RuleSet


def print_report(console: Console, result: Extraction, held_out: Samples | None) -> None:
    """Print the rules, and their measures if samples were held out."""
    measures = evaluate(result.model, held_out.X, held_out.y, result.ensemble) if held_out is not None else {}
    ruleset = getattr(result.model, "ruleset_", None)
    if isinstance(ruleset, RuleSet):
        title = f"{result.method} rules from {type(result.ensemble).__name__}"
        console.print(rule_table(ruleset, title, console.width))
        console.print()
        console.print(legend(ruleset, console.width), style="dim")
    else:
        console.print(f"The method {result.method!r} makes no ruleset, so there are no rules to show.")
    console.print()
    if held_out is None:
        console.print("No samples were held out, so the rules are not evaluated: see --test.\n")
        return
    console.print(measure_list(measures | result.times, f"On {counted(len(held_out), 'held-out sample')}"))
    console.print()


def write_rules(console: Console, result: Extraction, path: Path) -> None:
    """Write the ruleset as JSON, for `RuleSet.from_dict`."""
    ruleset = getattr(result.model, "ruleset_", None)
    if not isinstance(ruleset, RuleSet):
        raise CommandError(f"The method {result.method!r} makes no ruleset, so nothing was written to {path}.")
    ruleset.export(path, format="json")
    console.print(f"Wrote {counted(len(ruleset), 'rule')} to {path}.", soft_wrap=True)
