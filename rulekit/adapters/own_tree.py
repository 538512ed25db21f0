"""rulekit's own tree, which methods such as `tree` grow."""

from copy import deepcopy
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter, derives_from


class TreeAdapter(Adapter):
    """Reads rulekit's own `TreeClassifier`, with categories and missing values."""

    reads_categories: ClassVar[bool] = True

    def accepts(self, model: Any) -> bool:
        """Whether the model is a `TreeClassifier` of rulekit."""
        return derives_from(model, "rulekit", frozenset({"TreeClassifier"}))

    def forest(self, model: Any) -> Forest:
        """The tree as a forest of one."""
        check_is_fitted(model)
        return deepcopy(model.forest_)
