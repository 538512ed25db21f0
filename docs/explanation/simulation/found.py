"""Rules that a search has found in a known world, and how far from the truth an estimator is about them."""

from functools import cache
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from worlds import World

import rulekit
from rulekit.plugin import ProbabilityEstimator, RuleBatch, RuleList

#: As in log-loss: the predicted probability of a class may be 0.
FLOOR = 1e-12
ENSEMBLES = {
    "forest": RandomForestClassifier(30, max_depth=4),
    "boosting": GradientBoostingClassifier(n_estimators=30, max_depth=3),
}
#: Seeds of new samples, far from those of training samples.
NEW = 1_000_000


@attrs.frozen(eq=False)
class Effort:
    """How much is simulated.

    Attributes
    ----------
    sizes : tuple of int
        Training samples.
    repeats : int
        Training sets of each size.
    folds : int
        Of real data.
    """

    sizes: tuple[int, ...] = (100, 300, 1000)
    repeats: int = 12
    folds: int = 5


@attrs.frozen(eq=False)
class Found:
    """The rules of one training set, without the default.

    Attributes
    ----------
    world : World
    batch : RuleList
        What an estimator sees of them.
    truths : ndarray of shape (n_rules, n_classes)
    model : RuleExtractor
    seed : int
    """

    world: World
    batch: RuleList
    truths: NDArray[np.float64]
    model: Any
    seed: int

    def predicted(self, estimator: ProbabilityEstimator) -> NDArray[np.float64]:
        """Class probabilities that an estimator gives the rules, of shape (n_rules, n_classes)."""
        return clone(estimator).fit(self.batch.data).estimate(self.batch)

    def predicted_list(self, estimator: ProbabilityEstimator) -> NDArray[np.float64]:
        """Class probabilities that it gives the list, of shape (n_rules + 1, n_classes): the default rule is last."""
        return clone(estimator).fit(self.batch.data).estimate_list(self.batch)

    def counts_again(self) -> NDArray[np.int64]:
        """Class counts of the same rules on as many new samples, of shape (n_rules, n_classes)."""
        X, y = self.world.draw(self.batch.index.n_samples, np.random.default_rng(NEW + self.seed))
        matches = self.model.ruleset_.matches(X)[: len(self.truths)]
        return np.column_stack(
            [(matches & (y == position)).sum(axis=1) for position in range(len(self.world.fractions))]
        )


class Recorder(ProbabilityEstimator):
    """Keeps the last finished list of rules, so that many estimators can be asked about the same rules."""

    lists: ClassVar[list[RuleList]] = []

    def estimate(self, rules: RuleBatch) -> NDArray[np.float64]:
        """The priors, which are not used."""
        return rules.priors

    def estimate_list(self, rules: RuleList) -> NDArray[np.float64]:
        """Keep the list."""
        self.lists[:] = [rules]
        return super().estimate_list(rules)


def find(world: World, n_samples: int, seed: int, ensemble: str, method: str, **parts: Any) -> Found:
    """The rules that a method extracts from an ensemble."""
    X, y = world.draw(n_samples, np.random.default_rng(seed))
    trees = ENSEMBLES[ensemble].set_params(random_state=seed)
    model = rulekit.build(method, trees, final_estimator=Recorder(), **parts).fit(X, y)
    (batch,) = Recorder.lists
    truths = [world.truth(rule.conditions) for rule in list(model.ruleset_)[:-1]]
    return Found(world, batch, np.reshape(truths, (len(batch), len(world.fractions))), model, seed)


@cache
def search(
    world: World, effort: Effort, *, method: str = "rcprob", ensemble: str = "forest", **parts: str
) -> tuple[Found, ...]:
    """The rules of many training sets."""
    return tuple(
        find(world, n_samples, seed, ensemble, method, **parts)
        for n_samples in effort.sizes
        for seed in range(effort.repeats)
    )


def divergence(truths: NDArray[np.float64], predicted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-loss on new samples of a rule beyond that of its truth, of shape (n_rules,): 0 is best."""
    safe = np.maximum(truths, np.finfo(float).tiny)
    return (truths * np.log(safe / np.maximum(predicted, FLOOR))).sum(axis=1)


def excess(found: tuple[Found, ...], estimator: ProbabilityEstimator) -> NDArray[np.float64]:
    """The excess log-loss of every rule of many training sets."""
    return np.concatenate([divergence(each.truths, each.predicted(estimator)) for each in found])


def support(found: tuple[Found, ...]) -> NDArray[np.int64]:
    """Training samples of every rule of many training sets."""
    return np.concatenate([each.batch.support for each in found])
