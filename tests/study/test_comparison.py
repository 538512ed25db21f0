"""One comparison, as the terminal shows it."""

import pandas as pd
import pytest
from rich.console import Console
from study import toy

from rulekit.core.errors import InvalidParameterError
from rulekit.study.comparison import compare, shown, summary

EXPECTED = "Log-loss ↓ 3.5000 ± 1.87 7.0000 ± 3.74 -50.0 +1.00 6/0/0 6 0.0312 0.0312"
SIX = toy.results(toy.SIX)


def printed(results: pd.DataFrame, width: int = 100) -> str:
    console = Console(width=width, record=True, file=None, quiet=False, force_terminal=False, markup=False)
    with console.capture() as captured:
        for part in shown(compare(results, "new", "old"), "new", "old"):
            console.print(part)
    return captured.get()


def test_every_ensemble_has_its_table_and_summary():
    both = pd.concat([SIX, toy.results(toy.SIX, ensemble="gbm")], ignore_index=True)
    text = printed(both)
    assert "new against old, rf" in text
    assert "new against old, gbm" in text
    assert text.count("new is better than old in Log-loss. Descriptive only: Macro-F1 and Rules.") == 2


def test_the_table_fits_a_pipe_of_100_columns():
    lines = printed(SIX).splitlines()
    assert max(map(len, lines)) <= 100
    row = next(line for line in lines if line.startswith("Log-loss ↓"))
    assert row.split() == EXPECTED.split()


def test_the_summary_says_what_is_better_and_what_is_worse():
    tests = compare(SIX, "new", "old", measures=[])["rf"]
    assert summary(tests, "new", "old") == (
        "Log-loss: new is better on 6 of 6 datasets, median change -50.0 %, p 0.0312 after Holm's correction. "
        "new is better than old in Log-loss."
    )
    assert "old is worse than new in Log-loss." in summary(compare(SIX, "old", "new", measures=[])["rf"], "old", "new")


def test_too_few_datasets_are_no_reason_to_crash():
    text = " ".join(printed(SIX[SIX["dataset"] == "a"]).split())
    assert "Log-loss cannot be significant with 1 dataset: the smallest attainable p is 1.0000." in text
    assert "not significant" not in text


def test_a_variant_without_results_is_no_reason_to_crash():
    text = printed(toy.fail(SIX, variant="old"))
    assert "0 (6 left out)" in " ".join(text.split())


def test_an_unknown_variant_is_rejected_with_the_nearest():
    with pytest.raises(InvalidParameterError, match=r"no variant 'neww'\. Did you mean 'new'\?"):
        compare(SIX, "neww", "old")


def test_one_ensemble_can_be_chosen():
    both = pd.concat([SIX, toy.results(toy.SIX, ensemble="gbm")], ignore_index=True)
    assert list(compare(both, "new", "old", ensembles=["gbm"])) == ["gbm"]
