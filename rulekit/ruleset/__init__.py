"""The result: an ordered list of rules that needs neither the ensemble nor the training data."""

from rulekit.ruleset.condition import Condition, Requirement
from rulekit.ruleset.rule import Rule
from rulekit.ruleset.ruleset import RuleSet

__all__ = ["Condition", "Requirement", "Rule", "RuleSet"]
