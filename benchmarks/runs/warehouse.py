"""Prediction inside a database, by exported SQL, against the ensemble's own predictor."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rulekit
from benchmarks.forests import samples
from benchmarks.limits import limit
from benchmarks.measures import WAREHOUSE
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import cpu_seconds_of
from rulekit.export import to_sql

#: Samples of a block, and how often it is stored: both predictors read it as often.
BLOCK, N_BLOCKS = 1_000_000, 10
TRAINED_ON, N_TREES = 100_000, 100


def run(
    settings: Settings, block: int = BLOCK, n_blocks: int = N_BLOCKS, trained_on: int = TRAINED_ON
) -> Iterator[Row]:
    """CPU time of DuckDB with one thread, planning and writing the answers included, in one run each."""
    import duckdb
    from lightgbm import LGBMClassifier

    settings.announce("warehouse: training an ensemble, extracting rules")
    X, y = samples(block)
    ensemble = LGBMClassifier(n_estimators=N_TREES, n_jobs=1, random_state=0, verbose=-1)
    ensemble.fit(X[:trained_on], y[:trained_on])
    ruleset = rulekit.build("rcprob", ensemble, min_coverage=0.001).fit(X[:trained_on], y[:trained_on]).ruleset_
    settings.announce(f"warehouse: storing {block * n_blocks:,} samples")
    settings.cache.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(settings.cache / "warehouse.duckdb"), config={"threads": 1}) as connection:
        _store(connection, X, ruleset, n_blocks)
        query = f"CREATE OR REPLACE TABLE answers AS {to_sql(ruleset)}"
        settings.announce("warehouse: predicting")
        in_database = cpu_seconds_of(lambda: connection.execute(query))
        _check(connection, ruleset, X, n_blocks)
    by_ensemble = n_blocks * cpu_seconds_of(lambda: ensemble.predict_proba(X))
    is_whole = (block, n_blocks, trained_on) == (BLOCK, N_BLOCKS, TRAINED_ON)
    yield Row(
        "warehouse",
        "",
        f"{len(ruleset)} rules, {block * n_blocks:,} samples, {N_TREES} trees of LightGBM",
        WAREHOUSE.name,
        in_database / by_ensemble,
        limit(WAREHOUSE, "") if is_whole else None,
        f"{in_database:.1f} s / {by_ensemble:.1f} s",
    )


def _store(connection: Any, X: NDArray[np.float64], ruleset: rulekit.RuleSet, n_blocks: int) -> None:
    import pyarrow as pa

    columns = dict(zip(ruleset.feature_names, X.T, strict=True))
    connection.register("block", pa.table(columns))
    connection.execute("CREATE OR REPLACE TABLE samples AS SELECT * FROM block LIMIT 0")
    for _ in range(n_blocks):
        connection.execute("INSERT INTO samples SELECT * FROM block")


def _check(connection: Any, ruleset: rulekit.RuleSet, X: NDArray[np.float64], n_blocks: int) -> None:
    """Raise unless each rule answered as many samples in the database as in Python."""
    found = dict(connection.execute("SELECT rule, count(*) FROM answers GROUP BY rule").fetchall())
    positions, counts = np.unique(ruleset.first_matches(X) + 1, return_counts=True)
    expected = dict(zip(positions.tolist(), (n_blocks * counts).tolist(), strict=True))
    if found != expected:
        raise AssertionError(f"the query answers by other rules: {found} instead of {expected}")
