"""Lists of every length that a refine stage passed through, as finished rulesets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, overload

import attrs
import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.context import Budget, BudgetSpent
from rulekit.core.errors import InvalidParameterError
from rulekit.core.rules import Rules
from rulekit.ruleset import RuleSet
from rulekit.search.list_objective import objective_on

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from rulekit.core.training_data import TrainingData

#: Strength of the class fractions and smoothing in the leave-one-out probabilities, as `relist` has them by default.
PRIOR_STRENGTH, SMOOTHING = 2.0, 0.5
#: Smallest probability in a log-loss, as in `rulekit.evaluation`.
FLOOR = 1e-12


@attrs.frozen(eq=False)
class PathStep:
    """One list of a path.

    Attributes
    ----------
    n_rules : int
        Number of rules, not counting the default rule.
    ruleset : RuleSet
        The list, with the probabilities of the final estimator.
    log_loss : float
        Mean negative logarithm of the true class's predicted probability, on the training samples.
    leave_one_out_log_loss : float
        The same for probabilities that leave the sample itself out: from the other training samples that the same rule
        is the first to match, `(n_ry + 2 pi_y + 1/2) / (n_r + 2 + C/2)`, where `pi` are the class fractions.
    macro_f1 : float
        Of the predicted classes, on the training samples.
    """

    n_rules: int
    ruleset: RuleSet
    log_loss: float
    leave_one_out_log_loss: float
    macro_f1: float

    @classmethod
    def of(cls, ruleset: RuleSet, rules: Rules, data: TrainingData) -> Self:
        """Measure a ruleset, made of these rules, on all training samples."""
        bits = rules.bits if data.held_back is None else data.cover(rules.conditions)
        answered = data.answered_counts(bits)
        objective = objective_on(data.index, 0.0, 1.0, PRIOR_STRENGTH, SMOOTHING)
        alone = float(-objective.log_likelihoods(answered).sum() / data.total)
        if ruleset.inference.combination == "first":
            # Every rule answers its samples alike: the counts are enough.
            logs, classes = np.log(np.maximum(ruleset.probabilities, FLOOR)), ruleset.probabilities.argmax(axis=1)
            loss = float(-(answered * logs).sum() / data.total)
        else:
            predicted = ruleset.answer(data.X)
            of_truth = predicted[np.arange(data.n_samples), data.y]
            weights = data.index.weights_of(data.y)
            loss = float(-np.average(np.log(np.maximum(of_truth, FLOOR)), weights=weights))
            classes, answered = predicted.argmax(axis=1), np.eye(data.n_classes)[data.y] * weights[:, None]
        return cls(len(rules), ruleset, loss, alone, _macro_f1(answered, classes))


def _macro_f1(answered: IntArray, classes: IntArray) -> float:
    """Macro-F1 of groups of samples, with class counts (n_groups, n_classes) each, and their predicted classes."""
    predicted_as = np.zeros((answered.shape[1],) * 2, dtype=answered.dtype)
    np.add.at(predicted_as, classes, answered)
    both = predicted_as.sum(axis=1) + predicted_as.sum(axis=0)
    return float((2 * predicted_as.diagonal()[both > 0] / both[both > 0]).mean())


@attrs.frozen(eq=False, repr=False)
class ListPath(Sequence[PathStep]):
    """Lists of different lengths, the shortest first.

    Attributes
    ----------
    steps : tuple of PathStep
    """

    steps: tuple[PathStep, ...]

    @classmethod
    def of(
        cls,
        lists: Iterable[Rules],
        found: Rules,
        ruleset: RuleSet,
        finished: Callable[[Rules], RuleSet],
        data: TrainingData,
        budget: Budget,
    ) -> Self:
        """Finish the lists, the shortest first, as long as there is time.

        Parameters
        ----------
        lists : iterable of Rules
            In any order.
        found : Rules
            The list that the search has found, which takes the place of another one of its length.
        ruleset : RuleSet
            That list, finished.
        finished : callable
            Finishes another list.
        data : TrainingData
        budget : Budget
        """
        by_length = {len(rules): rules for rules in (*lists, found) if len(rules)}
        steps: list[PathStep] = []
        with suppress(BudgetSpent):
            for _, rules in sorted(by_length.items()):
                if rules is not found:
                    budget.check_time()
                steps.append(PathStep.of(ruleset if rules is found else finished(rules), rules, data))
        return cls(tuple(steps))

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, position: int) -> PathStep: ...
    @overload
    def __getitem__(self, position: slice) -> ListPath: ...
    def __getitem__(self, position: int | slice) -> PathStep | ListPath:
        return ListPath(self.steps[position]) if isinstance(position, slice) else self.steps[position]

    def __iter__(self) -> Iterator[PathStep]:
        return iter(self.steps)

    def __repr__(self) -> str:
        lengths = f"{self.steps[0].n_rules} to {self.steps[-1].n_rules} rules" if self.steps else "no list"
        return f"<ListPath: {lengths}>"

    def with_rules(self, n_rules: int) -> PathStep:
        """The step with that many rules; raise if there is none."""
        lengths = {step.n_rules: step for step in self.steps}
        # NumPy's integers are numbers of rules too; True is not.
        if isinstance(n_rules, bool) or n_rules not in lengths:
            known = f"{min(lengths)} to {max(lengths)}" if lengths else "none"
            raise InvalidParameterError(
                f"n_rules must be the length of a list of the path, not counting the default rule: {known}; got "
                f"{n_rules!r}. For a longer list, fit with a larger max_rules or a smaller min_coverage."
            )
        return lengths[n_rules]

    def to_frame(self) -> pd.DataFrame:
        """One row per list: its number of rules and conditions, and its measures on the training samples."""
        import pandas as pd

        names = ("n_rules", "log_loss", "leave_one_out_log_loss", "macro_f1")
        rows: list[dict[str, Any]] = [{name: getattr(step, name) for name in names} for step in self.steps]
        frame = pd.DataFrame(rows, columns=list(names))
        frame.insert(1, "n_conditions", [step.ruleset.n_conditions for step in self.steps])
        return frame
