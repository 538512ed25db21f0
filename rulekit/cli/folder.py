"""rulekit extract of a folder of Parquet files, which need not fit into memory together."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd

from rulekit.cli.errors import CommandError
from rulekit.cli.extraction import Extraction, Trained, unfitted
from rulekit.cli.progress import SearchProgress
from rulekit.datasets.reading import Reading

#: What works on counts of samples alone.
METHOD = "rcprob"


def check_options(folder: Path, model: Path | None, test: str | None, reading: Reading) -> None:
    """Raise for options that need the samples in memory."""
    if model is None:
        raise CommandError(
            f"{folder} is a folder, which is read in parts: no ensemble is trained on it. Pass a fitted one with "
            "--model, trained on a sample of the data, for example."
        )
    if test is not None:
        raise CommandError(
            "--test is not supported for a folder, whose samples all count. Write the rules with --out, and measure "
            "them on other samples with rulekit report."
        )
    if reading.labels == "string":
        raise CommandError("--string-labels is for CSV files: labels in Parquet files have a type.")
    if reading != Reading():
        raise CommandError("--separator, --missing and --columns are for files, not for a folder of Parquet files.")


def extract_from_folder(
    method: str,
    ensemble: Any,
    overrides: Mapping[str, Any],
    folder: Path,
    target: str,
    drop: Sequence[str],
    progress: SearchProgress,
) -> Extraction:
    """Extract rules from a fitted ensemble and all Parquet files of a folder."""
    start = perf_counter()
    model = unfitted(method, ensemble, overrides)
    if not hasattr(model, "fit_from"):
        raise CommandError(
            f"The method {method!r} needs all samples in memory. Use --method rcprob or rc+ for a folder."
        )
    with progress.step(f"Extracting {method} rules"):
        model.fit_from(_without(folder, drop) if drop else folder, target)
    return Extraction(method, model, Trained(ensemble, None), perf_counter() - start)


def _without(folder: Path, drop: Sequence[str]) -> Iterator[pd.DataFrame]:
    """Frames of the folder's files without some columns."""
    from rulekit.classifier import PART_SIZE
    from rulekit.sources.frames import frames_of

    for frame in frames_of(folder, PART_SIZE):
        unknown = [name for name in drop if name not in frame.columns]
        if unknown:
            raise CommandError(f"{folder} has no column {unknown[0]!r} to drop.")
        yield frame.drop(columns=list(drop))
