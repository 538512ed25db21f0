"""What a fitted model is worth on held-out records."""

from typing import Any

import attrs
import numpy as np

from rulekit.evaluation import evaluate, rule_diagnostics, rule_use
from rulekit.reading import transformed
from rulekit.ruleset import RuleSet
from rulekit.study.records import Records
from rulekit.study.samples import Sample
from rulekit.study.search import RULE_SCORES


def held_out(records: Records, model: Any, test: Sample, ensemble: Any = None) -> dict[str, Any]:
    """How good the predictions of held-out records are, and the predictions themselves.

    Parameters
    ----------
    records : Records
    model : fitted classifier
    test : Sample
    ensemble : fitted classifier or None
        What fidelity compares with.
    """
    measures = evaluate(model, test.X, test.y, ensemble)
    if ensemble is None:
        measures.pop("fidelity", None)  # to an ensemble of its own, a matter of course
    classes = np.asarray(model.classes_)
    probabilities = np.zeros((len(test), len(records.labels)))
    probabilities[:, classes] = model.predict_proba(test.X)
    measures["accuracy"] = float(np.mean(probabilities.argmax(axis=1) == test.y))
    return {"measures": measures, "truth": test.y, "probabilities": probabilities}


def held_out_rules(records: Records, model: Any, answers: Any, test: Sample, ensemble: Any) -> dict[str, Any]:
    """The same of a variant; if it has rules, also their sizes, the rules, and what held-out records say of each.

    Parameters
    ----------
    records : Records
    model : fitted classifier
    answers : fitted classifier
        The same one, or one that calibrates it.
    test : Sample
    ensemble : fitted classifier or None
        What fidelity compares with.
    """
    found = held_out(records, answers, test, ensemble)
    # Where several rules answer together, only their common answer is calibrated, and the rules are as they were.
    ruleset = getattr(answers, "ruleset_", getattr(model, "ruleset_", None))
    if not isinstance(ruleset, RuleSet):
        return found
    labelled = attrs.evolve(ruleset, classes=records.labels[ruleset.classes])
    X = transformed(getattr(model, "transformer_", None), test.X)
    diagnostics = rule_diagnostics(labelled, X, records.labels[test.y])
    return {
        **found,
        "measures": found["measures"] | {name: float(of(ruleset)) for name, of in RULE_SCORES.items()},
        "ruleset": labelled.to_dict(),
        "diagnostics": diagnostics.reset_index().astype({"group": str}).to_dict("records"),
        "use": rule_use(labelled, X),
    }
