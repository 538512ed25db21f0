"""Search the list once more: delete, replace and insert rules of all trees where that makes the list better."""

from collections.abc import Sequence
from typing import ClassVar

import attrs
import numpy as np

from rulekit.core.checks import check_number, check_whole_number
from rulekit.core.context import SearchContext
from rulekit.core.engine.interface import Pairs
from rulekit.core.interfaces import RefineStage
from rulekit.core.rules import Refined, Rules
from rulekit.search.edited_list import DECIMALS, EditedList
from rulekit.search.list_objective import objective_on
from rulekit.search.pool import Pool, with_nodes

# A deletion must gain more than this.
LEAST_GAIN = 0.5
# While a list is longer than this, a tenth of its rules is deleted at once.
LONG = 200


@attrs.define
class Tally:
    """Edits so far, by kind."""

    deleted: int = 0
    replaced: int = 0
    inserted: int = 0
    sweeps: int = 0

    def after(self, earlier: "Tally") -> "Tally":
        """The edits of two searches, one after the other."""
        return Tally(*(one + other for one, other in zip(attrs.astuple(self), attrs.astuple(earlier), strict=True)))

    @property
    def edits(self) -> tuple[int, int, int]:
        """Edits of each kind."""
        return self.deleted, self.replaced, self.inserted


