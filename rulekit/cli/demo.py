"""rulekit demo: rules of a dataset that scikit-learn ships, and how good they are."""

from enum import StrEnum
from typing import Annotated

import typer

from rulekit.cli.errors import Debug, in_one_line


class Dataset(StrEnum):
    """Datasets that come with scikit-learn."""

    BREAST_CANCER = "breast-cancer"
    IRIS = "iris"
    WINE = "wine"


@in_one_line
def demo(
    dataset: Annotated[Dataset, typer.Option(help="One of scikit-learn's datasets.")] = Dataset.BREAST_CANCER,
    seed: Annotated[int, typer.Option(help="Random seed of the split and of the ensembles.")] = 0,
    debug: Debug = False,
) -> None:
    """Extract rules from two ensembles and compare how good they are.

    Trains a random forest and a gradient boosting ensemble, extracts
    RC+, RCProb and RCList rules from each, and evaluates all on held-out samples.

    \b
      rulekit demo
      rulekit demo --dataset wine --seed 1
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.cli.progress import progress
    from rulekit.cli.showcase import bundled, compare, show
    from rulekit.render.console import messages, output

    train, held_out = bundled(dataset, seed)
    with progress(messages()) as shown:
        results = list(compare(train, seed, shown))
    show(output(), dataset, held_out, results)
