"""The learning rate of XGBoost's models."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rulekit.adapters.xgboost_document import StoredEnsemble
from rulekit.adapters.xgboost_shrinkage import shrinkage
from rulekit.core.errors import LearningRateWarning, UnsupportedEnsembleError
from rulekit.core.interfaces import derives_from
from rulekit.core.messages import warn_caller

INSTEAD = "Use XGBoostAdapter(scores='shrunken')."
DEFAULT = np.float32(0.3)
#: Training parameters with whose defaults weights depend on gradients and hessians alone.
PLAIN = {"alpha": "0", "max_delta_step": "0", "monotone_constraints": "()"}


def learning_rate(model: Any, ensemble: StoredEnsemble) -> float:
    """The factor between a leaf's raw and its stored score, for a classifier or a `Booster`; raise if there is none.

    A classifier's own parameter takes precedence over the configuration of its booster. A model from a file has
    neither, and its configuration is 0.3 whatever the rate was: if the trees clearly show another rate, it is used.
    """
    name = type(model).__name__
    if any(derives_from(c, "xgboost", frozenset({"LearningRateScheduler"})) for c in _callbacks(model)):
        raise UnsupportedEnsembleError(
            f"The {name} was trained with a LearningRateScheduler and does not store the learning rate of each round, "
            f"so the unshrunken leaf scores cannot be recovered. {INSTEAD}"
        )
    given, configuration = _given_rate(model), _configuration(model)
    rate = np.float32(configuration["learning_rate"] if given is None else given)
    if not rate > 0:
        raise UnsupportedEnsembleError(
            f"The {name} has a learning rate of {rate:g}, so the unshrunken leaf scores cannot be recovered. {INSTEAD}"
        )
    trees = [tree.nodes for iteration in ensemble.iterations for trees in iteration for tree in trees]
    recovered = shrinkage(trees, float(rate), len(ensemble.iterations[0]))
    if recovered is None and given is None and rate == DEFAULT and _is_plain(configuration):
        warn_caller(_unknown(name), LearningRateWarning)
    return float(rate if recovered is None else np.float32(recovered))


def _unknown(name: str) -> str:
    return (
        f"The {name} does not store its learning rate (models from files do not), and it cannot be recovered from the "
        "trees, because their weights were penalised, limited or constrained, or because the rate changed. XGBoost's "
        "default of 0.3 is used. Set the right rate with set_params(learning_rate=…) of a classifier or "
        "set_param('learning_rate', …) of a Booster, or use XGBoostAdapter(scores='shrunken')."
    )


def _is_plain(configuration: Mapping[str, str]) -> bool:
    """Whether the rate could be recovered from trees that were trained with this configuration."""
    return all(configuration[key] == value for key, value in PLAIN.items())


def _callbacks(model: Any) -> list[Any]:
    return getattr(model, "callbacks", None) or []


def _given_rate(model: Any) -> Any:
    """The learning rate in the parameters of a classifier, under either name; None if it is not set."""
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    rates = [parameters.get(name) for name in ("learning_rate", "eta")]
    return next((rate for rate in rates if rate is not None), None)


def _configuration(model: Any) -> Mapping[str, str]:
    """The booster's training parameters of trees."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    configuration = json.loads(booster.save_config())["learner"]["gradient_booster"]
    boosting = configuration["gbtree"] if configuration["name"] == "dart" else configuration
    parameters: Mapping[str, str] = boosting["tree_train_param"]
    return parameters
