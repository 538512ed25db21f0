"""From the search's arrays to the ruleset that people see."""

from rulekit.core.batch import RuleBatch
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import InferenceMode, ProbabilityEstimator
from rulekit.core.rules import Rules
from rulekit.ground import Ground
from rulekit.ruleset import RuleSet
from rulekit.search.sequence import default_counts, first_match_counts


def assemble(
    rules: Rules, ground: Ground, judges: TrainingIndex, estimator: ProbabilityEstimator, inference: InferenceMode
) -> RuleSet:
    """State probabilities for the rules and append the default rule, which states class shares.

    Parameters
    ----------
    rules : Rules
    ground : Ground
    judges : TrainingIndex
        Of the records that the estimator was fitted on, and counts.
    estimator : ProbabilityEstimator
        Fitted; states the probabilities of the rules.
    inference : InferenceMode
    """
    judged = rules if judges is ground.index else rules.on(judges)
    stated = estimator.estimate(RuleBatch(judges, judged.conditions, judged.priors, judged.counts))
    rest = default_counts(first_match_counts(judged, judges), judges)
    return ground.ruleset(rules.conditions, stated, inference, default=rest / rest.sum())
