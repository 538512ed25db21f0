"""Critical-difference diagrams: average ranks, and which variants differ significantly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulekit.render.figure import BLUE, COLUMN, new_figure, styled, wrapped
from rulekit.study.statistics import (
    critical_difference,
    dataset_ranks,
    friedman_p,
    nemenyi_p,
    outcome,
)
from rulekit.study.statistics.libraries import library
from rulekit.study.tables.numbers import p_value

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def critical_difference_diagram(means: pd.DataFrame, measure: str, title: str) -> Figure:
    """Average rank of each variant; a bar joins those that do not differ by Nemenyi's test at 0.05.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_variants)
        Complete, as `dataset_means` returns them; Friedman's test needs three variants and six datasets.
    measure, title : str
    """
    table = means.rename(columns=lambda name: wrapped(str(name), width=36))
    p = friedman_p(table)[1]
    with styled():
        figure = new_figure(COLUMN * 2, COLUMN)
        ax = figure.subplots()
        drawn = library("scikit_posthocs").critical_difference_diagram(
            dataset_ranks(table, measure).mean(),
            nemenyi_p(table),
            ax=ax,
            label_fmt_left="{label} ({rank:.2f}) ",
            label_fmt_right=" ({rank:.2f}) {label}",
            color_palette=dict.fromkeys(table.columns, BLUE),
            elbow_props={"linewidth": 0.9},
            marker_props={"s": 14},
            label_props={"fontsize": 8},
        )
        difference = critical_difference(table.shape[1], len(table))
        found = f"Friedman p {p_value(p)}; critical difference {difference:.2f}; {len(table)} datasets"
        ax.set_title(f"{title}\n{found}", fontsize=8)
        ax.set_xlabel(f"Average rank by {outcome(measure).heading}, 1 is best")
        ax.xaxis.set_label_position("top")
        ax.spines["top"].set_visible(True)
        # The library puts one label on each unit of height.
        n_rows = -min(label.get_position()[1] for label in drawn["labels"])
        n_lines = 1 + max(str(name).count("\n") for name in table.columns)
        figure.set_size_inches(COLUMN * 2, 0.9 + n_rows * (0.07 + 0.13 * n_lines))
        return figure
