"""What may come of an input: a correct answer, or a documented error that names the problem."""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import rulekit
from rulekit.core.errors import BudgetWarning, FewRulesWarning, ManyRulesWarning, RulekitError

from .drawn import Drawn
from .slow_reading import slow_answers

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
#: Libraries that compare in double precision; the others round a sample to single precision first.
DOUBLE = ("HistGradientBoostingClassifier",)


@contextmanager
def documented_warnings() -> Iterator[None]:
    """Let the warnings pass that users are told of; all others stay errors."""
    with warnings.catch_warnings():
        for allowed in (BudgetWarning, FewRulesWarning, ManyRulesWarning):
            warnings.simplefilter("ignore", allowed)
        warnings.filterwarnings("ignore", NAMES_OF_ONE_ONLY)
        yield


def refused_or_result(work: Callable[[], Any], what: Drawn) -> Any:
    """What came out, None if it was refused as it had to be; AssertionError for all else."""
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


def check_ruleset(ruleset: rulekit.RuleSet, plain: np.ndarray, y: Any) -> None:
    """Its counts are those of the samples, its probabilities are probabilities, and it survives being written.

    Parameters
    ----------
    ruleset : RuleSet
    plain : ndarray of shape (n_samples, n_features)
        The training samples as doubles.
    y : array-like of shape (n_samples,)
    """
    check_probabilities(ruleset.probabilities)
    labels = np.asarray(y)
    matches = ruleset.matches(plain)
    for covered, rule in zip(matches, ruleset[:-1], strict=True):
        assert rule.counts.tolist() == [int((labels[covered] == label).sum()) for label in ruleset.classes.tolist()]
    assert rulekit.RuleSet.from_dict(ruleset.to_dict()) == ruleset
    assert str(ruleset)


def check_probabilities(predicted: np.ndarray, *, most: float = 1.0, rounding: float = 1e-9) -> None:
    """Finite, within 0 and 1, and they sum to 1 but for a rounding."""
    assert np.isfinite(predicted).all()
    assert ((predicted >= 0) & (predicted <= most)).all()
    np.testing.assert_allclose(predicted.sum(axis=1), 1, rtol=0, atol=rounding)


def check_answer(model: rulekit.RuleExtractor, X: Any, plain: np.ndarray, predicted: np.ndarray) -> None:
    """Probabilities of the rules that match, looked up one by one; the class is the most probable one.

    Parameters
    ----------
    model : fitted RuleExtractor
    X : table
        What it was asked.
    plain : ndarray of shape (n_samples, n_features)
        The same as numbers, and labels of categories.
    stated : ndarray of shape (n_samples, n_classes)
        What it answered.
    """
    check_probabilities(predicted)
    rounded_to = np.float64 if type(model.ensemble_).__name__ in DOUBLE else np.float32
    np.testing.assert_allclose(predicted, slow_answers(model.ruleset_, plain, rounded_to), rtol=0, atol=1e-12)
    assert model.predict(X).tolist() == model.classes_[predicted.argmax(axis=1)].tolist()
    explained = model.explain(X)
    first = explained if len(plain) == 1 else explained[0]
    assert first.probabilities.tolist() == predicted[0].tolist()
    assert str(explained)
