"""What adapters of models made of other models share."""

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter
from rulekit.model import find_adapter, is_read, unwrapped


class WrapperAdapter(Adapter):
    """Reads a model made of others, each of which another adapter reads.

    `attribute` is where a fitted model has the part of an index; errors name it.
    """

    attribute: ClassVar[str] = "estimators_[{}]"
    # The table that the parts take category labels from; see `with_categories_of`.
    _table: Any = None

    @abstractmethod
    def parts(self, model: Any) -> Sequence[Any]:
        """The models inside: the fitted ones of a fitted model, otherwise those that it fits copies of."""

    @abstractmethod
    def joined(self, model: Any, forests: Sequence[Forest]) -> Forest:
        """The forest of a fitted model.

        Parameters
        ----------
        model : fitted model
        forests : sequence of Forest
            One for each of its parts, in order.
        """

    def forest(self, model: Any) -> Forest:
        """Read every part, and average them as the model does."""
        check_is_fitted(model)
        return self.joined(model, [self._of_part(model, part) for part in self._models(model)])

    def takes_categories(self, model: Any) -> bool:
        """Whether every part reads categorical columns of a data frame as they are."""
        parts = self._models(model)
        return bool(parts) and all(self._adapter_of(model, part).takes_categories(part) for part in parts)

    def absent_is_missing(self, model: Any) -> bool:
        """Whether some part's library takes what a sparse matrix does not store for a missing value."""
        return any(find_adapter(part).absent_is_missing(part) for part in self._models(model))

    def check_table(self, model: Any, X: Any) -> None:
        """Raise if the library of a part cannot read the table."""
        for part in self._models(model):
            self._adapter_of(model, part).check_table(part, X)

    def with_categories_of(self, model: Any, table: Any) -> Self:
        """A copy of this adapter whose parts take category labels from a table."""
        own = copy.copy(self)
        own._table = table
        return own

    def check_categories_of(self, model: Any, table: Any) -> None:
        """Raise if a table may code its categories otherwise than the table that a part was trained on."""
        for part in self._models(model):
            self._adapter_of(model, part).check_categories_of(part, table)

    def _models(self, model: Any) -> list[Any]:
        return [unwrapped(part) for part in self.parts(model)]

    def _of_part(self, model: Any, part: Any) -> Forest:
        adapter = self._adapter_of(model, part)
        return (adapter if self._table is None else adapter.with_categories_of(part, self._table)).forest(part)

    def _adapter_of(self, model: Any, part: Any) -> Adapter:
        """The adapter of a part; an error about a part that has none names another part, which can be passed."""
        try:
            return find_adapter(part)
        except UnsupportedEnsembleError as error:
            kind = type(model).__name__
            for index, other in enumerate(self._models(model)):
                if is_read(other):
                    raise UnsupportedEnsembleError(
                        f"Not supported: one of the models in the {kind} is a {type(part).__name__}, which is not made "
                        f"of trees. Pass one that is, such as its {self.attribute.format(index)}."
                    ) from error
            raise UnsupportedEnsembleError(f"{error} It is in the {kind}.") from error
