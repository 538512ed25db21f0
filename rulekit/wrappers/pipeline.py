"""scikit-learn: pipelines inside other models, each with preprocessing of its own."""

import copy
from collections.abc import Iterator
from typing import Any, Self

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter, derives_from
from rulekit.model import dense, find_adapter, has_samplers, without_steps
from rulekit.pipelines.reading import raw_columns_of, restatement, used_features


class PipelineAdapter(Adapter):
    """Reads a pipeline inside another model, such as a fold of `CalibratedClassifierCV`, on the columns of the table.

    Its steps must be among those that rules can express by these columns, because every pipeline has steps of its own.
    A pipeline that is given as the ensemble itself needs no adapter.
    """

    # What the pipeline is given; see `with_categories_of`.
    _table: Any = None

    def accepts(self, model: Any) -> bool:
        """Whether the model is a `Pipeline`, of scikit-learn or imbalanced-learn."""
        return derives_from(model, "sklearn", frozenset({"Pipeline"}))

    def takes_categories(self, model: Any) -> bool:
        """Whether the pipeline gets categorical columns as they are: its first step reads them."""
        steps, ensemble = without_steps(model)
        return steps is not None or find_adapter(ensemble).takes_categories(ensemble)

    def with_categories_of(self, model: Any, table: Any) -> Self:
        """A copy of this adapter that knows the table: the samples show what the steps do."""
        own = copy.copy(self)
        own._table = table
        return own

    def forest(self, model: Any) -> Forest:
        """The forest of the ensemble, restated on the columns of the table."""
        steps, ensemble = without_steps(model)
        if self._table is None:
            raise UnsupportedEnsembleError(
                "A pipeline is read together with samples, which show what its steps do. Call "
                "adapter.with_categories_of(pipeline, X).forest(pipeline)."
            )
        adapter = find_adapter(ensemble)
        steps, seen = dense(steps, self._table, absent_is_missing=adapter.absent_is_missing(ensemble))
        forest = adapter.with_categories_of(ensemble, seen).forest(ensemble)
        if steps is None:
            return forest
        raw = raw_columns_of(steps, self._table, seen, forest, ensemble)
        changed = {raw.changed[feature] for feature in used_features(forest) & raw.changed.keys()}
        if changed:
            raise UnsupportedEnsembleError(
                f"Not supported: preprocessing inside another model by {', '.join(sorted(changed))}, which rules "
                "cannot express by the columns of the table. Put the preprocessing before that model, as in "
                "make_pipeline(preprocessing, CalibratedClassifierCV(…))."
            )
        return restatement(raw, range(raw.n_columns), [], self._table, ensemble)(forest)

    def unseen_in(self, model: Any, X: FloatArray, y: IntArray) -> Iterator[BoolArray] | None:
        """Which samples each tree did not see, as far as the ensemble knows that by the number of samples."""
        ensemble = without_steps(model)[1]
        return None if has_samplers(model) else find_adapter(ensemble).unseen_samples(ensemble, len(X))
