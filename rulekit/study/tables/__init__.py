"""Results and statistics as tables: Markdown and LaTeX to read, CSV to compute with."""

from rulekit.render.table import Table
from rulekit.study.tables.comparisons import change_table, friedman_table, paired_table, rank_table
from rulekit.study.tables.factors import effect_table, level_table
from rulekit.study.tables.numbers import (
    NOTHING,
    balance,
    counted,
    listed,
    mean_sd,
    number,
    p_value,
    percent,
    verdict_text,
)
from rulekit.study.tables.overview import overview
from rulekit.study.tables.per_dataset import per_dataset
from rulekit.study.tables.rules import DIAGNOSTICS, USE, diagnostics_table, use_table
from rulekit.study.tables.status import failure_table, status_frame, status_line, status_table

__all__ = [
    "DIAGNOSTICS",
    "NOTHING",
    "USE",
    "Table",
    "balance",
    "change_table",
    "counted",
    "diagnostics_table",
    "effect_table",
    "failure_table",
    "friedman_table",
    "level_table",
    "listed",
    "mean_sd",
    "number",
    "overview",
    "p_value",
    "paired_table",
    "per_dataset",
    "percent",
    "rank_table",
    "status_frame",
    "status_line",
    "status_table",
    "use_table",
    "verdict_text",
]
