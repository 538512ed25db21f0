"""The options of `rulekit extract`, each with its help."""

from pathlib import Path
from typing import Annotated

import typer

ENSEMBLE, FILES = "Ensemble", "Files"

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="A CSV, Parquet or Excel file with features and a column of classes, - for the standard input or, with "
        "--model, a folder of Parquet files, which need not fit into memory.",
    ),
]
Target = Annotated[str, typer.Option(help="The column with the classes.")]
Method = Annotated[
    str | None,
    typer.Option(
        help="Extraction method: rclist, rcprob, rc+ or another of rulekit components --kind method. Default: rclist, "
        "or rcprob for a folder.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the method, such as final_estimator.crossover=20. Can be repeated.",
    ),
]
Test = Annotated[
    str | None,
    typer.Option(
        metavar="FRACTION|FILE",
        help="Fraction of the samples to hold out, or a file of held-out samples; 0 holds nothing out. Default: 0.3, "
        "or 0 with --model.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Random seed of the split and of the ensemble.")]
PathTable = Annotated[
    bool, typer.Option("--path", help="Print the quality of the lists of every length, from one rule on.")
]

Ensemble = Annotated[
    str | None,
    typer.Option(
        help="Ensemble to train: rf, gbm or another of rulekit components --kind ensemble. Default: the method's "
        "choice, usually rf.",
        rich_help_panel=ENSEMBLE,
    ),
]
NEstimators = Annotated[int | None, typer.Option(help="Number of trees of the ensemble.", rich_help_panel=ENSEMBLE)]
MaxDepth = Annotated[int | None, typer.Option(help="Maximum depth of the trees.", rich_help_panel=ENSEMBLE)]
LearningRate = Annotated[
    float | None, typer.Option(help="Learning rate of the boosting ensemble.", rich_help_panel=ENSEMBLE)
]
Model = Annotated[
    Path | None,
    typer.Option(
        help="File of a fitted ensemble to use instead of training one: of XGBoost (JSON, UBJSON), LightGBM (text) or "
        "CatBoost (cbm), or saved with skops.io.dump, or with joblib.dump if --allow-pickle is given.",
        rich_help_panel=ENSEMBLE,
    ),
]
AllowPickle = Annotated[
    bool,
    typer.Option(
        "--allow-pickle",
        help="Allow --model to be a pickle. Loading a pickle runs the code in it: use it only with trusted files.",
        rich_help_panel=ENSEMBLE,
    ),
]

Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column to leave out. Can be repeated.", rich_help_panel=FILES),
]
Separator = Annotated[
    str | None, typer.Option(help="Separator of the values in a CSV file. Default: guessed.", rich_help_panel=FILES)
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="STRING",
        help="A string that stands for a missing value, such as ?, besides empty fields and NA. Can be repeated.",
        rich_help_panel=FILES,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,NAME,…", help="Names of the columns of a file without a row of names.", rich_help_panel=FILES
    ),
]
Classes = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,NAME,…",
        help="Names of the classes, in the order of the model's labels or, without --model, of the labels in the "
        "table: for labels 0 and 1 the name of 0 first.",
        rich_help_panel=FILES,
    ),
]
StringLabels = Annotated[
    bool,
    typer.Option(
        "--string-labels",
        help="Keep classes such as 0 and 1 as strings. Default: numbers, unless two of them would become one.",
        rich_help_panel=FILES,
    ),
]
Out = Annotated[Path | None, typer.Option(help="File to write the rules to, as JSON.", rich_help_panel=FILES)]
Force = Annotated[bool, typer.Option("--force", help="Allow --out to overwrite a file.", rich_help_panel=FILES)]
