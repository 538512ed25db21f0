"""What inference modes make of the same rules, on new samples of known worlds."""

from typing import Any

import attrs
import numpy as np
import pandas as pd
from experiments import ESTIMATORS
from found import FLOOR, NEW, Effort, Found, search
from numpy.typing import NDArray
from worlds import CORRELATED, INDEPENDENT, WORLDS

from rulekit.evaluation import confidence_ece
from rulekit.inference.aggregate import Aggregate
from rulekit.plugin import DecisionList

MODES = {"decision-list": DecisionList(), "aggregate": Aggregate()}
N_SAMPLES = 4000
MOST_MATCHES = 6


@attrs.frozen(eq=False)
class Answers:
    """What each mode answers.

    Attributes
    ----------
    n_matches : ndarray of shape (n_samples,)
        How many rules match each sample.
    classes : ndarray of shape (n_samples,)
        What the samples are.
    predicted : dict of str to ndarray of shape (n_samples, n_classes)
        Class probabilities, by mode.
    """

    n_matches: NDArray[np.int64]
    classes: NDArray[np.int64]
    predicted: dict[str, NDArray[np.float64]]


def answers(found: Found, estimator: str) -> Answers:
    """Ask both modes about new samples."""
    X, y = found.world.draw(N_SAMPLES, np.random.default_rng(NEW + found.seed))
    default = found.model.ruleset_.probabilities[-1]
    ruleset = attrs.evolve(
        found.model.ruleset_, probabilities=np.vstack([found.predicted(ESTIMATORS[estimator]), default])
    )
    matches = ruleset.matches(X)
    return Answers(matches.sum(axis=0), y, {name: mode.infer(matches, ruleset) for name, mode in MODES.items()})


def inference(effort: Effort) -> pd.DataFrame:
    """Both modes in every world, with the probabilities of the hybrid estimator."""
    rows = {}
    for world in WORLDS:
        measured = [_measured(answers(found, "hybrid")) for found in search(world, effort)]
        rows[world.name] = pd.DataFrame(measured).mean()
    return pd.DataFrame(rows).T.rename_axis("world")


def inference_by_matches(effort: Effort) -> pd.DataFrame:
    """Log-loss of both modes by the number of rules that match a sample; the last row has all larger numbers."""
    frames = []
    for world in (INDEPENDENT, CORRELATED):
        for found in search(world, effort):
            each = answers(found, "hybrid")
            losses = {name: _losses(each, name) for name in MODES}
            frames.append(
                pd.DataFrame({"world": world.name, "matches": each.n_matches.clip(max=MOST_MATCHES), **losses})
            )
    every = pd.concat(frames)
    return every[every["matches"] > 0].groupby(["world", "matches"]).mean().reset_index()


def _losses(each: Answers, mode: str) -> NDArray[np.float64]:
    of_truth = each.predicted[mode][np.arange(N_SAMPLES), each.classes]
    return -np.log(np.maximum(of_truth, FLOOR))


def _measured(each: Answers) -> dict[str, Any]:
    labels = np.arange(each.predicted["aggregate"].shape[1])
    unmatched = each.n_matches == 0
    row: dict[str, Any] = {
        "none match": unmatched.mean(),
        "two or more": (each.n_matches > 1).mean(),
        "log-loss where none": _losses(each, "aggregate")[unmatched].mean() if unmatched.any() else np.nan,
    }
    row |= {f"log-loss, {name}": _losses(each, name).mean() for name in MODES}
    row |= {f"ECE, {name}": confidence_ece(each.classes, each.predicted[name], labels) for name in MODES}
    return row | {f"accuracy, {name}": (each.predicted[name].argmax(axis=1) == each.classes).mean() for name in MODES}
