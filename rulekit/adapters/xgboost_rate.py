"""The learning rate of XGBoost's models, which their trees do not tell."""

import json
from typing import Any

import numpy as np

from rulekit.adapters.recognise import derives_from
from rulekit.core.errors import UnsupportedEnsembleError

INSTEAD = "Read it with scores='shrunken'."


def learning_rate(model: Any) -> float:
    """The factor between a leaf's score and what was stored, for a classifier or a `Booster`; raise if there is none.

    A classifier's own parameter comes first: it is all that is known of a model that was loaded from a file, whose
    configuration says 0.3 whatever the rate was.
    """
    name = type(model).__name__
    if any(derives_from(c, "xgboost", frozenset({"LearningRateScheduler"})) for c in _callbacks(model)):
        raise UnsupportedEnsembleError(
            f"The {name} was trained with a LearningRateScheduler and does not know the learning rate of each round, "
            f"so that scores before it cannot be told. {INSTEAD}"
        )
    stated = _stated(model)
    rate = float(np.float32(_configured(model) if stated is None else stated))
    if not rate > 0:
        raise UnsupportedEnsembleError(
            f"The {name} has a learning rate of {rate:g}, so that scores before it cannot be told. {INSTEAD}"
        )
    return rate


def _callbacks(model: Any) -> list[Any]:
    return getattr(model, "callbacks", None) or []


def _stated(model: Any) -> Any:
    """What the parameters of a classifier say, under either name; None if nothing."""
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    rates = [parameters.get(name) for name in ("learning_rate", "eta")]
    return next((rate for rate in rates if rate is not None), None)


def _configured(model: Any) -> Any:
    """What the configuration of the booster says."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    configuration = json.loads(booster.save_config())["learner"]["gradient_booster"]
    boosting = configuration["gbtree"] if configuration["name"] == "dart" else configuration
    return boosting["tree_train_param"]["learning_rate"]
