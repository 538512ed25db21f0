"""How far from the truth estimators are about what each rule of a list answers, in worlds where it is known."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import pandas as pd
from experiments import ESTIMATORS
from found import NEW, Effort, Found, divergence, search
from numpy.typing import NDArray
from worlds import WORLDS

from rulekit.plugin import ProbabilityEstimator
from rulekit.probability.answered import Answered

#: By their names in tables and pictures.
OF_LISTS: Mapping[str, ProbabilityEstimator] = {
    **ESTIMATORS,
    "answered, counts alone": Answered(honest="none"),
    "answered": Answered(),
}
N_SAMPLES = 50_000


def answered(effort: Effort) -> pd.DataFrame:
    """Mean excess log-loss of new samples, in every world."""
    losses = _losses(effort)
    sums = losses.pivot_table(["loss", "mass"], "estimator", "world", "sum")
    return (sums["loss"] / sums["mass"]).loc[list(OF_LISTS), [world.name for world in WORLDS]].rename_axis(columns=None)


def answered_by_samples(effort: Effort) -> pd.DataFrame:
    """The same by the training samples that the rule answers, the default rule left out."""
    losses = _losses(effort)
    rules = losses[~losses["default"] & (losses["answered"] > 0)]
    bins = np.floor(np.log2(rules["answered"]))
    grouped = rules.groupby([rules["world"], rules["estimator"], 2.0 ** (bins + 0.5)], sort=False)
    table = grouped.agg(loss=("loss", "sum"), mass=("mass", "sum"), rules=("mass", "size")).reset_index()
    table["excess"] = table.pop("loss") / table.pop("mass")
    table = table[["world", "estimator", "answered", "excess", "rules"]]
    return table.sort_values(["world", "estimator", "answered"], key=_order, ignore_index=True)


def _order(column: pd.Series) -> pd.Series:
    names = [*(world.name for world in WORLDS), *OF_LISTS]
    return column if pd.api.types.is_numeric_dtype(column) else column.map(names.index)


@cache
def _losses(effort: Effort) -> pd.DataFrame:
    """A row for each rule and estimator: the new samples that the rule answers, and their excess log-loss."""
    frames = []
    for world in WORLDS:
        for found in search(world, effort):
            truths, mass = _answered_truths(found)
            n_answered = found.batch.answered_counts.sum(axis=1)
            for name, estimator in OF_LISTS.items():
                excess = np.where(mass > 0, divergence(truths, found.predicted_list(estimator)), 0.0)
                facts = {"answered": n_answered, "default": np.arange(len(mass)) == len(mass) - 1}
                frames.append(
                    pd.DataFrame({"world": world.name, "estimator": name, **facts, "mass": mass, "loss": mass * excess})
                )
    return pd.concat(frames, ignore_index=True)


def _answered_truths(found: Found) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Class probabilities of the samples that each rule answers, and the fraction that these are of all samples.

    The samples that a rule answers fill no box, so both are means over many new samples; what each of these is has
    an exact probability.
    """
    X, _ = found.world.draw(N_SAMPLES, np.random.default_rng(NEW + found.seed))
    answering = found.model.ruleset_.first_matches(X)
    sums = np.zeros((len(found.batch) + 1, len(found.world.fractions)))
    np.add.at(sums, answering, found.world.posterior(X))
    counts = np.bincount(answering, minlength=len(sums))
    truths = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], found.world.fractions)
    return truths, counts / N_SAMPLES
