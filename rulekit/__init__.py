"""Short lists of IF-THEN rules, with probabilities that can be trusted, from any tree ensemble."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    from rulekit.ruleset import RuleSet

__all__ = [
    "Preset",
    "RuleClassifier",
    "RuleExtractor",
    "RuleMethod",
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
    "RuleClassifier": "rulekit.classifier",
    "RuleExtractor": "rulekit.extractor",
    "RuleMethod": "rulekit.classifier",
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


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
