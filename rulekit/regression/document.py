"""Rules for a number as a document of plain types, for JSON: exact in both directions."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from rulekit.core.errors import RulekitError, RuleSetFormatError
from rulekit.core.messages import cut
from rulekit.regression.rules import N_LEVELS, RegressionRules
from rulekit.ruleset import limits
from rulekit.ruleset.document import conditions_of, describe_conditions
from rulekit.ruleset.format import RULE, RULESET, check_indices
from rulekit.ruleset.shape import Choice, Field, List, Number, Object, Whole

FORMAT: Final = "rulekit-regression-rules"
VERSION: Final = 1
#: What rules for classes have too.
_SHARED: Final = (
    *("n_samples", "feature_names", "input_dtype", "categories", "unknown_as_missing", "missing_features"),
    *("whole_features", "conditions"),
)

RULES: Final = Object(
    {
        "format": Field(Choice((FORMAT,))),
        "version": Field(Choice((VERSION,))),
        **{name: RULESET.fields[name] for name in _SHARED},
        "combination": Field(
            Choice(("sum", "first")), "Whether rules that match are added up, or the first one answers."
        ),
        "rules": Field(
            List(
                Object(
                    {
                        "conditions": RULE.fields["conditions"],
                        "value": Field(Number(), "What is added, or predicted."),
                        "scale": Field(Number(), "Typical size of the errors."),
                        "covered": Field(Whole(), "Training samples that the rule covers."),
                        "answered": Field(Whole(), "Training samples that the rule answers."),
                    }
                ),
                limits.MAX_RULES,
                least=1,
            ),
            "In order; the last is the intercept, or the default rule.",
        ),
        "quantiles": Field(
            List(Number(), N_LEVELS),
            "By level in thousandths: what a scale is multiplied by for an interval; 1e999 stands for infinity. Empty "
            "without intervals.",
        ),
    },
    is_closed=False,
)


def to_document(rules: RegressionRules) -> dict[str, Any]:
    """Describe rules in plain types; floats keep every bit through JSON."""
    columns = {
        "conditions": [list(antecedent) for antecedent in rules.antecedents],
        "value": rules.values.tolist(),
        "scale": rules.scales.tolist(),
        "covered": rules.n_covered.tolist(),
        "answered": rules.n_answered.tolist(),
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "n_samples": int(rules.n_samples),
        **describe_conditions(rules.conditions),
        "combination": rules.combination,
        "rules": [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)],
        "quantiles": [] if rules.quantiles is None else rules.quantiles.tolist(),
    }


def from_document(document: Mapping[str, Any]) -> RegressionRules:
    """Rebuild rules; raise `RuleSetFormatError` for any other document."""
    RULES.check(document, "")
    check_indices(document)
    listed, quantiles = document["rules"], document["quantiles"]
    if [bool(rule["conditions"]) for rule in listed] != [True] * (len(listed) - 1) + [False]:
        raise RuleSetFormatError("The rules are damaged: the last rule must be the only one without conditions.")
    if len(quantiles) not in (0, N_LEVELS):
        raise RuleSetFormatError(f"The rules are damaged: quantiles must have {N_LEVELS} numbers or none.")

    def column(name: str, dtype: type) -> Any:
        return np.array([rule[name] for rule in listed], dtype=dtype)

    try:
        rules = RegressionRules(
            conditions=conditions_of(document),
            antecedents=tuple(tuple(rule["conditions"]) for rule in listed),
            combination=document["combination"],
            values=column("value", np.float64),
            scales=column("scale", np.float64),
            n_covered=column("covered", np.int64),
            n_answered=column("answered", np.int64),
            n_samples=int(document["n_samples"]),
            quantiles=np.array(quantiles, dtype=np.float64) if quantiles else None,
        )
        problems = _problems(rules)
        again = to_document(rules)
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError, RulekitError) as error:
        raise RuleSetFormatError(f"The rules are damaged: {type(error).__name__}: {cut(str(error), 400)}.") from error
    # Arrays convert numbers silently, so a value of a wrong type shows in what is written back.
    problems += [f"{key!r} has values of the wrong type" for key in again if again[key] != document[key]]
    if problems:
        raise RuleSetFormatError(f"The rules are damaged: {'; '.join(problems)}.")
    return rules


def _problems(rules: RegressionRules) -> list[str]:
    """Numbers that no fit gives."""
    quantiles = np.zeros(N_LEVELS) if rules.quantiles is None else rules.quantiles
    checks = {
        "a value is infinite": not np.isfinite(rules.values).all(),
        "a scale is negative or infinite": not (np.isfinite(rules.scales) & (rules.scales >= 0)).all(),
        "quantiles must ascend from 0 or more": (quantiles[0] < 0) or (quantiles[1:] < quantiles[:-1]).any(),
        "a rule covers more than n_samples samples": (rules.n_covered > rules.n_samples).any(),
        "a rule answers samples that it does not cover": (rules.n_answered > rules.n_covered).any(),
    }
    return [problem for problem, is_there in checks.items() if is_there]
