"""A fitted forest and its rules, which no test may change."""

from collections.abc import Iterator

import pytest
from extractor.worlds import Data, noisy, small_forest
from plugin.isolation import registry_put_back
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    RandomForestClassifier,
)

import rulekit
from rulekit.core.context import SearchStep


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    with registry_put_back():
        yield


@pytest.fixture(scope="module")
def data() -> Data:
    return noisy()


@pytest.fixture(scope="module")
def iris() -> Data:
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def forest(data: Data) -> RandomForestClassifier:
    """A fitted forest; no test may change it."""
    return small_forest().fit(*data)


@pytest.fixture(scope="module")
def model(data: Data, forest: RandomForestClassifier) -> rulekit.RuleExtractor:
    """A fitted model; no test may change it."""
    return rulekit.build("rcprob", forest).fit(*data)


@pytest.fixture(scope="module")
def history(model: rulekit.RuleExtractor) -> list[SearchStep]:
    return model.history_
