"""An explanation as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rulekit.explain.check import checked
from rulekit.render.escaping import visible
from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    from rulekit.explain.explanation import Explanation

#: Of longer lists, this many are told; the explanation itself has all.
MOST_TOLD = 5


def lines(explanation: Explanation) -> Iterator[str]:
    """What is to be read, line by line."""
    yield f"class {visible(explanation.label)}, probability {explanation.probabilities.max():.3f}"
    yield from _answer(explanation)
    yield from _tried(explanation)
    yield from _others(explanation)
    if explanation.ensemble is not None:
        word = "agrees" if explanation.ensemble_label == explanation.label else "disagrees"
        yield f"The ensemble {word}: {visible(explanation.ensemble_label)} with {explanation.ensemble.max():.3f}."


def conditions(explanation: Explanation, rule: Rule) -> list[tuple[str, str]]:
    """What a rule asks of each feature, and the sample's value with its margin."""
    return [
        checked(asked, explanation.sample[asked.feature_index], explanation.numbers[asked.feature_index])
        for asked in rule.requirements
    ]


def backing(rule: Rule) -> str:
    """The training samples behind a rule, and what it states."""
    low, high = rule.interval
    of_class, label = int(rule.counts[rule.class_index]), visible(rule.label)
    return (
        f"It covers {rule.n_covered} of {rule.n_samples} training samples, {of_class} of them {label} "
        f"({rule.precision:.3f}, 95 % interval {low:.3f} to {high:.3f}), and states {label} with "
        f"{rule.probability:.3f}."
    )


def _answer(explanation: Explanation) -> Iterator[str]:
    rule = explanation.rule
    if rule.is_default:
        if explanation.others:
            yield f"The default (rule {rule.position}) answers, although other rules match ({explanation.mode})."
        else:
            yield f"No rule matches; the default (rule {rule.position}) answers."
        yield backing(rule)
    elif explanation.is_first_match:
        yield f"Rule {rule.position} fired:"
        yield from _conditions(explanation, rule)
        yield backing(rule)
    else:
        rules = (rule, *explanation.together)
        number = "1 rule answers" if len(rules) == 1 else f"{len(rules)} rules answer together"
        yield f"{number} ({explanation.mode}):"
        for each, without in zip(rules, explanation.without, strict=False):
            predicted = f"{visible(each.label)} with {each.probability:.3f}"
            yield f"Rule {each.position} states {predicted}; without it {without:.3f}:"
            yield from _conditions(explanation, each)
        if rules[-1].is_default:
            yield f"The default (rule {rules[-1].position}) takes part in the answer."


def _conditions(explanation: Explanation, rule: Rule) -> Iterator[str]:
    asked = conditions(explanation, rule)
    width = max(len(text) for text, _ in asked)
    for text, comment in asked:
        yield f"  {text.ljust(width)}   ({comment})"


def _tried(explanation: Explanation) -> Iterator[str]:
    told = explanation.tried[-MOST_TOLD:]
    if len(explanation.tried) > len(told):
        yield f"Rules 1 to {len(explanation.tried) - len(told)} were tried before, and failed."
    for tried in told:
        failed = tried.failed
        yield f"Tried before: rule {tried.rule.position} failed at {failed.shown} ({failed.comment})."


def _others(explanation: Explanation) -> Iterator[str]:
    """The rules that match and have no part in the answer."""
    answering = {rule.position for rule in explanation.together}
    others = [other for other in explanation.others if other.position not in answering]
    told = others[:MOST_TOLD]
    for other in told:
        word = "agrees" if other.label == explanation.label else "disagrees"
        yield f"Also matches, and {word}: rule {other.position}: {other}"
    rest = others[len(told) :]
    if rest:
        n_agreeing = sum(other.label == explanation.label for other in rest)
        yield f"{len(rest)} more rules match, {n_agreeing} of them agree."
