"""The refinement that fits the number of training samples."""

from collections.abc import Sequence
from typing import ClassVar

from rulekit.core.checks import check_whole_number
from rulekit.core.context import SearchContext
from rulekit.core.rules import Refined, Rules
from rulekit.search.relist import Relist
from rulekit.search.soft import Soft


class BySize(Relist):
    """Search the list once more as `relist` does if there are enough training samples, and otherwise as `soft` does.

    On few samples the labels alone do not tell a better list from a lucky one: `soft` lets the ensemble help.

    Parameters
    ----------
    small_below : int, default=1000
        `soft` is used if there are fewer training samples, or less weight of samples.
    rule_cost, f1_weight, prior_strength, smoothing, max_sweeps, max_rules, node_depth
        See `Relist`.
    n_virtual, honest, n_folds
        See `Soft`.
    """

    supports_weights: ClassVar[bool] = True

    def __init__(
        self,
        small_below: int = 1000,
        rule_cost: float = 2.0,
        f1_weight: float = 0.3,
        prior_strength: float = 2.0,
        smoothing: float = 0.5,
        max_sweeps: int | None = 3,
        max_rules: int | None = 30,
        node_depth: int = 3,
        n_virtual: int = 4,
        honest: str = "auto",
        n_folds: int = 5,
    ) -> None:
        super().__init__(rule_cost, f1_weight, prior_strength, smoothing, max_sweeps, max_rules, node_depth)
        self.small_below = small_below
        self.n_virtual = n_virtual
        self.honest = honest
        self.n_folds = n_folds

    def begin(self, context: SearchContext) -> None:
        """Check the parameters."""
        super().begin(context)
        check_whole_number(self, "small_below", 0, or_none=False)
        self._soft.begin(context)

    def refine(self, rules: Rules, pool: Sequence[Rules], context: SearchContext) -> Refined:
        """The list of `relist` or `soft`."""
        if context.index.total >= self.small_below:
            return super().refine(rules, pool, context)
        return self._soft.refine(rules, pool, context)

    @property
    def _soft(self) -> Soft:
        return Soft(
            self.n_virtual,
            self.honest,
            self.n_folds,
            prior_strength=self.prior_strength,
            smoothing=self.smoothing,
            max_rules=self.max_rules,
        )