class Relist(RefineStage):
    """Sweeps over the list of the loop, with the rules of all trees as candidates.

    These are every rule that the loop produced for any tree, accepted or not, and the upper nodes of the trees
    themselves: the rules of deep trees cover few samples.

    A list is worth its leave-one-out log-likelihood, plus `f1_weight` times the number of samples times its macro-F1,
    less `rule_cost` for each rule. A sweep deletes rules while that gains more than 0.5, replaces the rule at each
    position by the best of the P candidates if that gains more than ln P, what the best of P gains by chance, and
    inserts the best candidates where that gains more than ln P beyond the rule's cost. The list never gets longer than
    that of the loop.

    If the extractor has `max_rules`, this is the limit instead, also beyond the length of the loop's list. Three lists
    of at most that many rules are then searched, and the best of them is returned: from the list found without that
    limit and from that of the loop, both shortened to it, and from no rules at all.

    Parameters
    ----------
    rule_cost : float, default=2.0
        Gain in log-likelihood that a rule must be worth; larger values give shorter lists.
    f1_weight : float, default=0.3
        Weight of macro-F1 against the mean log-likelihood of a sample.
    prior_strength : float, default=2.0
        Number of samples that the class fractions count as in the probabilities of a rule.
    smoothing : float, default=0.5
        Number of samples of each class that are added besides.
    max_sweeps : int or None, default=3
        Most sweeps; a sweep without a change is the last in any case.
    max_rules : int or None, default=30
        Most rules, for a list that can be read; the extractor's `max_rules` takes its place.
    node_depth : int, default=3
        The nodes of all trees down to this depth are candidates too: few conditions, and many samples. 0 for none.
    """

    supports_weights: ClassVar[bool] = True

    def __init__(
        self,
        rule_cost: float = 2.0,
        f1_weight: float = 0.3,
        prior_strength: float = 2.0,
        smoothing: float = 0.5,
        max_sweeps: int | None = 3,
        max_rules: int | None = 30,
        node_depth: int = 3,
    ) -> None:
        self.rule_cost = rule_cost
        self.f1_weight = f1_weight
        self.prior_strength = prior_strength
        self.smoothing = smoothing
        self.max_sweeps = max_sweeps
        self.max_rules = max_rules
        self.node_depth = node_depth

    def begin(self, context: SearchContext) -> None:
        """Check the parameters."""
        for name in ("rule_cost", "f1_weight", "prior_strength"):
            check_number(self, name, 0)
        check_number(self, "smoothing", 0, above=True)
        check_whole_number(self, "max_sweeps", 1)
        check_whole_number(self, "max_rules", 1)
        check_number(self, "node_depth", 0)

    def refine(self, rules: Rules, pool: Sequence[Rules], context: SearchContext) -> Refined:
        """The best list found, the lists that its deletion rule by rule passes through, and a report."""
        candidates, listed = Pool.of(with_nodes(pool, self.node_depth, context), rules, context)
        weights = (self.rule_cost, self.f1_weight, self.prior_strength, self.smoothing)
        start = EditedList.of(candidates, objective_on(context.index, *weights), context, listed)
        limits = [most for most in (self.max_rules, len(rules)) if most is not None]
        best, tally = self._searched(start, min(limits))
        if context.budget.max_rules is not None:
            best, tally = self._limited(start, best, tally, context.budget.max_rules)
        report = {
            "stage": "relist",
            "n_pool": len(candidates),
            "n_trees": len(set(candidates.trees[list(best.rows)].tolist())),
            # Rules that others leave no sample to answer count as deleted.
            "n_deleted": len(rules) + tally.inserted - len(best),
            "n_replaced": tally.replaced,
            "n_inserted": tally.inserted,
            "n_sweeps": tally.sweeps,
            "gain": best.value - start.value + self.rule_cost * (len(rules) - len(start)),
        }
        return Refined(rules_of(best), tuple(rules_of(shorter) for shorter in path_of(best)), report=report)

    def _searched(self, start: EditedList, most: int) -> tuple[EditedList, Tally]:
        """The best list of at most `most` rules that is found from this one, and the edits on the way."""
        tally = Tally()
        return self._swept(shortened(start, most), most, tally), tally

    def _limited(self, start: EditedList, found: EditedList, tally: Tally, most: int) -> tuple[EditedList, Tally]:
        """The best of the lists of at most `most` rules that are found from three lists, and the edits on the way."""
        shorter, again = self._searched(found, most)
        others = (self._searched(first, most) for first in (start, start.with_rows([])))
        return max([(shorter, again.after(tally)), *others], key=lambda each: round(each[0].value, DECIMALS))

    def _swept(self, best: EditedList, most: int, tally: Tally) -> EditedList:
        """The list after up to `max_sweeps` sweeps."""
        chance = float(np.log(max(1, len(best.pool))))
        while tally.sweeps != self.max_sweeps:
            before = tally.edits
            best = self._deleted(best, tally)
            best = self._replaced(best, chance, tally)
            best = self._inserted(best, chance, most, tally)
            tally.sweeps += 1
            if tally.edits == before:
                break
        return best

    def _deleted(self, best: EditedList, tally: Tally) -> EditedList:
        while len(best):
            position = int(best.deletion_gains.argmax())
            if best.deletion_gains[position] <= LEAST_GAIN:
                break
            best = best.without(position)
            tally.deleted += 1
        return best

    def _replaced(self, best: EditedList, chance: float, tally: Tally) -> EditedList:
        position = 0
        while position < len(best):
            edit = best.best_replacement(position)
            if edit.gain > chance:
                best = best.replaced(edit)
                tally.replaced += 1
            position += 1
        return best

    def _inserted(self, best: EditedList, chance: float, most: int, tally: Tally) -> EditedList:
        while len(best) < most:
            edit = best.best_insertion
            if edit.gain <= self.rule_cost + chance:
                break
            best = best.inserted(edit)
            tally.inserted += 1
        return best


def shortened(best: EditedList, most: int) -> EditedList:
    """The list without its least useful rules, so that at most `most` remain."""
    while len(best) > most:
        n_deleted = min(len(best) - most, max(1, len(best) // 10)) if len(best) > LONG else 1
        best = best.without(*np.argsort(-best.deletion_gains, kind="stable")[:n_deleted].tolist())
    return best


def path_of(best: EditedList) -> list[EditedList]:
    """The list, and those that remain if the least useful rule is deleted again and again; longest first."""
    path = [best]
    while len(path[-1]) > 1:
        path.append(shortened(path[-1], len(path[-1]) - 1))
    return path


def rules_of(best: EditedList) -> Rules:
    """The list as rules that predict the most frequent class of the samples that they answer.

    Their samples are not copied: the lists of a path share most of them.
    """
    rows = np.array(best.rows, dtype=np.int64)
    rules, nothing = best.pool.rules, np.zeros(len(rows), dtype=np.int64)
    samples = Pairs(best.pool.bits, rows, best.context.index.all_samples[None], nothing)
    classes = best.counts[:-1].argmax(axis=1)
    return Rules(rules.conditions[rows], rules.priors[rows], classes, samples, rules.counts[rows], nothing)
