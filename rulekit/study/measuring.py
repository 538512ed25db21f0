"""What a fitted model is worth on held-out samples."""

from typing import Any

import attrs
import numpy as np

from rulekit.evaluation import evaluate, rule_diagnostics, rule_use
from rulekit.model import transformed
from rulekit.ruleset import RuleSet
from rulekit.study.data import StudyDataset
from rulekit.study.search import RULE_SCORES
from rulekit.study.subsets import Subset


def held_out(samples: StudyDataset, model: Any, test: Subset, ensemble: Any = None) -> dict[str, Any]:
    """How good the predictions of held-out samples are, and the predictions themselves.

    Parameters
    ----------
    samples : StudyDataset
    model : fitted classifier
    test : Subset
    ensemble : fitted classifier or None
        What fidelity compares with.
    """
    measures = evaluate(model, test.X, test.y, ensemble)
    if ensemble is None:
        measures.pop("fidelity", None)  # to an ensemble of its own, a matter of course
    classes = np.asarray(model.classes_)
    probabilities = np.zeros((len(test), len(samples.labels)))
    probabilities[:, classes] = model.predict_proba(test.X)
    measures["accuracy"] = float(np.mean(probabilities.argmax(axis=1) == test.y))
    return {"measures": measures, "truth": test.y, "probabilities": probabilities}


def held_out_rules(samples: StudyDataset, model: Any, answers: Any, test: Subset, ensemble: Any) -> dict[str, Any]:
    """The same of a variant; if it has rules, also their sizes, the rules, and what held-out samples say of each.

    Parameters
    ----------
    samples : StudyDataset
    model : fitted classifier
    answers : fitted classifier
        The same one, or one that calibrates it.
    test : Subset
    ensemble : fitted classifier or None
        What fidelity compares with.
    """
    found = held_out(samples, answers, test, ensemble)
    # Where several rules answer together, only their common answer is calibrated, and the rules are as they were.
    ruleset = getattr(answers, "ruleset_", getattr(model, "ruleset_", None))
    if not isinstance(ruleset, RuleSet):
        return found
    labelled = attrs.evolve(ruleset, classes=samples.labels[ruleset.classes])
    X = transformed(getattr(model, "transformer_", None), test.X)
    diagnostics = rule_diagnostics(labelled, X, samples.labels[test.y])
    return {
        **found,
        "measures": found["measures"] | {name: float(of(ruleset)) for name, of in RULE_SCORES.items()},
        "ruleset": labelled.to_dict(),
        "diagnostics": diagnostics.reset_index().astype({"group": str}).to_dict("records"),
        "use": rule_use(labelled, X),
    }
