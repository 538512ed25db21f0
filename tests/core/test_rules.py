"""Rules as rows of arrays."""

import attrs
import numpy as np
from core.training_sets import antecedents_from, random_antecedents, random_rules, random_training_set
from hypothesis import given
from hypothesis import strategies as st

from rulekit.core.conditions import tidy
from rulekit.core.engine.interface import Pairs
from rulekit.core.rules import Rules, concatenate

PAD = 9
FIELDS = ("conditions", "priors", "classes", "bits", "counts", "groups")
untidy_rows = st.integers(0, 5).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, PAD), min_size=width, max_size=width), min_size=1, max_size=6)
)


@given(untidy_rows)
def test_tidy_rows_are_the_ascending_sets_of_the_conditions(rows):
    expected = antecedents_from([set(row) - {PAD} for row in rows], PAD)
    assert expected.tolist() == tidy(np.array(rows, dtype=np.int64), PAD).tolist()


@given(untidy_rows)
def test_tidying_leaves_what_it_was_given_as_it_was(rows):
    given_rows = np.array(rows, dtype=np.int64)
    tidy(given_rows, PAD)
    assert rows == given_rows.tolist()


def test_tidying_no_rows_leaves_no_columns():
    assert tidy(np.empty((0, 3), dtype=np.int64), PAD).shape == (0, 0)


def test_concatenated_rules_stand_in_order():
    drawn = random_training_set(0)
    index = drawn.index()
    parts = [random_rules(drawn, index, seed, n_rules=4, longest=longest) for seed, longest in ((1, 2), (2, 4))]
    expected = [set(row) - {index.pad} for part in parts for row in part.conditions.tolist()]
    assert expected == [set(row) - {index.pad} for row in concatenate(parts, index.pad).conditions.tolist()]


def test_concatenated_rules_keep_what_is_known_of_them():
    drawn = random_training_set(0)
    index = drawn.index()
    parts = [random_rules(drawn, index, seed, n_rules=4, groups=np.arange(4) + seed) for seed in (1, 2, 3)]
    together = concatenate(parts, index.pad)
    expected = {name: [row for part in parts for row in getattr(part, name).tolist()] for name in FIELDS[1:]}
    assert expected == {name: getattr(together, name).tolist() for name in FIELDS[1:]}


def test_concatenated_rules_stay_padded_at_the_end():
    drawn = random_training_set(0)
    index = drawn.index()
    parts = [random_rules(drawn, index, 1, n_rules=3, longest=1), random_rules(drawn, index, 2, n_rules=3)]
    rows = concatenate(parts, index.pad).conditions
    assert rows.tolist() == np.sort(rows, axis=1).tolist()


def test_a_single_part_is_itself():
    drawn = random_training_set(0)
    part = random_rules(drawn, drawn.index(), 1)
    assert part is concatenate([part], 0)


def test_parts_without_rules_add_nothing():
    drawn = random_training_set(0)
    index = drawn.index()
    part = random_rules(drawn, index, 1)
    nothing = part.take(np.array([], dtype=np.int64))
    assert part.conditions.tolist() == concatenate([nothing, part, nothing], index.pad).conditions.tolist()


def test_taking_rules_takes_everything_known_of_them():
    drawn = random_training_set(0)
    rules = random_rules(drawn, drawn.index(), 1, groups=np.arange(30))
    rows = np.array([7, 2, 2])
    expected = {name: getattr(rules, name)[rows].tolist() for name in FIELDS}
    assert expected == {name: getattr(rules.take(rows), name).tolist() for name in FIELDS}


def test_taking_rules_whose_samples_are_intersections_takes_theirs():
    drawn = random_training_set(0)
    index = drawn.index()
    left, right = random_rules(drawn, index, 1), random_rules(drawn, index, 2)
    written = attrs.evolve(left, samples=left.bits & right.bits)
    pairs = attrs.evolve(left, samples=Pairs(left.bits, np.arange(30), right.bits, np.arange(30)))
    rows = np.array([7, 2, 2])
    assert written.take(rows).bits.tolist() == pairs.take(rows).bits.tolist()


def test_rules_are_counted_when_they_are_made():
    drawn = random_training_set(2)
    antecedents = random_antecedents(drawn, 2)
    priors = np.full((30, 3), 1 / 3)
    rules = Rules.of(antecedents, priors, np.zeros(30, dtype=np.int64), drawn.index(), None)
    assert drawn.counts_of(antecedents.tolist()) == rules.counts.tolist()


def test_rules_of_which_nothing_is_known_are_one_group():
    drawn = random_training_set(2)
    assert random_rules(drawn, drawn.index(), 1).groups.tolist() == [0] * 30


def test_covered_is_the_number_of_samples_of_any_class():
    drawn = random_training_set(2)
    antecedents = random_antecedents(drawn, 2)
    rules = random_rules(drawn, drawn.index(), 2)
    assert [len(drawn.covered(row)) for row in antecedents.tolist()] == rules.covered.tolist()


def test_rules_on_another_index_are_counted_on_its_samples():
    drawn = random_training_set(2)
    rules = random_rules(drawn, drawn.index(), 2, groups=np.arange(30))
    half = type(drawn)(drawn.X[::2], drawn.y[::2], drawn.conditions, drawn.n_classes)
    there = rules.on(half.index())
    assert half.counts_of(rules.conditions.tolist()) == there.counts.tolist()
    same = ("conditions", "priors", "classes", "groups")
    assert [getattr(rules, name).tolist() for name in same] == [getattr(there, name).tolist() for name in same]
