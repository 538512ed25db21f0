"""The greedy cover: which candidates, in which order."""

from typing import Self

import attrs
import numpy as np

from rulekit.plugin import BitArray, FloatArray, IntArray, hits, row_sums
from rulekit_set_cover.candidates import Candidates
from rulekit_set_cover.samples import Samples


@attrs.frozen(eq=False)
class Cover:
    """An ordered list of candidates with a default rule.

    Attributes
    ----------
    rows : tuple of int
        Candidates, in the order in which they are tried.
    uncovered : ndarray of shape (n_words,)
        Samples that are left to the default rule.
    n_agreed : int
        Number of samples for which the list, with its default rule, predicts the same class as the ensemble.
    """

    rows: tuple[int, ...]
    uncovered: BitArray
    n_agreed: int

    @classmethod
    def of(cls, rows: tuple[int, ...], candidates: Candidates, samples: Samples) -> Self:
        """Try the candidates one after the other, then the default rule."""
        data, chosen = samples.predicted, candidates.take(np.array(rows, dtype=np.int64))
        uncovered = data.all_samples & ~np.bitwise_or.reduce(chosen.bits, axis=0)
        *answered, by_default = data.answered_counts(chosen.bits)
        n_agreed = sum(counts[label] for counts, label in zip(answered, chosen.classes, strict=True))
        return cls(rows, uncovered, int(n_agreed + by_default[samples.default_counts(uncovered).argmax()]))


def grow(candidates: Candidates, samples: Samples, target: int, min_precision: float, costs: FloatArray) -> Cover:
    """Append the most profitable candidate repeatedly, until enough samples agree or none is profitable.

    The profit of a candidate is the number of uncovered samples on which it agrees with the ensemble, minus those on
    which it does not, divided by its cost. Ties go to the first. It must be precise on the samples that it answers, not
    only on all that it covers: the list then agrees with the ensemble on that fraction of all covered samples.

    Parameters
    ----------
    candidates : Candidates
    samples : Samples
    target : int
        Number of samples that must agree.
    min_precision : float
        Fraction of the uncovered samples that a candidate covers on which it must agree.
    costs : ndarray of shape (n_candidates,)
    """
    cover = Cover.of((), candidates, samples)
    while cover.n_agreed < target:
        agreed, others = on_uncovered(candidates, samples, cover.uncovered)
        is_precise = agreed >= min_precision * (agreed + others)
        profits = np.where(is_precise, agreed - others, 0) / costs
        if not (profits > 0).any():
            break
        cover = Cover.of((*cover.rows, int(profits.argmax())), candidates, samples)
    return cover


def prune(candidates: Candidates, samples: Samples, target: int, cover: Cover) -> Cover:
    """Drop every rule that is not needed to stay at the target, the one chosen last first."""
    for row in reversed(cover.rows):
        shorter = Cover.of(tuple(other for other in cover.rows if other != row), candidates, samples)
        if shorter.n_agreed >= target:
            cover = shorter
    return cover


def on_uncovered(candidates: Candidates, samples: Samples, uncovered: BitArray) -> tuple[IntArray, IntArray]:
    """Uncovered samples on which each candidate agrees with the ensemble, and the others that it covers; (n,) each."""
    counts = samples.predicted.count(candidates.bits & uncovered)
    agreed = hits(counts, candidates.classes)
    return agreed, row_sums(counts) - agreed
