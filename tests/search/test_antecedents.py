"""Sets of conditions identified by one number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.combine import RejectedAntecedents, first_that_pass, random_words


def test_words_are_the_same_in_every_search():
    assert random_words(5).tolist() == random_words(5).tolist()


def test_the_word_of_the_pad_adds_nothing():
    assert random_words(5)[5] == 0


def test_sums_of_words_tell_sets_apart():
    n_conditions = 60
    pairs = [[i, j] for i in range(n_conditions) for j in range(i)]
    singles = [[i, n_conditions] for i in range(n_conditions)]
    hashes = random_words(n_conditions)[np.array(pairs + singles)].sum(axis=1, dtype=np.uint64)
    assert len(pairs) + len(singles) == len(np.unique(hashes))


def test_what_was_added_is_not_absent():
    rejected = RejectedAntecedents()
    rejected.add(np.array([1, 2**63 + 5], dtype=np.uint64))
    assert rejected.absent(np.array([2**63 + 5, 7, 1], dtype=np.uint64)).tolist() == [False, True, False]


def test_everything_is_absent_at_first():
    absent = RejectedAntecedents().absent(np.array([0], dtype=np.uint64))
    assert (absent.dtype, absent.tolist()) == (np.bool_, [True])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.booleans()), max_size=20))
def test_kept_is_what_passes_first_and_before_its_antecedent_failed(rows):
    failed, seen, expected = set(), set(), []
    for position, (hash_, class_, passes) in enumerate(rows):
        if not passes:
            failed.add(hash_)
        elif hash_ not in failed and (hash_, class_) not in seen:
            expected.append(position)
            seen.add((hash_, class_))
    hashes = np.array([hash_ for hash_, *_ in rows], dtype=np.uint64)
    classes = np.array([class_ for _, class_, _ in rows], dtype=np.int64)
    passes = np.array([passes for *_, passes in rows], dtype=bool)
    assert expected == first_that_pass(hashes, classes, passes).tolist()
