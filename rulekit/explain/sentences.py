"""An explanation in sentences, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rulekit.core.arrays import IntArray
from rulekit.explain.check import checked
from rulekit.render.escaping import visible
from rulekit.ruleset.rule import Rule

if TYPE_CHECKING:
    from rulekit.explain.explanation import Explanation

#: Longer lists of rules are cut to this many; the explanation itself has all of them.
MOST_LISTED = 5


def lines(explanation: Explanation) -> Iterator[str]:
    """The sentences of an explanation; conditions are indented, one per line."""
    yield f"Predicted class: {visible(explanation.label)} (probability {explanation.probabilities.max():.3f})"
    if explanation.unexpected_missing:
        yield _unexpected(explanation)
    yield from _answer(explanation)
    yield from _tried(explanation)
    yield from _others(explanation)
    if explanation.ensemble is not None:
        verb = "agrees" if explanation.ensemble_label == explanation.label else "disagrees"
        label, probability = visible(explanation.ensemble_label), explanation.ensemble.max()
        yield f"The ensemble {verb}: it predicts {label} with probability {probability:.3f}."


def conditions(explanation: Explanation, rule: Rule) -> list[tuple[str, str]]:
    """What a rule requires of each feature, and the sample's value with its margin."""
    return [
        (str(required), "value missing, left out")
        if required.feature in explanation.unexpected_missing
        else checked(required, explanation.sample[required.feature_index], explanation.numbers[required.feature_index])
        for required in rule.requirements
    ]


def _unexpected(explanation: Explanation) -> str:
    """Which values are missing unexpectedly, and what follows."""
    names = ", ".join(visible(name) for name in explanation.unexpected_missing)
    follows = {
        "default-rule": "so the default rule answers",
        "other-conditions": "so conditions on it are left out",
    }
    return f"Missing, although no training sample lacks it: {names}; {follows[explanation.missing_choice]}."


def support(rule: Rule) -> Iterator[str]:
    """The probability that a rule predicts, and the training samples behind it."""
    yield f"It predicts {visible(rule.label)} with probability {rule.probability:.3f}."
    if rule.answered_counts is None:
        # The default rule covers everything; counted are the samples that its probabilities come from.
        verb = "rests on" if rule.is_default else "covers"
        yield _counted(verb, rule, rule.counts, rule.precision, rule.interval)
    elif rule.answered_counts.any():
        yield _counted("answers", rule, rule.answered_counts, rule.answered_precision, rule.answered_interval)
        yield from () if rule.is_default else _region(rule)
    else:
        yield "It answers none of the training samples, so they do not tell how precise its answers are."
        yield from _region(rule)


def _counted(
    verb: str, rule: Rule, counts: IntArray, precision: float | None, interval: tuple[float, float] | None
) -> str:
    right, whole = int(counts[rule.class_index]), int(counts.sum())
    low, high = interval or (0.0, 1.0)
    return (
        f"It {verb} {whole} of {rule.n_samples} training samples, {right} of them of class {visible(rule.label)} "
        f"({_precision(rule)} {precision or 0.0:.3f}, 95 % interval {low:.3f} to {high:.3f})."
    )


def _precision(rule: Rule) -> str:
    return "precision" if rule.weights is None else "precision by weight"


def _region(rule: Rule) -> Iterator[str]:
    """The samples that the rule covers besides those that it answers."""
    n_others = rule.n_covered - (rule.n_answered or 0)
    if rule.is_default:
        yield "Earlier rules answer all of them."
    elif n_others:
        yield (
            f"It covers {rule.n_covered} of them, {int(rule.counts[rule.class_index])} of class {visible(rule.label)} "
            f"({_precision(rule)} {rule.precision:.3f}), but earlier rules answer {n_others} of these."
        )
    else:
        yield "It covers no other training sample."


def _answer(explanation: Explanation) -> Iterator[str]:
    rule, mode = explanation.rule, f"(inference mode {explanation.mode})"
    if rule.is_default:
        if explanation.others:
            yield f"The default rule (rule {rule.position}) answers, although other rules match {mode}."
        else:
            yield f"No rule matches, so the default rule (rule {rule.position}) answers."
        yield from support(rule)
    elif explanation.is_first_match:
        yield f"Rule {rule.position} answers, because it is the first rule whose conditions all hold:"
        yield from _conditions(explanation, rule)
        yield from support(rule)
    else:
        rules = (rule, *explanation.together)
        number = "1 rule answers" if len(rules) == 1 else f"{len(rules)} rules answer together"
        yield f"{number} {mode}:"
        for each, without in zip(rules, explanation.without, strict=False):
            yield (
                f"Rule {each.position} predicts {visible(each.label)} with probability {each.probability:.3f}; "
                f"without it, the probability of {visible(explanation.label)} would be {without:.3f}:"
            )
            yield from _conditions(explanation, each)
        if rules[-1].is_default:
            yield f"The default rule (rule {rules[-1].position}) contributes to the answer too."


def _conditions(explanation: Explanation, rule: Rule) -> Iterator[str]:
    rows = conditions(explanation, rule)
    width = max(len(condition) for condition, _ in rows)
    for condition, comment in rows:
        yield f"  {condition.ljust(width)}   ({comment})"


def _tried(explanation: Explanation) -> Iterator[str]:
    """The rules before the one that answers, the nearest ones with the condition that fails."""
    listed = explanation.tried[-MOST_LISTED:]
    n_earlier = len(explanation.tried) - len(listed)
    if n_earlier:
        yield "Rule 1 does not match." if n_earlier == 1 else f"Rules 1 to {n_earlier} do not match."
    for tried in listed:
        failed = tried.failed
        yield f"Rule {tried.rule.position} does not match: it requires {failed.shown} ({failed.comment})."


def _others(explanation: Explanation) -> Iterator[str]:
    """The rules that match but do not take part in the answer."""
    answering = {rule.position for rule in explanation.together}
    others = [other for other in explanation.others if other.position not in answering]
    agrees = [other.label == explanation.label for other in others]
    for other, does in zip(others[:MOST_LISTED], agrees, strict=False):
        yield f"Rule {other.position} also matches, {'and agrees' if does else 'but disagrees'}: {other}"
    rest = agrees[MOST_LISTED:]
    if len(rest) == 1:
        yield f"1 more rule matches, {'and agrees' if rest[0] else 'but disagrees'}."
    elif rest:
        yield f"{len(rest)} more rules match; {sum(rest)} of them {'agrees' if sum(rest) == 1 else 'agree'}."
