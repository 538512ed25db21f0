"""Sets of conditions told apart by one number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.antecedents import AntecedentHashes, RejectedAntecedents, first_of_each, not_after_failure

few_hashes = st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=20)


def test_the_order_and_the_pads_do_not_change_a_hash():
    rows = np.array([[1, 2, 9], [2, 1, 9], [9, 2, 1]])
    assert len(set(AntecedentHashes(9).of(rows).tolist())) == 1


def test_different_sets_have_different_hashes():
    n_conditions = 60
    pairs = [[i, j] for i in range(n_conditions) for j in range(i)]
    singles = [[i, n_conditions] for i in range(n_conditions)]
    hashes = AntecedentHashes(n_conditions).of(np.array(pairs + singles))
    assert len(pairs) + len(singles) == len(np.unique(hashes))


def test_hashes_are_the_same_in_every_search():
    rows = np.array([[1, 2], [0, 3]])
    assert AntecedentHashes(5).of(rows).tolist() == AntecedentHashes(5).of(rows).tolist()


def test_an_antecedent_of_no_width_has_a_hash():
    assert AntecedentHashes(5).of(np.empty((3, 0), dtype=np.int64)).shape == (3,)


def test_what_was_added_is_contained():
    rejected = RejectedAntecedents()
    rejected.add(np.array([1, 2**63 + 5], dtype=np.uint64))
    assert rejected.contain(np.array([2**63 + 5, 7, 1], dtype=np.uint64)).tolist() == [True, False, True]


def test_nothing_is_contained_at_first():
    assert RejectedAntecedents().contain(np.array([0], dtype=np.uint64)).tolist() == [False]


@given(few_hashes)
def test_a_candidate_counts_only_before_its_antecedent_first_failed(rows):
    failed, expected = set(), []
    for hash_, passes in rows:
        expected.append(passes and hash_ not in failed)
        if not passes:
            failed.add(hash_)
    hashes = np.array([hash_ for hash_, _ in rows], dtype=np.uint64)
    passes = np.array([passes for _, passes in rows], dtype=bool)
    assert expected == not_after_failure(hashes, passes).tolist()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=20))
def test_the_first_with_its_antecedent_and_class_is_kept(rows):
    expected = [place for place, row in enumerate(rows) if row not in rows[:place]]
    hashes = np.array([hash_ for hash_, _ in rows], dtype=np.uint64)
    classes = np.array([class_ for _, class_ in rows], dtype=np.int64)
    assert expected == first_of_each(hashes, classes).tolist()
