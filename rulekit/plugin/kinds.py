"""The kinds of components, and what each kind must offer."""

from typing import Final

from rulekit.core.interfaces import (
    Adapter,
    CombineStage,
    CoverStage,
    InferenceMode,
    PriorCombiner,
    ProbabilityEstimator,
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
    "inference": InferenceMode,
}

#: Every kind, with what people call it. Ensembles are functions that return an unfitted classifier; methods are
#: presets, or functions that return a classifier.
KINDS: Final[dict[str, str]] = {
    "method": "method",
    "ensemble": "ensemble",
    "adapter": "adapter",
    "priors": "prior combiner",
    "probability": "probability estimator",
    "combine": "combine stage",
    "cover": "cover stage",
    "simplify": "simplify stage",
    "inference": "inference mode",
}
