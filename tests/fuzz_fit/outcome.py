"""What may come of a trial: a correct answer, or a documented error that names the problem."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import rulekit
from rulekit.core.errors import FewRulesWarning, ManyRulesWarning, RulekitError

from .drawn import Drawn
from .trials import Trial

#: What an array library or the interpreter says when nobody has checked: no answer to a user.
ACCIDENTS = re.compile(
    "broadcast|zero-size|cannot reshape|truth value|ambiguous|unsupported operand|not supported between|unhashable|"
    "ufunc|has no attribute|not subscriptable|out of bounds|not iterable|has no len|unexpected keyword|"
    "positional argument"
)
#: What an ensemble says of right data that it cannot learn from; the second when scikit-learn's trees meet a frame with
#: a single column, of pandas' own type or of single precision, that has missing or huge values.
OF_THE_ENSEMBLE = re.compile("worse than random, ensemble can not be fit|buffer source array is read-only")
#: What scikit-learn says of any estimator when only one of two tables has names.
NAMES_OF_ONE_ONLY = "X (does not have valid|has) feature names, but .* was fitted with"
#: Libraries that compare in double precision; the others round a record to single precision first.
DOUBLE = ("HistGradientBoostingClassifier",)


def check(trial: Trial) -> None:
    """Fit and predict, with warnings as errors; raise AssertionError if anything else happens than what may."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for allowed in (FewRulesWarning, ManyRulesWarning):
            warnings.simplefilter("ignore", allowed)
        warnings.filterwarnings("ignore", NAMES_OF_ONE_ONLY)
        model = _fitted(trial)
        if model is None:
            return
        check_ruleset(model.ruleset_, trial)
        for question, plain in trial.questions:
            answer = _refused_or_result(lambda question=question: model.predict_proba(question.value), question)
            if answer is not None:
                check_answer(model, question.value, plain, answer)


def _fitted(trial: Trial) -> rulekit.RuleExtractor | None:
    def fit() -> rulekit.RuleExtractor:
        model = rulekit.build(trial.method, trial.ensemble.value, **trial.parameters.value)
        return model.fit(trial.table.value, trial.labels.value)

    return _refused_or_result(fit, Drawn(None, str(trial), trial.is_wrong))


def _refused_or_result(work: Callable[[], Any], what: Drawn) -> Any:
    """What came out, None if it was refused as it had to be."""
    try:
        result, refusal = work(), None
    except (RulekitError, ValueError, TypeError) as error:
        result, refusal = None, error
    if refusal is None:
        assert not what.is_wrong, f"accepted although wrong: {what.form}"
        return result
    may_be_refused = what.is_wrong is not False or OF_THE_ENSEMBLE.search(str(refusal))
    assert may_be_refused, f"refused although right: {refusal!r}"
    is_told = isinstance(refusal, RulekitError) or (len(str(refusal)) > 10 and not ACCIDENTS.search(str(refusal)))
    assert is_told, f"an accident, not an answer: {refusal!r}"
    return None


def check_ruleset(ruleset: rulekit.RuleSet, trial: Trial) -> None:
    """Its counts are those of the records, its probabilities are probabilities, and it survives being written."""
    check_probabilities(ruleset.probabilities)
    labels = np.asarray(trial.labels.value)
    for place, rule in enumerate(ruleset[:-1]):
        covered = ruleset.matches(trial.plain)[place]
        assert rule.counts.tolist() == [int((labels[covered] == label).sum()) for label in ruleset.classes.tolist()]
    assert rulekit.RuleSet.from_dict(ruleset.to_dict()) == ruleset
    assert str(ruleset)


def check_probabilities(stated: np.ndarray) -> None:
    """Finite, within 0 and 1, and they sum to 1."""
    assert np.isfinite(stated).all()
    assert ((stated >= 0) & (stated <= 1)).all()
    np.testing.assert_allclose(stated.sum(axis=1), 1, rtol=0, atol=1e-9)


def check_answer(model: rulekit.RuleExtractor, X: Any, plain: np.ndarray, stated: np.ndarray) -> None:
    """Probabilities of the rules that match, looked up one by one; the class is the most probable one."""
    check_probabilities(stated)
    np.testing.assert_allclose(stated, [slow_answer(model, record) for record in plain], rtol=0, atol=1e-12)
    assert model.predict(X).tolist() == model.classes_[stated.argmax(axis=1)].tolist()
    explained = model.explain(X)
    first = explained if len(plain) == 1 else explained[0]
    assert first.probabilities.tolist() == stated[0].tolist()
    assert str(explained)


def slow_answer(model: rulekit.RuleExtractor, record: np.ndarray) -> np.ndarray:
    """What the rules state for a record, from their conditions as people read them."""
    ruleset = model.ruleset_
    is_single = type(model.ensemble_).__name__ not in DOUBLE
    values = record.astype(np.float32).astype(np.float64) if is_single else record
    matching = [rule for rule in ruleset[:-1] if all(_holds(each, values) for each in rule.conditions)]
    answering = matching or [ruleset[-1]]
    if type(ruleset.inference).__name__ == "DecisionList":
        return answering[0].probabilities
    total = sum(rule.probabilities for rule in answering)
    return total / total.sum()


def _holds(condition: Any, values: np.ndarray) -> bool:
    value = values[condition.feature_index]
    if np.isnan(value):
        return condition.or_missing
    return bool(value <= condition.threshold) == (condition.operator == "<=")
