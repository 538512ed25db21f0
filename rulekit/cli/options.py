"""The options of `rulekit extract`, each with its help."""

from pathlib import Path
from typing import Annotated

import typer

ENSEMBLE, FILES = "Ensemble", "Files"

Data = Annotated[Path, typer.Argument(metavar="DATA", help="A CSV or Parquet file: numbers, and a column of classes.")]
Target = Annotated[str, typer.Option(help="The column with the classes.")]
Method = Annotated[str, typer.Option(help="rcprob, rc+, or another: see rulekit components.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A parameter of the method, such as final_estimator.crossover=20; repeat."
    ),
]
Test = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE|FILE",
        help="Hold out this share of the samples, or measure on the samples of a file; 0 holds nothing out. "
        "Without it 0.3, with --model 0.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Of the split and of the ensemble.")]

Ensemble = Annotated[
    str | None,
    typer.Option(
        help="What to train: rf, gbm, or another, see rulekit components. Without it, the method's choice, mostly rf.",
        rich_help_panel=ENSEMBLE,
    ),
]
NEstimators = Annotated[int | None, typer.Option(help="Number of trees.", rich_help_panel=ENSEMBLE)]
MaxDepth = Annotated[int | None, typer.Option(help="Depth of the trees.", rich_help_panel=ENSEMBLE)]
LearningRate = Annotated[float | None, typer.Option(help="Of boosting.", rich_help_panel=ENSEMBLE)]
Model = Annotated[
    Path | None,
    typer.Option(
        help="A fitted ensemble saved with skops.io.dump, instead of training one; with --allow-pickle also one saved "
        "with joblib.dump.",
        rich_help_panel=ENSEMBLE,
    ),
]
AllowPickle = Annotated[
    bool,
    typer.Option(
        "--allow-pickle",
        help="Let --model be a pickle. Opening one runs the code in it, so open only files that you trust.",
        rich_help_panel=ENSEMBLE,
    ),
]

Drop = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; repeat.", rich_help_panel=FILES)
]
Separator = Annotated[str, typer.Option(help="What separates the values of a CSV file.", rich_help_panel=FILES)]
Out = Annotated[Path | None, typer.Option(help="Write the rules to this file, as JSON.", rich_help_panel=FILES)]
Force = Annotated[bool, typer.Option("--force", help="Let --out overwrite a file.", rich_help_panel=FILES)]
