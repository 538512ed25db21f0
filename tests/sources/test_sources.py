"""Every source gives the rules that `fit` finds in the whole table, bit for bit."""

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet
from sources.tables import features, from_source, in_memory, table, trained

ALL = 10**6


@pytest.fixture(scope="module")
def frame():
    return table()


@pytest.fixture(scope="module")
def model(frame):
    return trained(frame)


@pytest.fixture(scope="module")
def expected(frame, model, engine):
    found = in_memory(model, frame)
    assert len(found.ruleset_) > 3
    assert {type(name) for name in found.classes_.tolist()} == {str}
    assert {condition.feature for rule in found.ruleset_ for condition in rule.conditions} >= {"size", "colour"}
    return found


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    """Three files, whose order is that of their names."""
    path = tmp_path_factory.mktemp("parquet")
    for number, start in enumerate(range(0, len(frame), 25)):
        parquet.write_table(pa.Table.from_pandas(frame.iloc[start : start + 25]), path / f"{number}.parquet")
    return path


def one_file(frame, folder):
    path = folder.parent / f"{folder.name}.parquet"
    frame.to_parquet(path, row_group_size=10)
    return path


def duckdb_relation(frame, folder):
    connection = duckdb.connect()
    plain = frame.astype({"colour": object})
    connection.sql("CREATE TYPE colour AS ENUM ('blue', 'green', 'red', 'white')")
    connection.register("plain", plain)
    return connection.sql("SELECT * REPLACE (colour::colour AS colour) FROM plain")


def polars_query(frame, folder):
    colours = pl.Enum(frame["colour"].cat.categories.tolist())
    return pl.from_pandas(frame.astype({"colour": object})).lazy().with_columns(pl.col("colour").cast(colours))


SOURCES = {
    "folder": lambda frame, folder: folder,
    "name of a folder": lambda frame, folder: str(folder),
    "file": one_file,
    "Arrow dataset": lambda frame, folder: dataset.dataset(folder),
    "Arrow table": lambda frame, folder: pa.Table.from_pandas(frame),
    "Arrow reader": lambda frame, folder: dataset.dataset(folder).scanner(batch_size=9).to_reader(),
    "DuckDB": duckdb_relation,
    "polars query": polars_query,
    "polars frame": lambda frame, folder: polars_query(frame, folder).collect(),
    "frame": lambda frame, folder: frame,
    "list": lambda frame, folder: [frame[:10], frame[10:10], frame[10:]],
    "iterator": lambda frame, folder: (frame[start : start + 11] for start in range(0, len(frame), 11)),
    "function": lambda frame, folder: lambda: iter([frame[:30], frame[30:]]),
}


@pytest.mark.parametrize(("kind", "part_size"), [*((kind, 7) for kind in SOURCES), ("folder", 1), ("folder", ALL)])
def test_gives_the_rules_of_the_table(kind, part_size, frame, model, expected, folder):
    found = from_source(model, SOURCES[kind](frame, folder), part_size=part_size)
    assert found.ruleset_.to_dict() == expected.ruleset_.to_dict()
    assert [step.n_candidates for step in found.history_] == [step.n_candidates for step in expected.history_]
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    np.testing.assert_array_equal(found.classes_, expected.classes_)


@pytest.mark.parametrize("kind", SOURCES)
def test_predictions_are_those_of_the_table(kind, frame, expected, folder):
    """The labels are a column of the source, too."""
    probabilities = list(expected.predict_proba_from(SOURCES[kind](frame, folder), part_size=7))
    assert max(map(len, probabilities)) == 7
    np.testing.assert_array_equal(np.concatenate(probabilities), expected.predict_proba(features(frame)))
    labels = np.concatenate(list(expected.predict_from(SOURCES[kind](frame, folder), part_size=ALL)))
    np.testing.assert_array_equal(labels, expected.predict(features(frame)))
