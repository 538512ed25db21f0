"""Models saved by the oldest supported version of each library are read as that version predicted them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulekit.model import find_adapter

STORED = Path(__file__).parent / "stored"


def xgboost_model() -> Any:
    model = pytest.importorskip("xgboost").XGBClassifier()
    model.load_model(STORED / "xgboost-2.1.json")
    return model


def lightgbm_model() -> Any:
    return pytest.importorskip("lightgbm").Booster(model_file=STORED / "lightgbm-4.6.txt")


def catboost_model() -> Any:
    return pytest.importorskip("catboost").CatBoostClassifier().load_model(STORED / "catboost-1.2.8.cbm")


@pytest.mark.parametrize(
    ("name", "load"),
    [("xgboost-2.1", xgboost_model), ("lightgbm-4.6", lightgbm_model), ("catboost-1.2.8", catboost_model)],
)
def test_a_stored_model_gives_the_probabilities_of_the_version_that_stored_it(name, load):
    expected = json.loads((STORED / f"{name}.expected.json").read_text(encoding="utf-8"))
    samples = np.array(expected["samples"], dtype=float)
    model = load()
    actual = find_adapter(model).forest(model).predict_proba(samples)
    # XGBoost adds float32 numbers; the others agree to the last bits.
    np.testing.assert_allclose(actual, expected["probabilities"], rtol=0, atol=1e-6 if "xgboost" in name else 1e-12)
