"""A benchmark of methods: a study with fixed datasets, splits and ensembles, in which every method gets one row."""

from rulekit.study.benchmark.definition import SIZES, benchmark_study
from rulekit.study.benchmark.forests import committed_forests, differences, forests_of
from rulekit.study.benchmark.table import benchmark_frame, benchmark_table

__all__ = [
    "SIZES",
    "benchmark_frame",
    "benchmark_study",
    "benchmark_table",
    "committed_forests",
    "differences",
    "forests_of",
]
