"""Factorials: what each factor does, averaged over the others, and how two of them depend on one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.study.statistics.averages import dataset_means
from rulekit.study.statistics.outcomes import PRIMARY, measured, outcome
from rulekit.study.statistics.paired import differences, holm, median, rank_biserial, signed_rank_p, smallest_p, verdict

if TYPE_CHECKING:
    import pandas as pd

PREFIX = "factor_"


@attrs.frozen
class Contrast:
    """A difference between means of variants.

    Attributes
    ----------
    name : str
    is_interaction : bool
    plus, minus : tuple of str
        The variants of both means.
    """

    name: str
    is_interaction: bool
    plus: tuple[str, ...]
    minus: tuple[str, ...]

    def on(self, means: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
        """Both means on each dataset."""
        plus, minus = means[list(self.plus)].mean(axis=1), means[list(self.minus)].mean(axis=1)
        return plus.to_numpy(dtype=np.float64), minus.to_numpy(dtype=np.float64)


def levels_of(results: pd.DataFrame) -> dict[str, dict[str, str]]:
    """The level of each variant by factor, if these variants are a full factorial; otherwise nothing."""
    names = [name for name in results.columns if name.startswith(PREFIX)]
    rows = results[["variant", *names]].dropna().drop_duplicates()
    sizes = [rows[name].nunique() for name in names]
    if not names or len(rows) < 2 or int(np.prod(sizes)) != len(rows) or rows.duplicated(names).any():
        return {}
    return {name.removeprefix(PREFIX): dict(zip(rows["variant"], rows[name], strict=True)) for name in names}


def contrasts(levels: Mapping[str, Mapping[str, str]]) -> Iterator[Contrast]:
    """Each other level of a factor against its first one, and for each two factors how these differences differ.

    Examples
    --------
    >>> levels = {"a": {"v": "1", "w": "2", "x": "1", "y": "2"}, "b": {"v": "p", "w": "p", "x": "q", "y": "q"}}
    >>> [(each.name, each.plus, each.minus) for each in contrasts(levels)][:2]
    [('a: 2 against 1', ('w', 'y'), ('v', 'x')), ('b: q against p', ('x', 'y'), ('v', 'w'))]
    >>> list(contrasts(levels))[2].name
    'a 2 × b q'
    """
    for factor, of in levels.items():
        base, *others = dict.fromkeys(of.values())
        for level in others:
            yield Contrast(f"{factor}: {level} against {base}", False, _with(of, level), _with(of, base))
    for (one, of_one), (two, of_two) in combinations(levels.items(), 2):
        (base_one, *others_one), (base_two, *others_two) = (dict.fromkeys(of.values()) for of in (of_one, of_two))
        for first in others_one:
            for second in others_two:
                cells = {
                    (a, b): tuple(name for name in _with(of_one, a) if of_two[name] == b)
                    for a in (base_one, first)
                    for b in (base_two, second)
                }
                plus = (*cells[first, second], *cells[base_one, base_two])
                minus = (*cells[first, base_two], *cells[base_one, second])
                yield Contrast(f"{one} {first} × {two} {second}", True, plus, minus)


def factor_effects(results: pd.DataFrame, *, ensemble: str, measures: Sequence[str] = PRIMARY) -> pd.DataFrame:
    """Paired tests of the main effects and interactions of a full factorial.

    Parameters
    ----------
    results : DataFrame
        One row per cell, with a column `factor_NAME` for each factor, as a store returns them.
    ensemble : str
    measures : sequence of str, default=PRIMARY
        Measures to test.

    Returns
    -------
    effects : DataFrame
        One row per measure and effect, empty without a full factorial: `measure`; `effect`; `is_interaction`;
        `n_datasets`; `difference`, the median over the datasets of the difference between the means of both groups of
        variants, each averaged over all other factors (of an interaction, half of what the effect of one factor changes
        with the other one); `rank_biserial`, `p`, `p_holm` over all rows together, `p_smallest` and `verdict` as
        for `compare_pair`, on the level named first; for an interaction the verdict is "differs" instead of better
        and worse.
    """
    import pandas as pd

    levels = levels_of(results)
    rows = []
    for measure in measured(results, measures) if levels else ():
        variants = list(next(iter(levels.values())))
        means = dataset_means(results, measure, ensemble=ensemble, variants=variants).table
        rows += [_effect(measure, each, means) for each in contrasts(levels)]
    columns = ["measure", "effect", "is_interaction", "n_datasets", "difference", "rank_biserial", "p", "p_smallest"]
    effects = pd.DataFrame(rows, columns=columns)
    p_values = effects["p"].to_numpy(dtype=np.float64)
    effects["p_smallest"] = np.minimum(1.0, int((~np.isnan(p_values)).sum()) * effects["p_smallest"])
    effects["p_holm"] = holm(p_values)
    effects["verdict"] = [_verdict(each) for each in effects.to_dict("records")]
    return effects


def level_means(results: pd.DataFrame, *, ensemble: str, measure: str) -> pd.DataFrame:
    """Mean of each level of each factor over the datasets, averaged over the others, and its mean rank.

    Returns
    -------
    means : DataFrame
        Columns `factor`, `level`, `mean`, `rank` (1 is best among the factor's levels) and `n_datasets`.
    """
    import pandas as pd

    rows = []
    for factor, of in levels_of(results).items():
        means = dataset_means(results, measure, ensemble=ensemble, variants=list(of)).table
        by_level = pd.DataFrame(
            {level: means[list(_with(of, level))].mean(axis=1) for level in dict.fromkeys(of.values())}
        )
        ranks = by_level.round(12).rank(axis=1, ascending=outcome(measure).sign < 0).mean()
        rows += [
            (factor, level, by_level[level].mean(), ranks[level], len(means)) for level in by_level.columns.astype(str)
        ]
    return pd.DataFrame(rows, columns=["factor", "level", "mean", "rank", "n_datasets"])


def _with(of: Mapping[str, str], level: str) -> tuple[str, ...]:
    return tuple(name for name, own in of.items() if own == level)


def _effect(measure: str, contrast: Contrast, means: pd.DataFrame) -> dict[str, Any]:
    plus, minus = contrast.on(means)
    n_different = int((differences(plus, minus) != 0).sum())
    return {
        "measure": measure,
        "effect": contrast.name,
        "is_interaction": contrast.is_interaction,
        "n_datasets": len(means),
        "difference": median(differences(plus, minus)),
        "rank_biserial": rank_biserial(plus, minus, measure),
        "p": signed_rank_p(plus, minus) if n_different else np.nan,
        "p_smallest": smallest_p(n_different) if n_different else np.nan,
    }


def _verdict(row: Mapping[Any, Any]) -> str:
    if not row["rank_biserial"] and np.isnan(row["p"]):
        return "equal"
    found = verdict(row["rank_biserial"], row["p_holm"], row["p_smallest"])
    return "differs" if row["is_interaction"] and found in ("better", "worse") else found
