"""Prediction of more samples than one wants copies of: the memory that it takes beside samples and answers."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import attrs
import numpy as np

import rulekit
from benchmarks.extraction import BYTES_PER_MB
from benchmarks.forests import N_FEATURES, Size, samples, stored_forest
from benchmarks.isolation import isolated
from benchmarks.limits import limit
from benchmarks.measures import BESIDE_SAMPLES
from benchmarks.memory import with_peak
from benchmarks.rows import Row
from benchmarks.runs.predict import N_RULES, TRAINED_ON, first_rules
from benchmarks.settings import Settings

MANY_SAMPLES = 10_000_000
#: Samples are written and read again in so many pieces.
PIECE = 500_000


@attrs.frozen
class Prediction:
    """What it took.

    Attributes
    ----------
    seconds : float
    beside_mb : float or None
        Memory above the start at most, without that of the answers; None where the system does not tell.
    n_rules : int
    """

    seconds: float
    beside_mb: float | None
    n_rules: int


def run(settings: Settings, n_samples: int = MANY_SAMPLES, trained_on: Size = TRAINED_ON) -> Iterator[Row]:
    """Memory of `predict_proba` of an array in memory, and of a file piece by piece."""
    settings.announce("blocks: training a forest, extracting rules")
    X, y = samples(trained_on.n_samples)
    forest = stored_forest(settings.cache, trained_on).load()
    ruleset = first_rules(rulekit.build("rc+", forest).fit(X, y).ruleset_, N_RULES)
    works = {"an array of float32 in memory": from_memory, f"a file, {PIECE:,} samples at a time": from_file}
    for case, work in works.items():
        settings.announce(f"blocks: {case}")
        result = isolated(work, ruleset.to_dict(), n_samples)
        yield Row(
            "blocks",
            "",
            f"{n_samples:,} samples x {N_FEATURES}, {case}",
            BESIDE_SAMPLES.name,
            result.beside_mb,
            limit(BESIDE_SAMPLES, "") if n_samples == MANY_SAMPLES else None,
            f"{result.n_rules} rules, {result.seconds:.1f} s",
        )


def from_memory(document: dict[str, object], n_samples: int) -> Prediction:
    """One call for all samples, which are there before the measuring begins."""
    ruleset = rulekit.RuleSet.from_dict(document)
    X = np.empty((n_samples, N_FEATURES), dtype=np.float32)
    _fill(X)
    ruleset.predict_proba(X[:10])
    start = perf_counter()
    predicted, peak = with_peak(lambda: ruleset.predict_proba(X))
    return Prediction(
        perf_counter() - start, None if peak is None else (peak - predicted.nbytes) / BYTES_PER_MB, len(ruleset)
    )


def from_file(document: dict[str, object], n_samples: int) -> Prediction:
    """A file that is mapped into memory piece by piece; of the answers, only the shares of classes are kept."""
    ruleset = rulekit.RuleSet.from_dict(document)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples"
        _fill(np.memmap(path, dtype=np.float32, mode="w+", shape=(n_samples, N_FEATURES)))
        ruleset.predict_proba(np.zeros((10, N_FEATURES)))

        def predict() -> None:
            fractions = np.zeros(len(ruleset.classes))
            for first in range(0, n_samples, PIECE):
                shape = (min(PIECE, n_samples - first), N_FEATURES)
                piece = np.memmap(path, np.float32, mode="r", offset=4 * N_FEATURES * first, shape=shape)
                fractions += ruleset.predict_proba(piece).sum(axis=0)

        start = perf_counter()
        _, peak = with_peak(predict)
    return Prediction(perf_counter() - start, None if peak is None else peak / BYTES_PER_MB, len(ruleset))


def _fill(X: np.ndarray) -> None:
    """Write random samples, piece by piece."""
    rng = np.random.default_rng(0)
    for start in range(0, len(X), PIECE):
        piece = X[start : start + PIECE]
        piece[:] = rng.standard_normal(piece.shape, dtype=np.float32)
