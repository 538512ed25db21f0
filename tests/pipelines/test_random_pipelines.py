"""The property behind rules in raw columns, on random pipelines: not one bit differs from the pipeline's own path."""

import warnings

import numpy as np
import pytest
from pipelines.near_cuts import accepted, near_cuts
from pipelines.random_pipelines import draw

from rulekit.model import as_numbers, find_adapter, read_model, transformed, without_steps
from rulekit.pipelines.reading import in_raw_columns

#: The first 460 have been drawn once, without a difference.
SEEDS = range(24)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_restated_forest_predicts_what_the_pipeline_predicts(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of steps, such as of unknown categories
        drawn = draw(seed)
        names = list(drawn.X.columns) if hasattr(drawn.X, "columns") else None
        model = without_steps(drawn.pipeline)[1]
        read = read_model(drawn.pipeline, find_adapter(model), drawn.X, None, drawn.y, names)
        restated = in_raw_columns(read, drawn.X, names)
        assert restated.restate.raw.changed == {}
        samples = accepted(
            drawn.pipeline, near_cuts(np.random.default_rng(seed), drawn.X, restated.restate.raw, restated.forest)
        )
        assert len(samples) > 50
        steps = transformed(read.transformer, samples)
        own = read.forest.predict_proba(as_numbers(read.forest, steps, model, None, checks_labels=False))
        raw = as_numbers(restated.forest, transformed(restated.transformer, samples), model, None, checks_labels=False)
        np.testing.assert_array_equal(restated.forest.predict_proba(raw), own)
        # Boosting libraries add up in single precision.
        np.testing.assert_allclose(own, drawn.pipeline.predict_proba(samples), atol=1e-5)
