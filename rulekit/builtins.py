"""The built-in components, registered through the same hook as those of plugins."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rulekit import ensembles
from rulekit.adapters.catboost import CatBoostAdapter
from rulekit.adapters.lightgbm import LightGBMAdapter
from rulekit.adapters.own_tree import TreeAdapter
from rulekit.adapters.sklearn_adaboost import SklearnAdaBoostAdapter
from rulekit.adapters.sklearn_gradient_boosting import SklearnGradientBoostingAdapter
from rulekit.adapters.sklearn_hist_gradient_boosting import SklearnHistGradientBoostingAdapter
from rulekit.adapters.sklearn_trees import SklearnBaggingAdapter, SklearnForestAdapter, SklearnTreeAdapter
from rulekit.adapters.xgboost import XGBoostAdapter
from rulekit.calibration.maps.beta import Beta
from rulekit.calibration.maps.dirichlet import Dirichlet
from rulekit.calibration.maps.scikit_learn import Isotonic, Sigmoid
from rulekit.calibration.maps.temperature import Temperature
from rulekit.evaluation import components as measures
from rulekit.export.exporters import (
    CExporter,
    CsvExporter,
    ExcelExporter,
    JsonExporter,
    OnnxExporter,
    PmmlExporter,
    PythonExporter,
    SqlExporter,
)
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.plugin.hookspecs import hookimpl
from rulekit.plugin.manager import Registrar
from rulekit.plugin.preset import Preset
from rulekit.priors.mean import Mean
from rulekit.priors.product import LogLinearPool, Product
from rulekit.priors.weighted_mean import WeightedMean
from rulekit.probability.answered import Answered
from rulekit.probability.empirical import Empirical
from rulekit.probability.hybrid import EnsembleMEstimate, Hybrid
from rulekit.probability.laplace import Laplace
from rulekit.probability.m_estimate import MEstimate
from rulekit.probability.naive_bayes import NaiveBayes
from rulekit.regression.methods import AdditiveRegressor, ListRegressor
from rulekit.search.by_size import BySize
from rulekit.search.combine import Combine
from rulekit.search.cover import Cover
from rulekit.search.relist import Relist
from rulekit.search.scores import LogLoss, MacroF1
from rulekit.search.simplify import DropRedundant, Simplify
from rulekit.search.soft import Soft
from rulekit.trees.distilled import DistilledTree
from rulekit.trees.methods import PlainTree, ShrunkTree
from rulekit.wrappers.calibrated import CalibratedAdapter
from rulekit.wrappers.named_classes import NamedClassesAdapter
from rulekit.wrappers.pipeline import PipelineAdapter
from rulekit.wrappers.voting import BaggedEnsemblesAdapter, OneVsRestAdapter, VotingAdapter

PRESETS: Final[dict[str, Preset]] = {
    "rc+": Preset(
        "RuleCOSI+: compact rules that predict their training precision.",
        {"priors": "mean", "search_estimator": "empirical", "final_estimator": "empirical"},
    ),
    "rcprob": Preset(
        "RCProb: fewer rules, with probabilities smoothed by naive Bayes and the ensemble.",
        {"priors": "product", "search_estimator": "naive-bayes", "final_estimator": "hybrid"},
    ),
    "rclist": Preset(
        "A short list from RCProb's search, searched once more, that predicts what its rules answer.",
        {
            "priors": "product",
            "search_estimator": "naive-bayes",
            "final_estimator": "answered",
            "refine": "by-size",
        },
    ),
}

COMPONENTS: Final[Mapping[str, Mapping[str, Callable[..., Any] | Preset]]] = {
    "adapter": {
        "sklearn-forest": SklearnForestAdapter,
        "sklearn-bagging": SklearnBaggingAdapter,
        "sklearn-gradient-boosting": SklearnGradientBoostingAdapter,
        "sklearn-hist-gradient-boosting": SklearnHistGradientBoostingAdapter,
        "sklearn-adaboost": SklearnAdaBoostAdapter,
        "sklearn-tree": SklearnTreeAdapter,
        "tree": TreeAdapter,
        "xgboost": XGBoostAdapter,
        "lightgbm": LightGBMAdapter,
        "catboost": CatBoostAdapter,
        "voting": VotingAdapter,
        "one-vs-rest": OneVsRestAdapter,
        "bagged-ensembles": BaggedEnsemblesAdapter,
        "calibrated": CalibratedAdapter,
        "named-classes": NamedClassesAdapter,
        "pipeline": PipelineAdapter,
    },
    "priors": {
        "product": Product,
        "mean": Mean,
        "weighted-mean": WeightedMean,
        "log-linear": LogLinearPool,
    },
    "probability": {
        "empirical": Empirical,
        "laplace": Laplace,
        "m-estimate": MEstimate,
        "ensemble-m-estimate": EnsembleMEstimate,
        "naive-bayes": NaiveBayes,
        "hybrid": Hybrid,
        "answered": Answered,
    },
    "combine": {"combine": Combine},
    "cover": {"cover": Cover},
    "simplify": {"simplify": Simplify, "drop-redundant": DropRedundant},
    "refine": {"relist": Relist, "soft": Soft, "by-size": BySize},
    "score": {"macro-f1": MacroF1, "log-loss": LogLoss},
    "inference": {"decision-list": DecisionList, "aggregate": Aggregate},
    "export": {
        "json": JsonExporter,
        "python": PythonExporter,
        "sql": SqlExporter,
        "c": CExporter,
        "pmml": PmmlExporter,
        "onnx": OnnxExporter,
        "csv": CsvExporter,
        "excel": ExcelExporter,
    },
    "calibration": {
        "temperature": Temperature,
        "dirichlet": Dirichlet,
        "beta": Beta,
        "sigmoid": Sigmoid,
        "isotonic": Isotonic,
    },
    "measure": {
        "log_loss": measures.LogLoss,
        "brier": measures.Brier,
        "confidence_ece": measures.ConfidenceECE,
        "classwise_ece": measures.ClasswiseECE,
        "accuracy": measures.Accuracy,
        "balanced_accuracy": measures.BalancedAccuracy,
        "macro_f1": measures.MacroF1,
        "roc_auc": measures.RocAUC,
        "average_precision": measures.AveragePrecision,
        "ks": measures.KS,
        "lift_at_10": measures.LiftAt10,
        "rarest_class_recall": measures.RarestClassRecall,
        "fidelity": measures.Fidelity,
        "n_rules": measures.NRules,
        "n_conditions": measures.NConditions,
        "n_distinct_conditions": measures.NDistinctConditions,
        "conditions_per_rule": measures.ConditionsPerRule,
        "uniqueness": measures.Uniqueness,
    },
    "ensemble": {
        "rf": ensembles.random_forest,
        "gbm": ensembles.gradient_boosting,
        "extra-trees": ensembles.extra_trees,
        "bagging": ensembles.bagging,
        "tree": ensembles.decision_tree,
        "hist-gbm": ensembles.hist_gradient_boosting,
        "adaboost": ensembles.adaboost,
        "xgboost": ensembles.xgboost,
        "lightgbm": ensembles.lightgbm,
        "catboost": ensembles.catboost,
    },
    "method": {
        **PRESETS,
        "tree": PlainTree,
        "shrunk-tree": ShrunkTree,
        "distilled-tree": DistilledTree,
    },
    "regressor": {"additive": AdditiveRegressor, "list": ListRegressor},
}


@hookimpl
def rulekit_register(registry: Registrar) -> None:
    """Register everything that rulekit ships."""
    for kind, components in COMPONENTS.items():
        for name, factory in components.items():
            registry.add(kind, name, factory)
