"""An independent reader of rules as they are printed: strings in, answers out."""

import math
import re
from collections.abc import Mapping

from rulekit.ruleset import RuleSet

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
CLAUSE = re.compile(rf"(?:(?P<low>{NUMBER}) (?P<from><=|<) )?(?P<name>\w+)(?: (?P<op><=|>=|>|=) (?P<limit>{NUMBER}))?")
COMPARE = {
    "<=": lambda value, limit: value <= limit,
    ">=": lambda value, limit: value >= limit,
    ">": lambda value, limit: value > limit,
    "<": lambda value, limit: value < limit,
    "=": lambda value, limit: value == limit,
}


def satisfies(antecedent: str, sample: Mapping[str, float]) -> bool:
    """Whether a sample satisfies printed conditions on numbers."""
    return all(_holds(clause.strip("()"), sample) for clause in antecedent.split(" and "))


def first_match(ruleset: RuleSet, sample: Mapping[str, float]) -> int:
    """Index of the first rule that a sample satisfies as printed, else of the default rule."""
    antecedents = [rule.antecedent for rule in ruleset][:-1]
    found = (position for position, antecedent in enumerate(antecedents) if satisfies(antecedent, sample))
    return next(found, len(antecedents))


def _holds(clause: str, sample: Mapping[str, float]) -> bool:
    if clause.endswith(" is missing"):
        return math.isnan(sample[clause.removesuffix(" is missing")])
    if clause.endswith(" is not missing"):
        return not math.isnan(sample[clause.removesuffix(" is not missing")])
    or_missing, clause = clause.endswith(" or missing"), clause.removesuffix(" or missing")
    read = CLAUSE.fullmatch(clause)
    assert read is not None, clause
    value = sample[read["name"]]
    if math.isnan(value):
        return or_missing
    above = read["low"] is None or COMPARE[read["from"]](float(read["low"]), value)
    return above and (read["op"] is None or COMPARE[read["op"]](value, float(read["limit"])))
