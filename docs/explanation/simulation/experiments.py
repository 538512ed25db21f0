"""What the pages on estimators and prior combiners claim, as tables of numbers.

Unless something else is said, a number is the mean excess log-loss of the rules that RCProb's search finds in random
forests.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from found import Effort, Found, divergence, excess, search, support
from worlds import CORRELATED, INDEPENDENT, RARE, WORLDS, two_classes

from rulekit.plugin import ProbabilityEstimator
from rulekit.probability.empirical import Empirical
from rulekit.probability.hybrid import EnsembleMEstimate, Hybrid
from rulekit.probability.laplace import Laplace
from rulekit.probability.m_estimate import MEstimate
from rulekit.probability.naive_bayes import NaiveBayes

ESTIMATORS: Mapping[str, ProbabilityEstimator] = {
    "empirical": Empirical(),
    "laplace": Laplace(),
    "m-estimate": MEstimate(),
    "ensemble-m-estimate": EnsembleMEstimate(),
    "naive-bayes": NaiveBayes(),
    "hybrid": Hybrid(),
}
COMBINERS = ("product", "log-linear", "mean", "weighted-mean")
BANDS = {"1-9": (1, 9), "10-29": (10, 29), "30-99": (30, 99), "100 and more": (100, np.inf)}


def estimators(effort: Effort) -> pd.DataFrame:
    """Every estimator in every world."""
    return _by_world(effort, ESTIMATORS)


def estimators_by_support(effort: Effort) -> pd.DataFrame:
    """Every estimator in every world, by the training samples that rules cover."""
    rows = []
    for world in WORLDS:
        found = search(world, effort)
        bins = np.floor(np.log2(support(found))).astype(int)
        for name, estimator in ESTIMATORS.items():
            by_bin = pd.Series(excess(found, estimator)).groupby(bins).agg(["mean", "size"])
            rows += [(world.name, name, 2.0 ** (position + 0.5), *values) for position, values in by_bin.iterrows()]
    return pd.DataFrame(rows, columns=["world", "estimator", "samples", "excess", "rules"]).astype({"rules": int})


def empirical(effort: Effort) -> pd.DataFrame:
    """The class fractions of rules, the truth, and the class fractions of the same rules on as many new samples."""
    rows = {}
    for method in ("rc+", "rcprob"):
        found = search(INDEPENDENT, effort, method=method)
        predicted = np.concatenate([each.predicted(Empirical()) for each in found])
        concluded = (np.arange(len(predicted)), predicted.argmax(axis=1))
        again = np.concatenate([each.counts_again() for each in found]).astype(float)
        again[again.sum(axis=1) == 0] = np.nan  # such a rule covers no new sample
        truths, covered = np.concatenate([each.truths for each in found]), support(found)
        for name, (least, most) in BANDS.items():
            here = (covered >= least) & (covered <= most)
            if not here.any():
                continue
            rows[method, name] = {
                "rules": int(here.sum()),
                "predicts 1.000": (predicted.max(axis=1) == 1)[here].mean(),
                "predicted": predicted[concluded][here].mean(),
                "truth": truths[concluded][here].mean(),
                "on new samples": np.nanmean(again[concluded][here] / again[here].sum(axis=1)),
            }
    table = pd.DataFrame(rows).T.rename_axis(["search", "samples"])
    return table.astype({"rules": int})


def laplace(effort: Effort) -> pd.DataFrame:
    """The strength of Laplace's estimator."""
    return _by_world(effort, {a: Laplace(a) for a in (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)}, "smoothing")


def m_estimate(effort: Effort) -> pd.DataFrame:
    """The weight of the class prior; the world with a rare class by what rules conclude."""
    weights = {m: MEstimate(m) for m in (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)}
    table = _by_world(effort, weights, "strength").drop(columns=RARE.name)
    found = search(RARE, effort)
    is_rare = np.concatenate([each.truths.argmax(axis=1) for each in found]) == 1
    losses = {m: excess(found, estimator) for m, estimator in weights.items()}
    table["rare: the frequent class"] = {m: loss[~is_rare].mean() for m, loss in losses.items()}
    table["rare: the rare class"] = {m: loss[is_rare].mean() for m, loss in losses.items()}
    return table


def ensemble_m_estimate(effort: Effort) -> pd.DataFrame:
    """What the ensemble's prior is worth, by ensemble and prior combiner."""
    rows = {}
    for ensemble in ("forest", "boosting"):
        for combiner in ("product", "mean"):
            found = search(CORRELATED, effort, ensemble=ensemble, priors=combiner)
            rows[ensemble, combiner] = {
                **_of_priors(found),
                **{
                    f"strength={strength:g}": excess(found, EnsembleMEstimate(strength)).mean()
                    for strength in (1, 5, 20, 100)
                },
                "m-estimate": excess(found, MEstimate()).mean(),
            }
    return pd.DataFrame(rows).T.rename_axis(["ensemble", "combiner"])


def naive_bayes(effort: Effort) -> pd.DataFrame:
    """Dependence within classes, and the number of conditions that are multiplied."""
    asked = {name: ESTIMATORS[name] for name in ("laplace", "m-estimate", "naive-bayes", "hybrid")}
    rows = {}
    for correlation in (0.0, 0.2, 0.4, 0.6, 0.8):
        world = two_classes("", correlation=correlation)
        found = search(world, Effort(effort.sizes[-1:], effort.repeats))
        rows[correlation] = {name: excess(found, estimator).mean() for name, estimator in asked.items()}
    return pd.DataFrame(rows).T.rename_axis("correlation")


def hybrid(effort: Effort) -> pd.DataFrame:
    """The support at which both parts of the hybrid weigh the same."""
    return _by_world(effort, {n: Hybrid(crossover=n) for n in (1.0, 5.0, 20.0, 50.0, 200.0, 1000.0)}, "crossover")


def combiners(effort: Effort) -> pd.DataFrame:
    """What rules inherit under each combiner, and what comes of it."""
    rows = {}
    for world in (INDEPENDENT, CORRELATED):
        for combiner in COMBINERS:
            found = search(world, effort, priors=combiner)
            rows[world.name, combiner] = {
                "rules": round(len(support(found)) / len(found), 1),
                **_of_priors(found),
                "hybrid": excess(found, Hybrid()).mean(),
                "m-estimate": excess(found, MEstimate()).mean(),
            }
    return pd.DataFrame(rows).T.rename_axis(["world", "combiner"])


def _by_world(effort: Effort, asked: Mapping[Any, ProbabilityEstimator], called: str = "estimator") -> pd.DataFrame:
    table = {
        world.name: {name: excess(search(world, effort), estimator).mean() for name, estimator in asked.items()}
        for world in WORLDS
    }
    return pd.DataFrame(table).rename_axis(called)


def _of_priors(found: Iterable[Found]) -> dict[str, float]:
    priors = np.concatenate([each.batch.priors for each in found])
    truths = np.concatenate([each.truths for each in found])
    return {"priors above 0.999": (priors.max(axis=1) > 0.999).mean(), "prior alone": divergence(truths, priors).mean()}
