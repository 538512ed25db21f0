"""Each rule's predicted probability, compared with its precision on held-out samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.evaluation.labels import class_indices
from rulekit.ruleset import RuleSet

if TYPE_CHECKING:
    import pandas as pd

#: Groups of rules by how many held-out samples they answer, with the fewest of each: few make a noisy precision.
GROUPS = {"0": 0, "1-9": 1, "10-29": 10, "30-99": 30, ">=100": 100}
_SUMMARISED = ("probability", "n_fired", "gap")


def rule_diagnostics(ruleset: RuleSet, X: Any, y: npt.ArrayLike) -> pd.DataFrame:
    """Compare each rule's predicted probability with its precision on held-out samples.

    A sample counts for the first rule that covers it, whatever the ruleset's own inference mode.

    Parameters
    ----------
    ruleset : RuleSet
    X : array-like or DataFrame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        True labels.

    Returns
    -------
    diagnostics : DataFrame
        One row for each rule but the default, indexed by its position, `rule`, from 1:

        - `class`, `probability`, `support`, `n_covered`: as in `RuleSet.to_frame`, facts about training;
        - `n_fired`: held-out samples that it answers;
        - `held_out_precision`: fraction of its class among them, NaN if there are none;
        - `gap`: `probability` minus `held_out_precision`, positive if the rule is overconfident;
        - `group`: "0", "1-9", "10-29", "30-99" or ">=100", in that order, by `n_fired`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> from rulekit.evaluation import rule_diagnostics
    >>> X, y = load_iris(return_X_y=True)
    >>> model = rulekit.build("tree", random_state=0).fit(X[::2], y[::2])
    >>> rule_diagnostics(model.ruleset_, X[1::2], y[1::2])["group"].tolist()[0]
    '10-29'
    """
    import pandas as pd

    fired, truth = ruleset.first_matches(X), class_indices(y, ruleset.classes)
    if len(fired) != len(truth):
        raise ValueError(f"Each sample needs one label; X has {len(fired)} samples and y has {len(truth)} labels.")
    rules = ruleset[:-1]
    concluded = ruleset.probabilities.argmax(axis=1)
    predicted = np.array([rule.probability for rule in rules], dtype=np.float64)
    n_fired = np.bincount(fired, minlength=len(ruleset))[:-1]
    n_right = np.bincount(fired[concluded[fired] == truth], minlength=len(ruleset))[:-1]
    precisions = np.divide(n_right, n_fired, out=np.full(len(rules), np.nan), where=n_fired > 0)
    return pd.DataFrame(
        {
            "class": ruleset.classes[concluded[:-1]],
            "probability": predicted,
            "support": np.array([rule.support for rule in rules], dtype=np.float64),
            "n_covered": np.array([rule.n_covered for rule in rules], dtype=np.int64),
            "n_fired": n_fired,
            "held_out_precision": precisions,
            "gap": predicted - precisions,
            "group": pd.Categorical.from_codes(_group_codes(n_fired), categories=pd.Index(list(GROUPS)), ordered=True),
        },
        index=pd.RangeIndex(1, len(ruleset), name="rule"),
    )


def summarise_diagnostics(frames: pd.DataFrame | Iterable[pd.DataFrame]) -> dict[str, float]:
    """Summarise the rules of one or several folds and datasets.

    Every rule counts once.

    Parameters
    ----------
    frames : DataFrame or iterable of DataFrame
        Return values of `rule_diagnostics`.

    Returns
    -------
    summary : dict of str to float
        - `n_non_default_rules`;
        - `predicts_1`, `predicts_at_least_0.999`, `predicts_at_least_0.99`: fraction of the rules whose predicted
          probability is exactly 1, or at least this;
        - `never_fired`: fraction of the rules that answer no held-out sample;
        - `gap_1-9`, `gap_10-29`, `gap_30-99`, `gap_>=100`: mean signed gap of the rules that answer that many
          held-out samples.

        NaN where there are no rules.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulekit.evaluation import summarise_diagnostics
    >>> frame = pd.DataFrame({"probability": [1.0, 0.9], "n_fired": [4, 0], "gap": [0.25, float("nan")]})
    >>> summary = summarise_diagnostics(frame)
    >>> [summary[name] for name in ("predicts_1", "never_fired", "gap_1-9")]
    [0.5, 0.5, 0.25]
    """
    predicted, n_fired, gaps = _pooled([frames] if hasattr(frames, "columns") else list(frames))
    groups = _group_codes(n_fired)
    means = {f"gap_{name}": _mean(gaps[groups == code]) for code, name in enumerate(GROUPS) if code}
    return {
        "n_non_default_rules": float(len(predicted)),
        "predicts_1": _mean(predicted == 1.0),
        "predicts_at_least_0.999": _mean(predicted >= 0.999),
        "predicts_at_least_0.99": _mean(predicted >= 0.99),
        "never_fired": _mean(n_fired == 0),
        **means,
    }


def _group_codes(n_fired: IntArray | FloatArray) -> IntArray:
    """Position in `GROUPS` of each rule's group, of shape (n_rules,)."""
    return np.searchsorted(list(GROUPS.values()), n_fired, side="right") - 1


def _pooled(frames: list[Any]) -> list[FloatArray]:
    """The columns that are summarised, each of shape (n_rules,) over all frames together."""
    if not frames:
        raise ValueError("Nothing to summarise: pass at least one data frame returned by rule_diagnostics.")
    for frame in frames:
        lacking = [name for name in _SUMMARISED if name not in getattr(frame, "columns", ())]
        if lacking:
            raise ValueError(
                f"Expected data frames returned by rule_diagnostics, got a {type(frame).__name__} without {lacking!r}."
            )
    return [np.concatenate([frame[name].to_numpy(dtype=np.float64) for frame in frames]) for name in _SUMMARISED]


def _mean(values: FloatArray | BoolArray) -> float:
    return float(values.mean()) if len(values) else float("nan")
