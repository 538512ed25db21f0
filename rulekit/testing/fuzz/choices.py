"""What the spaces of several libraries share."""

from random import Random

from rulekit.testing.fuzz.table import Table

#: Numbers of every type; categories as labels, and as codes.
NUMERIC = ("float64", "float64", "float32", "int64", "bool", "Float64", "Int64")
LABELLED = ("category", "category", "ordered")
FRAME = ("frame", (*NUMERIC, *LABELLED))
ARRAY = ("float64", ("float64", "float64", "codes"))
ARRAY_OF_SINGLES = ("float32", ("float64", "float64", "codes"))

FITTED_BY_RULEKIT = ""
PICKLED = "model = pickle.loads(pickle.dumps(model))"
WEIGHTED = "model.fit(X, y, sample_weight=[1.0 + i % 3 for i in range(len(y))])"


def monotone(rng: Random, X: Table, n_classes: int) -> list[int] | None:
    """A direction for each column; none for categories, and for three classes or more, which libraries do not take."""
    if n_classes > 2:
        return None
    return [rng.choice((-1, 0, 1)) if column.is_numeric else 0 for column in X.columns]
