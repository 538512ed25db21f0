"""Short lists of IF-THEN rules, with probabilities that can be trusted, from any tree ensemble."""

from rulekit._version import __version__
from rulekit.builder import build
from rulekit.core.errors import RulekitError
from rulekit.extractor import RuleExtractor
from rulekit.plugin.catalogue import list_components, register
from rulekit.plugin.hookspecs import hookimpl
from rulekit.plugin.manager import observe
from rulekit.plugin.preset import Preset
from rulekit.ruleset import RuleSet

__all__ = [
    "Preset",
    "RuleExtractor",
    "RuleSet",
    "RulekitError",
    "__version__",
    "build",
    "hookimpl",
    "list_components",
    "observe",
    "register",
]
