"""What inference modes promise."""

from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.core.conditions import match
from rulekit.core.interfaces import InferenceMode
from rulekit.ruleset import RuleSet
from rulekit.testing.comparison import Answer, expect_array, expect_close, expect_distributions
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import Seam, bind, shared_checks
from rulekit.testing.world import World, others, worlds


@attrs.frozen(eq=False)
class Question:
    """Samples, the rules that they satisfy, and the ruleset that answers them.

    Attributes
    ----------
    matches : ndarray of shape (n_rules, n_samples)
    X : ndarray of shape (n_samples, n_features)
    ruleset : RuleSet
    """

    matches: BoolArray
    X: FloatArray
    ruleset: RuleSet

    @classmethod
    def of(cls, mode: InferenceMode, world: World, n_rules: int = 8) -> "Question":
        """All samples of a world, and a ruleset of it."""
        ruleset = world.ruleset(mode, n_rules)
        return cls(match(world.data.conditions, ruleset.antecedents[:-1], world.X), world.X, ruleset)

    def take(self, samples: slice) -> "Question":
        """Only these samples."""
        return attrs.evolve(self, matches=self.matches[:, samples], X=self.X[samples])

    def answered(self) -> FloatArray:
        """Class probabilities, of shape (n_samples, n_classes)."""
        return self.ruleset.inference.infer_samples(self.matches, self.X, self.ruleset)

    def answering(self) -> BoolArray:
        """Which rules answer each sample, of shape (n_rules + 1, n_samples)."""
        return self.ruleset.inference.answering(self.matches, self.X, self.ruleset)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the answer."""
        return len(self.X), len(self.ruleset.classes)


@promise
def check_shape(mode: Any) -> None:
    """The answer is a float64 array of shape (n_samples, n_classes)."""
    for world in worlds():
        question = Question.of(fresh(mode), world)
        expect_array(question.answered(), question.shape, world.name)


@promise
def check_rows_sum_to_one(mode: Any) -> None:
    """Every sample gets a class distribution, whichever rules it satisfies."""
    for world in worlds():
        question = Question.of(fresh(mode), world)
        expect_distributions(question.answered(), question.shape, world.name)


@promise
def check_default_where_no_rule_matches(mode: Any) -> None:
    """A sample that no rule matches gets the default rule's probabilities."""
    for world in worlds():
        question = Question.of(fresh(mode), world)
        unmatched = ~question.matches.any(axis=0)
        default = np.tile(question.ruleset.probabilities[-1], (int(unmatched.sum()), 1))
        expect_close(question.answered()[unmatched], default, f"{world.name}, samples that satisfy no rule")


@promise
def check_chunks_equal_the_whole(mode: Any) -> None:
    """A sample's answer does not depend on the other samples in the same call."""
    for world in worlds():
        question = Question.of(fresh(mode), world)
        whole = question.answered()
        for size in (1, 7):
            starts = range(0, len(whole), size)
            chunks = np.vstack([question.take(slice(start, start + size)).answered() for start in starts])
            expect_close(chunks, whole, f"{world.name}, {size} samples at a time")


@promise
def check_no_rules(mode: Any) -> None:
    """If the default rule is the only rule, it answers every sample."""
    for world in worlds():
        question = Question.of(fresh(mode), world, n_rules=0)
        default = np.tile(question.ruleset.probabilities, (len(world.X), 1))
        expect_close(question.answered(), default, f"{world.name}, the default rule alone")


@promise
def check_no_samples(mode: Any) -> None:
    """If there are no samples, the answer has the shape (0, n_classes)."""
    for world in worlds():
        empty = Question.of(fresh(mode), world).take(slice(0))
        expect_array(empty.answered(), empty.shape, world.name)


@promise
def check_answering_rules(mode: Any) -> None:
    """`answering` marks at least one rule for every sample: rules that match it, or the default rule."""
    for world in worlds():
        question = Question.of(fresh(mode), world)
        answering, matches = question.answering(), question.matches
        expect_array(answering, (len(matches) + 1, matches.shape[1]), world.name, bool)
        expect(answering.any(axis=0).all(), f"{world.name}: no rule for sample {answering.any(axis=0).argmin()}.")
        unmatched = (answering[:-1] & ~matches).any(axis=0)
        expect(not unmatched.any(), f"{world.name}: a rule that does not match sample {unmatched.argmax()}.")


@promise
def check_other_rules_do_not_matter(mode: Any) -> None:
    """A rule that matches a sample but is not among its `answering` rules does not change its answer."""
    for world in worlds():
        question = Question.of(fresh(mode), world)
        alone = attrs.evolve(question, matches=question.matches & question.answering()[:-1])
        expect_close(alone.answered(), question.answered(), f"{world.name}, without the rules that do not answer")


@promise
def check_declared_combination(mode: Any) -> None:
    """A `combination` of "first" or "sum" is what `infer` computes: the first match, or the normalised sum of all."""
    declared = mode.combination
    expect(declared in ("first", "sum", None), f"{declared!r}, which is not 'first', 'sum' or None.")
    for world in worlds() if declared is not None else ():
        question = Question.of(fresh(mode), world)
        expected = np.vstack([question.matches, ~question.matches.any(axis=0)])
        if declared == "first":
            expected &= np.cumsum(expected, axis=0) == 1
        expect(np.array_equal(question.answering(), expected), f"{world.name}: `answering` marks other rules.")
        total = expected.T.astype(float) @ question.ruleset.probabilities
        expect_close(question.answered(), total / total.sum(axis=1, keepdims=True), f"{world.name}, {declared!r}")


def _answer(mode: Any, world: World) -> Answer:
    question = Question.of(mode, world)
    if not world.X.flags.writeable:
        question.matches.setflags(write=False)
    return {"probabilities": question.answered()}


def _cases() -> tuple[World, ...]:
    return (*worlds(), others()[0])


USAGE = Usage(_cases, _answer, _answer)
SEAM = Seam(
    kind="inference mode",
    interface=InferenceMode,
    checks=(
        *shared_checks(USAGE),
        bind(check_inputs_are_not_written_to, USAGE),
        check_shape,
        check_rows_sum_to_one,
        check_default_where_no_rule_matches,
        check_chunks_equal_the_whole,
        check_no_rules,
        check_no_samples,
        check_answering_rules,
        check_other_rules_do_not_matter,
        check_declared_combination,
    ),
)
