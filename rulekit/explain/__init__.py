"""Why a sample gets its prediction, and what would have to change for another one."""

from rulekit.explain.check import Check
from rulekit.explain.counterfactual import Change, Counterfactual
from rulekit.explain.explanation import Explanation, Tried
from rulekit.explain.explanations import Explanations

__all__ = ["Change", "Check", "Counterfactual", "Explanation", "Explanations", "Tried"]
