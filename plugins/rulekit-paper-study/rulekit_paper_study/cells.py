"""Cells of the published tables as numbers and names."""

import csv
import math
import re
from pathlib import Path

from rulekit_paper_study.names import CALIBRATIONS, MEASURES, VARIANTS

_NOTHING = "--"


def rows_of(path: Path) -> list[list[str]]:
    """Rows of a CSV file, which may be of different lengths."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file) if row]


def measure(heading: str) -> str:
    """The measure of a heading, such as `Log-loss (lower is better)`."""
    return MEASURES[re.sub(r" \((lower|higher) is better\)$", "", heading)]


def variant(heading: str) -> str:
    """The variant of a heading, such as `RCProb` or `RC+ + TempS`.

    Examples
    --------
    >>> variant("RC+ + Dir-L2")
    'rc+ dirichlet'
    """
    method, _, calibration = heading.partition(" + ")
    return " ".join([VARIANTS[method], *([CALIBRATIONS[calibration]] if calibration else [])])


def number(text: str) -> float:
    """A number, such as `12,013` or `+17.3`; not a number for `--`."""
    return math.nan if text == _NOTHING else float(text.replace(",", ""))


def mean_and_sd(text: str) -> tuple[float, float]:
    """Mean and standard deviation of a cell such as `0.4238 ± 0.41`."""
    mean, _, sd = text.partition(" ± ")
    return number(mean), number(sd or _NOTHING)


def p_value(text: str) -> float:
    """A p-value; 0 stands for `<0.0001`, which is all that the tables say, and is shown as that again."""
    return 0.0 if text == "<0.0001" else number(text)


def verdict_and_p(text: str) -> tuple[str, float]:
    """Letter and p-value of a cell such as `n.s. (0.2229)`."""
    letter, _, p = text.partition(" (")
    return letter, p_value(p.removesuffix(")") or _NOTHING)
