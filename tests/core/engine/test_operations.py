"""Every operation of every engine against its slow twin."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.engine import SlowEngine

import rulekit
from rulekit.core.conditions import ConditionKey, Conditions, tidy
from rulekit.core.context import BudgetSpent
from rulekit.core.engine import new_engine
from rulekit.core.engine.interface import Blocks, Pairs
from rulekit.core.statistics import RULE_ORDERS, Limits, deviations

pytestmark = pytest.mark.usefixtures("engine")
quickly = settings(max_examples=40, deadline=None)
EVERYTHING = Limits(1, -1.0, -1.0)
LEAST = [(0.0, 0.5), (0.02, 0.3), (1 / 500, 0.5), (0.0, 0.6)]


@attrs.frozen
class Case:
    """Random bits of samples of several classes, some of them without any, and with weights or without."""

    rng: np.random.Generator
    slow: SlowEngine
    fast: object

    @property
    def n_words(self):
        return self.slow.n_words

    def bits(self, *shape):
        """Sparse ones too, which few random words are."""
        words = self.rng.integers(0, 2**64, (*shape, self.n_words), dtype=np.uint64)
        for _ in range(int(self.rng.integers(4))):
            words &= self.rng.integers(0, 2**64, (*shape, self.n_words), dtype=np.uint64)
        return words

    def store(self, n_rows=6):
        """Rows of conditions below the row of all_samples."""
        store = self.bits(n_rows)
        store[0] = self.bits(1) | self.bits(1) | self.bits(1)
        store[1:] &= store[0]
        return store

    def both(self, operation, *arguments):
        """What the two engines answer, each to its own copies."""
        copies = [
            [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
            for _ in range(2)
        ]
        answers = [getattr(engine, operation)(*own) for engine, own in zip((self.slow, self.fast), copies, strict=True)]
        return *answers, *copies


@st.composite
def cases(draw):
    words = draw(st.lists(st.integers(0, 3), min_size=2, max_size=4).filter(any))
    blocks = by_class(np.cumsum([0, *words]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        classes = np.repeat(blocks.classes, rng.integers(1, 4, len(words)))
        bounds = np.cumsum([0, *rng.integers(0, 3, len(classes) - 1), 1])
        blocks = Blocks(bounds, classes, rng.integers(1, 9, len(classes)), draw(st.sampled_from([1.0, 0.25])))
    return Case(rng, SlowEngine(blocks), new_engine(blocks, draw(st.sampled_from([None, 2]))))


def by_class(bounds):
    return Blocks.of_classes(np.array(bounds, dtype=np.int64))


def assert_same(expected, actual):
    """The same values of the same type in the same shapes, to the last bit."""
    assert (expected.shape, expected.dtype) == (actual.shape, actual.dtype)
    assert expected.tolist() == actual.tolist()


@quickly
@given(cases(), st.sampled_from([np.uint16, np.uint32]))
def test_pack(case, dtype):
    codes = case.rng.integers(0, 6, (3, 64 * case.n_words)).astype(dtype)
    rows, low = case.rng.integers(0, 3, 7), case.rng.integers(0, 6, 7)
    high = low + case.rng.integers(0, 4, 7)
    _, _, slow, fast = case.both("pack", codes, rows, low, high, case.rng.random(7) < 0.5, case.bits(7))
    assert_same(slow[-1], fast[-1])


@quickly
@given(cases(), st.sampled_from([(0,), (5,), (2, 3), (2, 0)]))
def test_count(case, shape):
    slow, fast, *_ = case.both("count", case.bits(*shape))
    assert_same(slow, fast)


def test_counts_beyond_what_single_precision_holds_are_exact():
    """An odd number above 2**24."""
    n_words = 2**18 + 1
    bits = np.full(n_words + 1, 2**64 - 1, dtype=np.uint64)
    bits[0] = 1
    counts = new_engine(by_class([0, n_words, n_words + 1]), None).count(bits)
    assert counts.tolist() == [64 * (n_words - 1) + 1, 64]


@quickly
@given(cases(), st.integers(0, 5), st.integers(0, 4))
def test_conjoin(case, n_rules, width):
    slow, fast, *_ = case.both("conjoin", case.store(), case.rng.integers(0, 6, (n_rules, width)))
    assert_same(slow, fast)


@quickly
@given(cases(), st.integers(0, 4), st.integers(0, 4))
def test_pair_counts(case, n_left, n_right):
    slow, fast, *_ = case.both("pair_counts", case.bits(n_left), case.bits(n_right))
    assert_same(slow, fast)


@quickly
@given(cases(), st.integers(0, 5), st.integers(0, 3))
def test_moved_counts(case, n_rules, first):
    first = min(first, n_rules)
    slow, fast, *_ = case.both("moved_counts", case.bits(n_rules - first), case.bits(n_rules), first)
    assert_same(slow, fast)


@quickly
@given(cases(), st.integers(0, 6), st.integers(0, 8), st.sampled_from([frozenset(), frozenset({0}), frozenset({0, 1})]))
def test_drop_redundant(case, n_rules, longest, missing_features):
    conditions = crowded_conditions(missing_features)
    chosen = case.rng.random((n_rules, len(conditions))) < longest / len(conditions)
    antecedents = tidy(np.where(chosen, np.arange(len(conditions)), len(conditions)), len(conditions))
    slow, fast, *_ = case.both("drop_redundant", antecedents, conditions)
    assert_same(slow, fast)


def crowded_conditions(missing_features):
    """Many conditions on two numbers and one category; where values may be missing, each also with them."""
    keys = [
        ConditionKey(feature, is_upper, threshold, None, holds_missing)
        for feature in (0, 1)
        for is_upper in (True, False)
        for threshold in (-1.5, 0.0, 2.0, 10.0)
        for holds_missing in ([False, True] if feature in missing_features else [False])
    ]
    keys += [
        ConditionKey(2, is_upper, 0.0, frozenset(codes), False) for is_upper in (True, False) for codes in ([0], [1])
    ]
    return Conditions.in_string_order(keys, ["a", "b", "c"], np.float64, missing_features=missing_features)[0]


@quickly
@given(cases(), st.integers(0, 5), st.integers(0, 4))
def test_removal_counts(case, n_rules, width):
    slow, fast, *_ = case.both("removal_counts", case.store(), case.rng.integers(0, 6, (n_rules, width)))
    assert_same(slow, fast)


@quickly
@given(cases(), st.integers(0, 6), st.integers(0, 3), st.integers(0, 3))
def test_unite(case, n_rules, left_width, right_width):
    pad = 8
    words = np.append(case.rng.integers(0, 2**64, pad, dtype=np.uint64), np.uint64(0))

    def antecedents(width):
        """Ascending without repeats, pads at the end."""
        rows = [sorted(set(case.rng.integers(0, pad, width).tolist())) for _ in range(n_rules)]
        return np.array([row + [pad] * (width - len(row)) for row in rows], dtype=np.int64).reshape(n_rules, width)

    slow, fast, *_ = case.both("unite", antecedents(left_width), antecedents(right_width), pad, words)
    for expected, actual in zip(slow, fast, strict=True):
        assert_same(expected, actual)


def summands(case, n_rules, width, infinite):
    """Steps of 1/8, so that every order of adding gives the same; the pad is 6."""
    table = case.rng.integers(-99, 99, (case.slow.n_classes, 7)) / 8
    if infinite:
        table[case.rng.random(table.shape) < 0.2] = -np.inf
    table[:, 6] = 0.0
    return table, case.rng.integers(0, 7, (n_rules, width))


@quickly
@given(cases(), st.integers(1, 5), st.integers(1, 4), st.booleans())
def test_sums(case, n_rules, width, infinite):
    slow, fast, *_ = case.both("sums", *summands(case, n_rules, width, infinite))
    assert_same(slow, fast)


@quickly
@given(cases(), st.integers(1, 5), st.integers(1, 4), st.booleans())
def test_removal_sums(case, n_rules, width, infinite):
    slow, fast, *_ = case.both("removal_sums", *summands(case, n_rules, width, infinite), 6)
    assert_same(slow, fast)


@quickly
@given(cases(), st.integers(1, 6), st.integers(1, 5))
def test_shorten(case, n_rules, width):
    """With few different numbers, so that errors tie."""
    pad, n_classes = 9, case.slow.n_classes
    lengths = case.rng.integers(1, width + 1, n_rules)
    antecedents = np.sort(case.rng.permuted(np.tile(np.arange(pad), (n_rules, 1)), axis=1)[:, :width], axis=1)
    antecedents[np.arange(width) >= lengths[:, None]] = pad
    active = np.flatnonzero(case.rng.random(n_rules) < 0.8)
    n_removals = int(lengths[active].sum())
    slow, fast, slow_arguments, fast_arguments = case.both(
        "shorten",
        antecedents,
        case.rng.choice([0.5, 10.0, 40.0, 60.0, 100.0], n_rules),
        active,
        case.rng.integers(0, n_classes, n_rules),
        case.rng.choice([0.0, 0.5, 0.75, 1.0], (n_removals, n_classes)),
        case.rng.choice([0.0, 1.0, 10.0, 25.0, 10_000.0], n_removals),
        case.rng.choice([0.5, 10.0, 60.0], n_classes),
        deviations(0.25),
        pad,
    )
    assert slow[1] == fast[1]
    for expected, actual in zip((slow[0], *slow_arguments[:2]), (fast[0], *fast_arguments[:2]), strict=True):
        assert_same(expected, actual)


@quickly
@given(cases(), st.integers(0, 12), st.sampled_from(RULE_ORDERS), st.sampled_from([0.0, 0.4]))
def test_choose(case, n_rules, order, min_precision):
    """Groups share no sample only because each has bits of its own; no engine relies on it."""
    pairs = Pairs(
        case.bits(4), case.rng.integers(0, 4, n_rules), case.bits(3), np.sort(case.rng.integers(0, 3, n_rules))
    )
    counts = case.slow.count(pairs.bits())
    classes = case.rng.integers(0, case.slow.n_classes, n_rules)
    limits = Limits(64 * case.n_words, float(case.rng.choice([0.0, 1 / (64 * case.n_words), 0.02])), min_precision)
    slow, fast, *_ = case.both("choose", pairs, counts, classes, pairs.right_rows, limits, order, lambda: None)
    by_group = np.argsort(fast.groups, kind="stable")
    for expected, actual in zip(slow, fast, strict=True):
        assert_same(expected, actual[by_group])


@quickly
@given(cases(), st.integers(0, 12), st.sampled_from([EVERYTHING, *(Limits(500, *least) for least in LEAST)]))
def test_sequence(case, n_rules, limits):
    classes = case.rng.integers(0, case.slow.n_classes, n_rules)
    slow, fast, slow_arguments, fast_arguments = case.both(
        "sequence", case.bits(n_rules), classes, case.store(1)[0], limits
    )
    for expected, actual in zip((*slow, slow_arguments[2]), (*fast, fast_arguments[2]), strict=True):
        assert_same(expected, actual)


def bits_of(*rows):
    """Samples 0 to 63 are of class 0, from 64 on of class 1."""
    numbers = [
        [sum(1 << (sample - 64 * word) for sample in row if sample // 64 == word) for word in (0, 1)] for row in rows
    ]
    return np.array(numbers, dtype=np.uint64)


@pytest.mark.parametrize("better_first", [True, False])
@pytest.mark.parametrize(
    ("order", "better", "worse"),
    [
        ("support", [0, 1], [2, 64, 65, 66]),
        ("support", [0, 1, 64], [2, 3]),
        ("coverage", [0, 64, 65], [1, 2]),
        ("coverage", [0, 1, 64], [2, 64, 65]),
        ("precision", [0], [1, 2, 64]),
        ("precision", [0, 1, 2], [3, 4]),
    ],
)
def test_the_first_number_of_an_order_decides_and_the_second_among_equals(order, better, worse, better_first):
    """Both are of class 0; whichever stands first."""
    candidates = bits_of(*((better, worse) if better_first else (worse, better)))
    engine = new_engine(by_class([0, 1, 2]), None)
    all_samples = bits_of(range(128))
    pairs = Pairs(candidates, np.arange(2), all_samples, np.zeros(2, dtype=np.int64))
    none = np.zeros(2, dtype=np.int64)
    choices = engine.choose(pairs, engine.count(candidates), none, none, Limits(128, 0.0, 0.0), order, lambda: None)
    assert choices.rows[0] == (0 if better_first else 1)


def test_a_rule_that_another_group_makes_precise_is_not_chosen_there():
    """Of the first rule's four samples one is of its class; the other group's rule takes the other three."""
    engine = new_engine(by_class([0, 1, 2]), None)
    candidates = bits_of([0, 64, 65, 66], [64, 65, 66])
    pairs = Pairs(candidates, np.arange(2), bits_of(range(128), range(128)), np.arange(2))
    counts, limits = engine.count(candidates), Limits(128, 0.0, 0.5)
    choices = engine.choose(pairs, counts, np.array([0, 1]), np.arange(2), limits, "coverage", lambda: None)
    assert (choices.rows.tolist(), choices.groups.tolist()) == ([1], [1])


def test_groups_that_are_worked_on_one_after_the_other_keep_their_choices(monkeypatch):
    """Blocks of one word, so that each group is a block of its own."""
    for module in ("numpy_engine", "numba_engine"):
        monkeypatch.setattr(f"rulekit.core.engine.{module}.BLOCK_WORDS", 1)
    engine = new_engine(by_class([0, 1, 2]), None)
    engine.max_block_words = 1
    candidates, groups = bits_of([0, 1], [2], [3, 64], [65]), np.array([0, 0, 1, 2])
    pairs = Pairs(candidates, np.arange(4), bits_of(range(128)), np.zeros(4, dtype=np.int64))
    classes, limits = np.array([0, 0, 0, 1]), Limits(128, 0.0, 0.0)
    choices = engine.choose(pairs, engine.count(candidates), classes, groups, limits, "coverage", lambda: None)
    assert sorted(choices.rows.tolist()) == [0, 1, 2, 3]


def test_every_rule_that_can_get_shorter_still_goes_on():
    """Three rules of three conditions, each of which loses its first and still has an error."""
    engine, pad = new_engine(by_class([0, 1, 2]), None), 9
    antecedents, errors = np.arange(9).reshape(3, 3), np.full(3, 100.0)
    predicted = np.tile([0.75, 0.25], (9, 1))
    active, longest = engine.shorten(
        antecedents,
        errors,
        np.arange(3),
        np.zeros(3, dtype=int),
        predicted,
        np.full(9, 10.0),
        np.full(2, 90.0),
        1.0,
        pad,
    )
    assert (active.tolist(), longest) == ([0, 1, 2], 2)
    assert antecedents.tolist() == [[1, 2, pad], [4, 5, pad], [7, 8, pad]]


class TestTimeToChoose:
    """Three candidates that share no sample, so that there are three choices."""

    def choose(self, check_time):
        engine = new_engine(by_class([0, 1, 2]), None)
        candidates, none = bits_of([0, 1, 2], [3, 4], [5]), np.zeros(3, dtype=np.int64)
        pairs = Pairs(candidates, np.arange(3), bits_of(range(128)), none)
        limits = Limits(128, 0.0, 0.0)
        return engine.choose(pairs, engine.count(candidates), none, none, limits, "coverage", check_time)

    def test_the_clock_is_looked_at_for_each_choice_or_in_machine_code_for_each_block(self):
        looks = []
        assert self.choose(lambda: looks.append(1)).rows.tolist() == [0, 1, 2]
        assert len(looks) >= {"numpy": 3, "numba": 1}[rulekit.engine_name()]

    def test_what_the_clock_raises_ends_it(self):
        def ring() -> None:
            raise BudgetSpent("max_seconds")

        with pytest.raises(BudgetSpent):
            self.choose(ring)


def test_one_sample_alone_is_a_precise_rule():
    engine = new_engine(by_class([0, 1, 2]), None)
    kept, counts = engine.sequence(bits_of([5]), np.array([0]), bits_of(range(128))[0], Limits(128, 0.0, 0.75))
    assert (kept.tolist(), counts.tolist()) == ([True], [[1, 0]])


@quickly
@given(cases(), st.integers(60, 140))
def test_sequence_of_more_rules_than_are_tried_at_once(case, n_rules):
    classes = case.rng.integers(0, case.slow.n_classes, n_rules)
    slow, fast, *_ = case.both("sequence", case.bits(n_rules), classes, case.store(1)[0], Limits(500, 0.0, 0.3))
    for expected, actual in zip(slow, fast, strict=True):
        assert_same(expected, actual)


def test_choosing_takes_memory_for_the_samples_of_the_largest_group_where_they_are_written_out(engine):
    """Three arrays of words for the three candidates of group 2, on five words; compiled loops write nothing out."""
    chooser = new_engine(by_class([0, 2, 5]), None)
    expected = 3 * 8 * 5 * 3 if engine == "numpy" else 0
    assert expected == chooser.bytes_to_choose(np.array([0, 1, 1, 2, 2, 2]))


def test_no_candidates_take_no_memory():
    assert new_engine(by_class([0, 2, 5]), None).bytes_to_choose(np.array([], dtype=np.int64)) == 0


def test_an_engine_that_writes_nothing_out_takes_no_memory_to_choose():
    assert SlowEngine(by_class([0, 2, 5])).bytes_to_choose(np.array([0, 0])) == 0
