"""The result: an ordered list of rules that stands on its own."""

from rulekit.ruleset.explanation import Explanation
from rulekit.ruleset.rule import Condition, Rule
from rulekit.ruleset.ruleset import RuleSet

__all__ = ["Condition", "Explanation", "Rule", "RuleSet"]
