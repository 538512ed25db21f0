"""The work and the output of `rulekit demo`: two ensembles, three methods, one comparison."""

from collections.abc import Iterator

import numpy as np
from rich.console import Console
from rich.text import Text

from rulekit.cli.extraction import Extraction, Trained, extract_rules, train
from rulekit.cli.measure_table import comparison, headlines
from rulekit.cli.progress import SearchProgress
from rulekit.cli.rule_table import legend, rule_table
from rulekit.cli.samples import Samples, split
from rulekit.cli.training import named_ensemble
from rulekit.evaluation import evaluate, n_leaf_conditions, n_leaf_rules
from rulekit.model import find_adapter

TEST_FRACTION = 0.3
ENSEMBLES = {"rf": "random forest", "gbm": "gradient boosting"}
METHODS = {"rc+": "RC+", "rcprob": "RCProb", "rclist": "RCList"}
READING = (
    "How to read it: log-loss, Brier score and ECE measure how good the predicted probabilities are (lower is better; "
    "a rule that predicts 1.000 for the wrong class adds up to 27.6 to the log-loss of that sample). Macro-F1 measures "
    "how good the predicted classes are, fidelity how often the rules predict the same class as their ensemble (higher "
    "is better). The rules of an ensemble are its leaves."
)
NEXT = """What to try next:
  rulekit demo --dataset wine --seed 1
  rulekit extract data.csv --target class     extract rules from your own table
  rulekit components --kind probability       list other probability estimators"""


def bundled(name: str, seed: int) -> tuple[Samples, Samples]:
    """Training and held-out samples of one of scikit-learn's datasets, with the names of its classes."""
    from sklearn import datasets

    load = {"breast-cancer": datasets.load_breast_cancer, "iris": datasets.load_iris, "wine": datasets.load_wine}
    bunch = load[name](as_frame=True)
    return split(Samples(bunch.data, np.asarray(bunch.target_names)[bunch.target]), TEST_FRACTION, seed)


def compare(samples: Samples, seed: int, progress: SearchProgress) -> Iterator[tuple[str, Trained, list[Extraction]]]:
    """Each ensemble by its name, trained once, with the rules of every method."""
    for name, shown in ENSEMBLES.items():
        trained = train(named_ensemble(name, {}, seed), samples, progress)
        yield shown, trained, [extract_rules(method, trained, {}, samples, progress) for method in METHODS]


def show(
    console: Console, dataset: str, held_out: Samples, results: list[tuple[str, Trained, list[Extraction]]]
) -> None:
    """Print the rules, the comparison, and how to read it."""
    some_rules = results[0][2][0].model.ruleset_
    console.print(f"{dataset}: {some_rules.n_samples} training samples, {len(held_out)} held out.\n")
    console.print(legend(some_rules, console.width), style="dim")
    rows: list[tuple[str, dict[str, float]]] = []
    for name, trained, extractions in results:
        rows.append((name, _of_ensemble(trained, held_out)))
        for extraction in extractions:
            method = METHODS[extraction.method]
            console.print()
            console.print(rule_table(extraction.model.ruleset_, f"{method} rules from {name}", console.width))
            measures = evaluate(extraction.model, held_out.X, held_out.y)
            # The ensemble's own row has its training time: all methods share it.
            rows.append((f"  {method}", measures | {"extraction_seconds": extraction.seconds}))
    console.print()
    console.print(comparison(rows, headlines(), f"On the {len(held_out)} held-out samples of {dataset}"))
    console.print()
    console.print(Text(READING))
    console.print()
    console.print(Text(NEXT))


def _of_ensemble(trained: Trained, held_out: Samples) -> dict[str, float]:
    forest = find_adapter(trained.ensemble).forest(trained.ensemble)
    sizes = {"n_rules": float(n_leaf_rules(forest)), "n_conditions": float(n_leaf_conditions(forest))}
    times = {} if trained.seconds is None else {"training_seconds": trained.seconds}
    return evaluate(trained.ensemble, held_out.X, held_out.y) | sizes | times
