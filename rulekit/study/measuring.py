"""Evaluation of a fitted model on held-out samples."""

from typing import Any

import attrs
import numpy as np

from rulekit.evaluation import rule_diagnostics, rule_use
from rulekit.evaluation.held_out import evaluated, measured
from rulekit.model import transformed
from rulekit.ruleset import RuleSet
from rulekit.study.data import StudyDataset
from rulekit.study.subsets import Subset


def held_out(
    samples: StudyDataset, model: Any, test: Subset, ensemble: Any = None, ruleset: RuleSet | None = None
) -> dict[str, Any]:
    """How good the predictions of held-out samples are, and the predictions themselves.

    Parameters
    ----------
    samples : StudyDataset
    model : fitted classifier
    test : Subset
    ensemble : fitted classifier or None
        The ensemble that fidelity compares with; None for the ensemble itself, whose fidelity is always 1.
    ruleset : RuleSet or None
        The rules, for the measures of rules.
    """
    found = attrs.evolve(evaluated(model, test.X, test.y, ensemble), ruleset=ruleset)
    probabilities = np.zeros((len(test), len(samples.labels)))
    probabilities[:, found.classes] = found.probabilities
    return {"measures": measured(found), "truth": test.y, "probabilities": probabilities}


def held_out_rules(samples: StudyDataset, model: Any, answers: Any, test: Subset, ensemble: Any) -> dict[str, Any]:
    """The same of a variant; if it has rules, also their sizes, the rules, and their diagnostics on held-out samples.

    Parameters
    ----------
    samples : StudyDataset
    model : fitted classifier
    answers : fitted classifier
        The same one, or one that calibrates it.
    test : Subset
    ensemble : fitted classifier or None
        The ensemble that fidelity compares with.
    """
    # Where several rules answer together, only their common answer is calibrated, and the rules are as they were.
    ruleset = getattr(answers, "ruleset_", getattr(model, "ruleset_", None))
    if not isinstance(ruleset, RuleSet):
        return held_out(samples, answers, test, ensemble)
    labelled = attrs.evolve(ruleset, classes=samples.labels[ruleset.classes])
    X = transformed(getattr(model, "transformer_", None), test.X)
    diagnostics = rule_diagnostics(labelled, X, samples.labels[test.y])
    return {
        **held_out(samples, answers, test, ensemble, ruleset),
        "ruleset": labelled.to_dict(),
        "diagnostics": diagnostics.reset_index().astype({"group": str}).to_dict("records"),
        "use": rule_use(labelled, X),
    }
