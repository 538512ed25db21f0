"""The kinds of components, and the interface of each."""

from typing import Final

from rulekit.core.interfaces import (
    Adapter,
    CalibrationMap,
    CombineStage,
    CoverStage,
    Exporter,
    InferenceMode,
    Measure,
    PriorCombiner,
    ProbabilityEstimator,
    ReadyStudy,
    RefineStage,
    Score,
    SimplifyStage,
)

#: Kinds whose components are classes of an interface of `rulekit.core.interfaces`.
INTERFACES: Final[dict[str, type]] = {
    "adapter": Adapter,
    "priors": PriorCombiner,
    "probability": ProbabilityEstimator,
    "combine": CombineStage,
    "cover": CoverStage,
    "simplify": SimplifyStage,
    "refine": RefineStage,
    "score": Score,
    "inference": InferenceMode,
    "export": Exporter,
    "calibration": CalibrationMap,
    "measure": Measure,
    "study": ReadyStudy,
}

#: Every kind, with its name in messages. Ensembles are functions that return an unfitted classifier; methods are
#: presets, or functions that return a classifier; regression methods are classes derived from `RuleRegressor`.
KINDS: Final[dict[str, str]] = {
    "method": "method",
    "regressor": "regression method",
    "ensemble": "ensemble",
    "adapter": "adapter",
    "priors": "prior combiner",
    "probability": "probability estimator",
    "combine": "combine stage",
    "cover": "cover stage",
    "simplify": "simplify stage",
    "refine": "refine stage",
    "score": "score",
    "inference": "inference mode",
    "export": "export format",
    "calibration": "calibration map",
    "measure": "measure",
    "study": "study",
}

#: Which kind of component each parameter of a rule classifier takes.
PARAMETERS: Final[dict[str, str]] = {
    "adapter": "adapter",
    "priors": "priors",
    "search_estimator": "probability",
    "final_estimator": "probability",
    "combine": "combine",
    "cover": "cover",
    "simplify": "simplify",
    "refine": "refine",
    "search_score": "score",
    "inference": "inference",
}
#: Parameters that may be None: the adapter is then chosen for the model, and a stage is skipped.
OPTIONAL_PARAMETERS: Final = frozenset({"adapter", "combine", "cover", "simplify", "refine"})
