"""The published figures, from a folder that the user has: they are not part of rulekit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from rulekit.core.errors import RulekitError
from rulekit_paper_study import readers

if TYPE_CHECKING:
    import pandas as pd

#: Names the folder of the published figures.
VARIABLE = "RULEKIT_PAPER"


class PublishedFiguresError(RulekitError, ValueError):
    """The published figures are not where they should be, or not what they should be."""


@attrs.frozen(eq=False)
class Published:
    """The tables of the published study, as tidy frames; see `rulekit_paper_study.readers` for their columns.

    Measures, variants and ensembles have the names that they have in the profiles. In p-values 0 stands for <0.0001.
    """

    main: pd.DataFrame
    per_dataset: pd.DataFrame
    primary: pd.DataFrame
    secondary: pd.DataFrame
    ranks: pd.DataFrame
    aggregate: pd.DataFrame
    identical: pd.DataFrame
    diagnostics: pd.DataFrame
    use: pd.DataFrame
    calibration: pd.DataFrame
    sensitivity: pd.DataFrame
    search_spaces: pd.DataFrame
    datasets: pd.DataFrame

    @property
    def n_datasets(self) -> int:
        """How many datasets the published means are over."""
        return len(self.datasets)

    def results(self) -> pd.DataFrame:
        """The means by dataset in the shape of a study's results, one fold each, so that they can be tested again.

        They have three decimals: tests on them may differ from the published ones in the last digits.
        """
        wide = self.per_dataset.pivot_table(
            index=["dataset", "ensemble", "variant"], columns="measure", values="value", sort=False
        )
        return wide.reset_index().rename_axis(columns=None).assign(repeat=0, fold=0, status="done", error=None)


def read_published(folder: str | os.PathLike[str] | None = None) -> Published:
    """Read the published figures.

    Parameters
    ----------
    folder : path, optional
        Where the CSV files are. None means the folder that the environment variable RULEKIT_PAPER names.
    """
    path = _folder(folder)
    try:
        return Published(
            **{field.name: getattr(readers, f"read_{field.name}")(path) for field in attrs.fields(Published)}
        )
    except FileNotFoundError as error:
        raise PublishedFiguresError(f"{path} has no file {Path(error.filename).name}.") from None
    except (KeyError, ValueError, IndexError) as error:
        raise PublishedFiguresError(f"A table in {path} is not as published: {error}.") from error


def _folder(folder: str | os.PathLike[str] | None) -> Path:
    named = folder if folder is not None else os.environ.get(VARIABLE)
    if not named:
        raise PublishedFiguresError(
            f"The published figures are not part of rulekit: name their folder, or set {VARIABLE} to it."
        )
    if not Path(named).is_dir():
        raise PublishedFiguresError(f"There is no folder {os.fspath(named)!r} with published figures.")
    return Path(named)
