"""Makes the numbers and pictures of the pages on estimators, prior combiners and inference modes.

`python docs/explanation/simulation/plots.py` takes some minutes, writes them where the pages look for them, and prints
the tables of the pages; `--repeats 1 --sizes 100 --out folder` is a quick look.
"""

import argparse
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import answers
import bundled
import experiments
import listed
import pandas as pd
import pictures
import tables
from found import Effort

from rulekit.core.errors import LowFidelityWarning
from rulekit.plugin import FewRulesWarning
from rulekit.render.figure import save, styled

#: By the name of the file that they go to.
NUMBERS: Mapping[str, Callable[[Effort], pd.DataFrame]] = {
    "estimators": experiments.estimators,
    "estimators-by-support": experiments.estimators_by_support,
    "estimators-bundled": bundled.bundled,
    "answered": listed.answered,
    "answered-by-samples": listed.answered_by_samples,
    "empirical": experiments.empirical,
    "laplace": experiments.laplace,
    "m-estimate": experiments.m_estimate,
    "ensemble-m-estimate": experiments.ensemble_m_estimate,
    "naive-bayes": experiments.naive_bayes,
    "hybrid": experiments.hybrid,
    "prior-combiners": experiments.combiners,
    "inference-modes": answers.inference,
    "inference-modes-by-matches": answers.inference_by_matches,
}
#: Which numbers each picture shows.
PICTURES = {
    "estimators": (pictures.estimators, ["estimators-by-support"]),
    "answered": (pictures.answered, ["answered-by-samples"]),
    "empirical": (pictures.empirical, ["empirical"]),
    "laplace": (pictures.laplace, ["laplace"]),
    "m-estimate": (pictures.m_estimate, ["m-estimate"]),
    "ensemble-m-estimate": (pictures.ensemble_m_estimate, ["ensemble-m-estimate"]),
    "naive-bayes": (pictures.naive_bayes, ["naive-bayes", "estimators-by-support"]),
    "hybrid": (pictures.hybrid, ["hybrid", "estimators-by-support"]),
    "prior-combiners": (pictures.combiners, ["prior-combiners"]),
    "inference-modes": (pictures.inference, ["inference-modes-by-matches"]),
}


def make(effort: Effort, folder: Path) -> dict[str, pd.DataFrame]:
    """Write `numbers/*.csv` and `figures/*.png` into a folder; return the numbers."""
    for name in ("numbers", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    made = {}
    for name, experiment in NUMBERS.items():
        made[name] = experiment(effort)
        tables.write(made[name], folder / "numbers" / f"{name}.csv")
    with styled():
        for name, (draw, shown) in PICTURES.items():
            save(draw(*(made[each] for each in shown)), folder / "figures", name, ["png"])
    return made


def main() -> None:
    """Read the options, make everything, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=Effort().repeats)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(Effort().sizes))
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1])
    asked = parser.parse_args()
    # A hundred samples of a world with a rare class may hold no rule at all.
    warnings.simplefilter("ignore", FewRulesWarning)
    # The probabilities of the models are not used: each estimator is asked for its own.
    warnings.simplefilter("ignore", LowFidelityWarning)
    make(Effort(tuple(asked.sizes), asked.repeats), asked.out)
    for name in NUMBERS:
        print(f"{name}\n\n{tables.markdown(asked.out / 'numbers' / f'{name}.csv')}")


if __name__ == "__main__":
    main()
