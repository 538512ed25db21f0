"""Predictions for samples that need not fit into memory, part by part."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from rulekit.core.errors import SourceError
from rulekit.sources import on_dask
from rulekit.sources.frames import frames_of

Predictions = npt.NDArray[Any]


def predictions(
    predict: Callable[[Any], Predictions], source: Any, features: Sequence[str] | None, part_size: int, client: Any
) -> Iterator[Predictions]:
    """What a model predicts for each part of a source, one array after the other, in the order of the source.

    Parameters
    ----------
    predict : callable
        From a frame of features to an array of shape (n_samples, ...).
    source
        See `RuleExtractor.fit_from`.
    features : sequence of str or None
        Names of the columns that the model needs; None means all columns, in their order.
    part_size : int
        Samples of one part, at most.
    client : distributed.Client or None
        For a Dask source.
    """
    if on_dask.is_dask(source):
        yield from on_dask.results_of(on_dask.client_of(client), source, _predicted, predict, features)
        return
    for number, frame in enumerate(frames_of(source, part_size), 1):
        # A frame of an iterator has as many rows as it likes.
        for start in range(0, len(frame), part_size):
            yield _predicted(frame[start : start + part_size], predict, features, f"Part {number} of the source")


def _predicted(
    frame: pd.DataFrame,
    predict: Callable[[Any], Predictions],
    features: Sequence[str] | None,
    what: str = "A part of the source",
) -> Predictions:
    if features is not None:
        lacks = [name for name in features if name not in frame.columns]
        if lacks:
            raise SourceError(f"{what} lacks the columns {lacks}, which the rules were extracted from.")
        frame = frame[list(features)]
    # A partition of a cluster may have no rows, which scikit-learn rejects.
    return predict(frame) if len(frame) else np.empty(0)
