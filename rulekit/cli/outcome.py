"""The output of `rulekit extract`, printed and written."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
from rich.console import Console
from rich.text import Text

from rulekit.classifier import RuleClassifier
from rulekit.cli.errors import CommandError
from rulekit.cli.extraction import Extraction
from rulekit.cli.measure_table import measure_list
from rulekit.cli.progress import SearchProgress
from rulekit.cli.rule_table import counted, legend, rule_table
from rulekit.cli.samples import Samples
from rulekit.evaluation import evaluate
from rulekit.ruleset import RuleSet


@attrs.frozen
class Facts:
    """What held-out samples say.

    Attributes
    ----------
    n_samples : int
    measures : mapping of str to mapping of str to float
        Of each model, the rules first, with the times of the extraction.
    sentences : sequence of str
        What to conclude from them.
    """

    n_samples: int
    measures: Mapping[str, Mapping[str, float]]
    sentences: Sequence[str] = ()


def held_out_facts(
    result: Extraction, samples: Samples, held_out: Samples | None, progress: SearchProgress
) -> Facts | None:
    """Measures of the rules, of their ensemble and of single trees; None if no samples were held out."""
    if held_out is None:
        return None
    if not isinstance(result.model, RuleClassifier):
        values = evaluate(result.model, held_out.X, held_out.y, result.ensemble)
        return Facts(len(held_out), {result.method: values | result.times})
    with progress.step("Growing single trees to compare with"):
        summary = result.model.summary(held_out.X, held_out.y, (samples.X, samples.y))
    measures = {name: dict(values) for name, values in summary.values.items()}
    for name, seconds in result.times.items():
        is_of_ensemble = name == "training_seconds" and "ensemble" in measures
        measures["ensemble" if is_of_ensemble else "rules"][name] = seconds
    return Facts(len(held_out), measures, summary.sentences)


def print_report(console: Console, result: Extraction, facts: Facts | None) -> None:
    """Print the rules, and what held-out samples say of them."""
    ruleset = getattr(result.model, "ruleset_", None)
    if isinstance(ruleset, RuleSet):
        title = f"{result.method} rules from {result.ensemble_name}"
        console.print(rule_table(ruleset, title, console.width))
        console.print()
        console.print(legend(ruleset, console.width), style="dim")
    else:
        console.print(f"The method {result.method!r} makes no ruleset, so there are no rules to show.")
    console.print()
    if facts is None:
        console.print("No samples were held out, so the rules are not evaluated: see --test, or rulekit report.\n")
        return
    console.print(measure_list(facts.measures, f"On {counted(facts.n_samples, 'held-out sample')}"))
    console.print()
    for sentence in facts.sentences:
        console.print(Text(sentence))
        console.print()


def write_rules(console: Console, result: Extraction, path: Path) -> None:
    """Write the ruleset as JSON, for `RuleSet.from_dict`."""
    ruleset = getattr(result.model, "ruleset_", None)
    if not isinstance(ruleset, RuleSet):
        raise CommandError(f"The method {result.method!r} makes no ruleset, so nothing was written to {path}.")
    ruleset.export(path, format="json")
    console.print(f"Wrote {counted(len(ruleset), 'rule')} to {path}.", soft_wrap=True)
