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

INSTEAD = "Read it with scores='shrunken'."
DEFAULT = np.float32(0.3)
#: Parameters of training with which weights are not what gradients and hessians alone say, and their defaults.
PLAIN = {"alpha": "0", "max_delta_step": "0", "monotone_constraints": "()"}


def learning_rate(model: Any, ensemble: StoredEnsemble) -> float:
    """The factor between a leaf's score and what was stored, for a classifier or a `Booster`; raise if there is none.

    A classifier's own parameter comes before the configuration of its booster. A model from a file has forgotten both,
    and its configuration says 0.3 whatever the rate was: where the trees clearly tell another rate, it is theirs.
    """
    name = type(model).__name__
    if any(derives_from(c, "xgboost", frozenset({"LearningRateScheduler"})) for c in _callbacks(model)):
        raise UnsupportedEnsembleError(
            f"The {name} was trained with a LearningRateScheduler and does not know the learning rate of each round, "
            f"so that scores before it cannot be told. {INSTEAD}"
        )
    predicted, configuration = _predicted(model), _configuration(model)
    rate = np.float32(configuration["learning_rate"] if predicted is None else predicted)
    if not rate > 0:
        raise UnsupportedEnsembleError(
            f"The {name} has a learning rate of {rate:g}, so that scores before it cannot be told. {INSTEAD}"
        )
    trees = [tree.nodes for iteration in ensemble.iterations for trees in iteration for tree in trees]
    told = shrinkage(trees, float(rate), len(ensemble.iterations[0]))
    if told is None and predicted is None and rate == DEFAULT and _is_plain(configuration):
        warn_caller(_unknown(name), LearningRateWarning)
    return float(rate if told is None else np.float32(told))


def _unknown(name: str) -> str:
    return (
        f"The {name} does not know its learning rate, as models from files do not, and its trees do not tell it, "
        "because their weights were penalised, limited or constrained, or because it changed. XGBoost's default of 0.3 "
        "is taken. Set the right one, by set_params(learning_rate=…) of a classifier or set_param('learning_rate', …) "
        "of a Booster, or read it with scores='shrunken'."
    )


def _is_plain(configuration: Mapping[str, str]) -> bool:
    """Whether a model with this configuration would have trees that tell its rate, were it the one of its training."""
    return all(configuration[key] == value for key, value in PLAIN.items())


def _callbacks(model: Any) -> list[Any]:
    return getattr(model, "callbacks", None) or []


def _predicted(model: Any) -> Any:
    """What the parameters of a classifier say, under either name; None if nothing."""
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    rates = [parameters.get(name) for name in ("learning_rate", "eta")]
    return next((rate for rate in rates if rate is not None), None)


def _configuration(model: Any) -> Mapping[str, str]:
    """How the booster says that it grows trees."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    configuration = json.loads(booster.save_config())["learner"]["gradient_booster"]
    boosting = configuration["gbtree"] if configuration["name"] == "dart" else configuration
    parameters: Mapping[str, str] = boosting["tree_train_param"]
    return parameters
