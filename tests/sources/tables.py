"""A small table with all that sources can get wrong, and a model trained on it."""

import numpy as np
import pandas as pd

import rulekit

TARGET = "species"
MIN_COVERAGE = 0.02


def table(n_samples=60):
    """Numbers, integers, missing values, categories, some of them only in some rows, and three classes."""
    rng = np.random.default_rng(3)
    size = rng.normal(size=n_samples).round(1)
    legs = rng.integers(0, 4, n_samples)
    colour = rng.choice(["red", "green", "blue"], n_samples).astype(object)
    species = np.where(size > 0.3, "bee", np.where((colour == "red") | (legs > 2), "ant", "cat"))
    size[40:44] = np.nan
    colour[50:53] = None
    colour[20:23] = "white"
    frame = pd.DataFrame({"size": size, "legs": legs, "colour": colour, TARGET: species})
    return frame.astype({"colour": "category"})


def features(frame):
    return frame.drop(columns=TARGET)


def trained(frame, **parameters):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(
        n_estimators=4, min_child_samples=2, min_data_per_group=1, n_jobs=1, verbose=-1, **parameters
    )
    return model.fit(features(frame), frame[TARGET])


def in_memory(model, frame, **parameters):
    return rulekit.build("rcprob", model, min_coverage=MIN_COVERAGE, **parameters).fit(features(frame), frame[TARGET])


def from_source(model, source, **parameters):
    options = {name: parameters.pop(name) for name in ("part_size", "client", "scratch_folder") if name in parameters}
    return rulekit.build("rcprob", model, min_coverage=MIN_COVERAGE, **parameters).fit_from(source, TARGET, **options)
