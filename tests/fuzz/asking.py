"""Tables to predict, asked of models that were fitted once: many questions for one `fit`."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import attrs
import numpy as np
import pandas as pd
from hypothesis import strategies as st

import rulekit

from .drawn import Drawn
from .options import ENSEMBLES
from .outcome import check_answer, documented_warnings, refused_or_result
from .tables import forms_of, grid, wrong_for_names, wrong_tables

N_COLUMNS = 3
NAMES = ["age", "<b>", "age <= 3"]
COLOURS = ("blue", "red", "green")
#: Labels as they come in practice; the last ones are none, and no table holds them.
LABELS: tuple[Any, ...] = (*COLOURS, "grey", "", None, np.nan, 7)
NO_LABELS: tuple[Any, ...] = ([1, 2], {}, np.array([1.0, 2.0]))


@attrs.frozen(eq=False)
class Question:
    """A table to predict.

    Attributes
    ----------
    place : int
        Of the model to ask, among `MODELS`.
    table : Drawn
    plain : ndarray of shape (n_samples, n_features)
        The same as numbers and labels.
    """

    position: int
    table: Drawn
    plain: np.ndarray

    def __str__(self) -> str:
        return f"{MODELS[self.position]} asked {self.table}: {self.plain.tolist()}"


@attrs.frozen
class Kind:
    """What a model to ask is like."""

    ensemble: str
    method: str
    inference: str
    is_named: bool
    has_missing: bool = False
    has_colours: bool = False


NUMBERS = [
    Kind(ensemble, method, inference, is_named, has_missing)
    for ensemble in sorted(ENSEMBLES)
    for method, inference in (("rcprob", "aggregate"), ("rc+", "decision-list"))
    for is_named in (False, True)
    for has_missing in (False, True)
    # Ensembles that refuse missing values teach no rule what to do with them.
    if not (has_missing and ensemble in ("boosting", "adaboost"))
]
MODELS = [
    *NUMBERS,
    *(Kind("histograms", "rcprob", inference, True, True, True) for inference in ("aggregate", "decision-list")),
]


@cache
def fitted(position: int) -> Any:
    """A model of some kind, made from the same samples each time."""
    kind, rng = MODELS[position], np.random.default_rng(position)
    X = rng.integers(-3, 4, (60, N_COLUMNS)).astype(float)
    y = np.array(["no", "perhaps", "yes"])[(X[:, 0] > 0).astype(int) + (X[:, 1] + X[:, 2] > 0)]
    if kind.has_missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    table: Any = pd.DataFrame(X, columns=NAMES) if kind.is_named else X
    if kind.has_colours:
        colours = np.array(COLOURS, dtype=object)[rng.integers(0, len(COLOURS), len(X))]
        y = np.where(colours == "red", "red", y)
        table = table.assign(**{NAMES[1]: pd.Series(colours, dtype="category")})
    ensemble = ENSEMBLES[kind.ensemble](3)
    if kind.has_colours:
        ensemble.set_params(categorical_features="from_dtype")
    return rulekit.build(kind.method, ensemble, inference=kind.inference).fit(table, y)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """A table for one of the models, about half of them wrong."""
    position = draw(st.integers(0, len(MODELS) - 1))
    kind = MODELS[position]
    names = NAMES if kind.is_named else None
    is_whole, has_missing = draw(st.sampled_from([(True, False), (False, False), (False, True)]))
    if kind.has_colours and draw(st.booleans()):
        return draw(_colours(position, is_whole))
    return Question(position, *draw(tables_for(N_COLUMNS, names, is_whole, has_missing, kind.has_colours)))


@st.composite
def tables_for(
    draw: st.DrawFn,
    n_columns: int,
    names: Sequence[str] | None,
    is_whole: bool,
    has_missing: bool,
    may_be_refused: bool = False,
) -> tuple[Drawn, np.ndarray]:
    """A table with the columns of training, or without, and what it says as doubles."""
    plain = grid(draw, draw(st.integers(1, 8)), n_columns, is_whole=is_whole, has_missing=has_missing)
    what = draw(st.sampled_from(["right", "right", "wrong table", "wrong columns"]))
    if what == "right":
        drawn = draw(forms_of(plain, names, is_whole=is_whole))
        return (attrs.evolve(drawn, is_wrong=None) if may_be_refused else drawn), plain
    return draw(wrong_tables(plain) if what == "wrong table" else wrong_for_names(plain, names)), plain


@st.composite
def _colours(draw: st.DrawFn, position: int, is_whole: bool) -> Question:
    """A frame with a column of labels, known and unknown; in some, what is no label at all."""
    numbers = grid(draw, draw(st.integers(1, 8)), N_COLUMNS, is_whole=is_whole, has_missing=False)
    plain = numbers.astype(object)
    plain[:, 1] = draw(st.lists(st.sampled_from(LABELS), min_size=len(plain), max_size=len(plain)))
    is_wrong = draw(st.sampled_from([False, False, False, True]))
    if is_wrong:
        plain[0, 1] = draw(st.sampled_from(NO_LABELS))
    kinds = ["object"] if is_wrong or 7 in plain[:, 1].tolist() else ["object", "category", "str"]
    kind = draw(st.sampled_from(kinds))
    frame = pd.DataFrame(numbers, columns=NAMES)
    frame[NAMES[1]] = pd.Series(plain[:, 1], dtype=object).astype(kind)
    return Question(position, Drawn(frame, f"labels as {kind}", is_wrong), plain)


def predict(question: Question) -> str:
    """What `predict_proba` answers is what a slow reading of the rules answers; what is wrong is refused."""
    model = fitted(question.position)
    with documented_warnings():
        predicted = refused_or_result(lambda: model.predict_proba(question.table.value), question.table)
        if predicted is None:
            return "refused"
        check_answer(model, question.table.value, question.plain, predicted)
    return "answered"
