"""Short lists of IF-THEN rules, with probabilities that can be trusted, from any tree ensemble."""

from typing import TYPE_CHECKING

from rulekit.core.lazy import lazy_names

if TYPE_CHECKING:
    from rulekit.builder import build
    from rulekit.classifier import RuleClassifier, RuleMethod
    from rulekit.core.engine import engine_name, using_engine
    from rulekit.core.errors import RulekitError
    from rulekit.extractor import RuleExtractor
    from rulekit.plugin.catalogue import list_components, register
    from rulekit.plugin.hookspecs import hookimpl
    from rulekit.plugin.manager import observe
    from rulekit.plugin.preset import Preset
    from rulekit.regression.regressor import RuleRegressor
    from rulekit.regression.rules import RegressionRules
    from rulekit.ruleset import RuleSet

__all__ = [
    "Preset",
    "RegressionRules",
    "RuleClassifier",
    "RuleExtractor",
    "RuleMethod",
    "RuleRegressor",
    "RuleSet",
    "RulekitError",
    "__version__",
    "build",
    "engine_name",
    "hookimpl",
    "list_components",
    "observe",
    "register",
    "using_engine",
]

__version__ = "0.1.0"

# scikit-learn takes a second to import: `rulekit --help` and `--version` should not wait for it.
_HOMES = {
    "Preset": "rulekit.plugin.preset",
    "RegressionRules": "rulekit.regression.rules",
    "RuleClassifier": "rulekit.classifier",
    "RuleExtractor": "rulekit.extractor",
    "RuleMethod": "rulekit.classifier",
    "RuleRegressor": "rulekit.regression.regressor",
    "RuleSet": "rulekit.ruleset",
    "RulekitError": "rulekit.core.errors",
    "build": "rulekit.builder",
    "engine_name": "rulekit.core.engine",
    "hookimpl": "rulekit.plugin.hookspecs",
    "list_components": "rulekit.plugin.catalogue",
    "observe": "rulekit.plugin.manager",
    "register": "rulekit.plugin.catalogue",
    "using_engine": "rulekit.core.engine",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
