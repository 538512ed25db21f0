"""The refinement that fits the number of training samples."""

from collections.abc import Sequence

from rulekit.core.checks import check_whole_number
from rulekit.core.context import SearchContext
from rulekit.core.rules import Refined, Rules
from rulekit.search.relist import Relist


class BySize(Relist):
    """Search the list once more, as `relist` does, if there are enough training samples; otherwise keep the list.

    On few samples the second search shortens the list at the cost of macro-F1, and what it gains is chance.

    Parameters
    ----------
    small_below : int, default=1000
        The list of the loop is kept if there are fewer training samples; only `max_rules` of the extractor applies.
    rule_cost, f1_weight, prior_strength, smoothing, max_sweeps, max_rules, node_depth
        See `Relist`.
    """

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
    ) -> None:
        super().__init__(rule_cost, f1_weight, prior_strength, smoothing, max_sweeps, max_rules, node_depth)
        self.small_below = small_below

    def begin(self, context: SearchContext) -> None:
        """Check the parameters."""
        super().begin(context)
        check_whole_number(self, "small_below", 0)

    def refine(self, rules: Rules, pool: Sequence[Rules], context: SearchContext) -> Refined:
        """The list of `relist`, or that of the loop without the rules that answer no training sample."""
        if context.index.n_samples >= self.small_below:
            return super().refine(rules, pool, context)
        alive = rules.answering(context.index)
        return Refined(alive, report={"stage": "kept", "n_dead": len(rules) - len(alive)})
