"""What authors of components need: interfaces, the objects that components get, checks, errors.

`docs/reference/plugin-surface.md` lists every name. Names are imported on first access: modules of rulekit itself
import submodules of this package, which would otherwise be circular.
"""

from typing import TYPE_CHECKING

from rulekit.core.lazy import lazy_names

if TYPE_CHECKING:
    from rulekit.classifier import RuleMethod
    from rulekit.core.arrays import BitArray, BoolArray, FloatArray, IntArray, LabelArray
    from rulekit.core.checks import check_choice, check_number, check_whole_number
    from rulekit.core.conditions import Conditions, first_match
    from rulekit.core.context import Budget, BudgetSpent, SearchContext, SearchStep
    from rulekit.core.errors import (
        ExportError,
        FewRulesWarning,
        InvalidParameterError,
        MissingExtraError,
        RulekitError,
        UnfittedEnsembleError,
        UnsupportedEnsembleError,
    )
    from rulekit.core.evaluated import Evaluated
    from rulekit.core.forest import CategorySplit, Forest, Tree, to_probabilities
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
        derives_from,
    )
    from rulekit.core.messages import warn_caller
    from rulekit.core.rules import Refined, RuleBatch, RuleList, Rules
    from rulekit.core.statistics import hits, precision, row_sums
    from rulekit.core.training_data import TrainingData
    from rulekit.inference.decision_list import DecisionList
    from rulekit.model import find_adapter
    from rulekit.plugin.catalogue import make_component
    from rulekit.plugin.hookspecs import hookimpl
    from rulekit.plugin.manager import Registrar
    from rulekit.plugin.preset import Preset
    from rulekit.regression.data import RegressionData

__all__ = [
    "Adapter",
    "BitArray",
    "BoolArray",
    "Budget",
    "BudgetSpent",
    "CalibrationMap",
    "CategorySplit",
    "CombineStage",
    "Conditions",
    "CoverStage",
    "DecisionList",
    "Evaluated",
    "ExportError",
    "Exporter",
    "FewRulesWarning",
    "FloatArray",
    "Forest",
    "InferenceMode",
    "IntArray",
    "InvalidParameterError",
    "LabelArray",
    "Measure",
    "MissingExtraError",
    "Preset",
    "PriorCombiner",
    "ProbabilityEstimator",
    "ReadyStudy",
    "RefineStage",
    "Refined",
    "Registrar",
    "RegressionData",
    "RuleBatch",
    "RuleList",
    "RuleMethod",
    "RulekitError",
    "Rules",
    "Score",
    "SearchContext",
    "SearchStep",
    "SimplifyStage",
    "TrainingData",
    "Tree",
    "UnfittedEnsembleError",
    "UnsupportedEnsembleError",
    "check_choice",
    "check_number",
    "check_whole_number",
    "derives_from",
    "find_adapter",
    "first_match",
    "hits",
    "hookimpl",
    "make_component",
    "precision",
    "row_sums",
    "to_probabilities",
    "warn_caller",
]

_NAMES_OF = {
    "rulekit.classifier": ("RuleMethod",),
    "rulekit.core.arrays": ("BitArray", "BoolArray", "FloatArray", "IntArray", "LabelArray"),
    "rulekit.core.checks": ("check_choice", "check_number", "check_whole_number"),
    "rulekit.core.conditions": ("Conditions", "first_match"),
    "rulekit.core.context": ("Budget", "BudgetSpent", "SearchContext", "SearchStep"),
    "rulekit.core.errors": (
        "ExportError",
        "FewRulesWarning",
        "InvalidParameterError",
        "MissingExtraError",
        "RulekitError",
        "UnfittedEnsembleError",
        "UnsupportedEnsembleError",
    ),
    "rulekit.core.evaluated": ("Evaluated",),
    "rulekit.core.forest": ("CategorySplit", "Forest", "Tree", "to_probabilities"),
    "rulekit.core.interfaces": (
        "Adapter",
        "CalibrationMap",
        "CombineStage",
        "CoverStage",
        "Exporter",
        "InferenceMode",
        "Measure",
        "PriorCombiner",
        "ProbabilityEstimator",
        "ReadyStudy",
        "RefineStage",
        "Score",
        "SimplifyStage",
        "derives_from",
    ),
    "rulekit.core.messages": ("warn_caller",),
    "rulekit.core.rules": ("Refined", "RuleBatch", "RuleList", "Rules"),
    "rulekit.core.statistics": ("hits", "precision", "row_sums"),
    "rulekit.core.training_data": ("TrainingData",),
    "rulekit.inference.decision_list": ("DecisionList",),
    "rulekit.model": ("find_adapter",),
    "rulekit.plugin.catalogue": ("make_component",),
    "rulekit.plugin.hookspecs": ("hookimpl",),
    "rulekit.plugin.manager": ("Registrar",),
    "rulekit.plugin.preset": ("Preset",),
    "rulekit.regression.data": ("RegressionData",),
}
_HOMES = {name: module for module, names in _NAMES_OF.items() for name in names}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
