"""Where the rules come from, and the lists of other lengths, for `rulekit extract`."""

from typing import Any

from rich.console import Console
from rich.table import Table

from rulekit.cli.extraction import Extraction
from rulekit.cli.samples import Samples
from rulekit.evaluation import log_loss, macro_f1
from rulekit.render.terminal import plain_table
from rulekit.summary import origin


def print_origin(console: Console, result: Extraction) -> None:
    """Print where the rules come from, if that is known."""
    sentence = origin(result.model)
    if sentence:
        console.print(f"{sentence}\n")


def print_path(console: Console, result: Extraction, held_out: Samples | None) -> None:
    """Print a table of the lists of every length."""
    path = getattr(result.model, "path_", None)
    if not path:
        console.print(
            f"The method {result.method!r} found no lists of other lengths: --path needs a refine stage that does, "
            "such as --set refine=relist.\n"
        )
        return
    console.print(path_table(result.model, held_out))
    console.print(
        "\nTo use one of these lists: model.with_rules(n) in Python. To search a better one: --set max_rules=n.\n"
    )


def path_table(model: Any, held_out: Samples | None) -> Table:
    """One row per list of `model.path_`, with its measures on training samples and on held-out samples if any."""
    table = plain_table("Lists of every length, not counting the default rule")
    for heading in ("rules", "conditions", "training\nlog-loss", "leave-one-out\nlog-loss", "training\nmacro-F1"):
        table.add_column(heading, justify="right")
    if held_out is not None:
        table.add_column("held-out\nlog-loss", justify="right")
        table.add_column("held-out\nmacro-F1", justify="right")
    for step in model.path_:
        measures = [step.log_loss, step.leave_one_out_log_loss, step.macro_f1]
        if held_out is not None:
            shorter = model.with_rules(step.n_rules)
            measures.append(log_loss(held_out.y, shorter.predict_proba(held_out.X), model.classes_))
            measures.append(macro_f1(held_out.y, shorter.predict(held_out.X)))
        table.add_row(str(step.n_rules), str(step.ruleset.n_conditions), *(f"{value:.3f}" for value in measures))
    return table
