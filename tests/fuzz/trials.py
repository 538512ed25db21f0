"""One trial: what to fit, and what to ask afterwards."""

from collections.abc import Sequence

import attrs
import numpy as np
from hypothesis import strategies as st

import rulekit

from .asking import tables_for
from .drawn import Drawn
from .labels import labels
from .options import ensembles, parameters
from .outcome import check_answer, check_ruleset, documented_warnings, refused_or_result
from .tables import ODD_NAMES, forms_of, grid, wrong_tables

#: Trials of which everything is right, then those with one thing wrong.
WRONGS = ("", "", "", "table", "labels", "parameters", "ensemble")
#: Tables to predict with each model that is fitted.
N_QUESTIONS = 2


@attrs.frozen(eq=False)
class Trial:
    """What is passed to `fit`, and then to `predict_proba`.

    Attributes
    ----------
    method : str
    table, labels, parameters, ensemble : Drawn
    plain : ndarray of shape (n_samples, n_features)
        The table as doubles.
    names : sequence of str or None
    questions : list of (Drawn, ndarray)
        Tables to predict, each with the doubles that it stands for.
    """

    method: str
    table: Drawn
    labels: Drawn
    parameters: Drawn
    ensemble: Drawn
    plain: np.ndarray
    names: Sequence[str] | None
    questions: list[tuple[Drawn, np.ndarray]]

    def __str__(self) -> str:
        asked = "; ".join(str(question) for question, _ in self.questions)
        return (
            f"{self.method} from {self.ensemble} with ({self.parameters}) on {len(self.plain)} x "
            f"{self.plain.shape[1]} as {self.table}, labels as {self.labels}, names "
            f"{self.names!r}; asked: {asked or 'nothing'}"
        )

    @property
    def is_wrong(self) -> bool | None:
        """Whether `fit` must refuse; None if it may."""
        parts = [part.is_wrong for part in (self.table, self.labels, self.parameters, self.ensemble)]
        return True if True in parts else None if None in parts else False

    def fit(self) -> rulekit.RuleExtractor:
        """The model, fitted."""
        model = rulekit.build(self.method, self.ensemble.value, **self.parameters.value)
        return model.fit(self.table.value, self.labels.value)


@st.composite
def trials(draw: st.DrawFn) -> Trial:
    """Everything right, or one thing wrong."""
    wrong = draw(st.sampled_from(WRONGS))
    n_samples, n_columns = draw(st.integers(2, 24)), draw(st.integers(1, 4))
    is_whole, has_missing = draw(st.sampled_from([(True, False), (False, False), (False, True)]))
    plain = grid(draw, n_samples, n_columns, is_whole=is_whole, has_missing=has_missing)
    is_named = draw(st.booleans())
    names = draw(st.lists(ODD_NAMES, min_size=n_columns, max_size=n_columns, unique=True)) if is_named else None
    table = wrong_tables(plain) if wrong == "table" else forms_of(plain, names, is_whole=is_whole)
    question = tables_for(n_columns, names, is_whole, has_missing)
    return Trial(
        method=draw(st.sampled_from(["rc+", "rcprob"])),
        table=draw(table),
        labels=draw(labels(n_samples, is_wrong=wrong == "labels")),
        parameters=draw(parameters(is_wrong=wrong == "parameters")),
        ensemble=draw(ensembles(is_wrong=wrong == "ensemble")),
        plain=plain,
        names=names,
        questions=[] if wrong else [draw(question) for _ in range(N_QUESTIONS)],
    )


def fit(trial: Trial) -> str:
    """What is right is fitted and answers as a slow reading of its rules; what is wrong is refused."""
    with documented_warnings():
        model = refused_or_result(trial.fit, Drawn(None, str(trial), trial.is_wrong))
        if model is None:
            return "refused"
        check_ruleset(model.ruleset_, trial.plain, trial.labels.value)
        for question, plain in trial.questions:
            answer = refused_or_result(lambda question=question: model.predict_proba(question.value), question)
            if answer is not None:
                check_answer(model, question.value, plain, answer)
    return "fitted"
