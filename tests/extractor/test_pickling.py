"""What a pickled model carries."""

import pickle

import numpy as np
import pandas as pd
import pytest
from extractor.worlds import PRESETS, small_forest

import rulekit


class TestPickling:
    @pytest.mark.parametrize("name", PRESETS)
    def test_a_pickled_model_predicts_the_same(self, name, data, forest):
        model = rulekit.build(name, forest).fit(*data)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(model.predict_proba(data[0]), copy.predict_proba(data[0]))

    def test_a_pickled_model_has_the_same_rules(self, data, forest):
        model = rulekit.build("rcprob", forest).fit(*data)
        assert pickle.loads(pickle.dumps(model)).ruleset_ == model.ruleset_

    def test_an_unfitted_model_can_be_pickled(self, data):
        copy = pickle.loads(pickle.dumps(rulekit.build("rcprob", small_forest())))
        assert copy.fit(*data).ruleset_ == rulekit.build("rcprob", small_forest()).fit(*data).ruleset_

    @pytest.mark.parametrize("name", PRESETS)
    def test_size_does_not_grow_with_the_samples(self, name, data, forest):
        """Both have samples enough for the second search, whose lists of other lengths take space of their own."""
        X, y = data
        small = rulekit.build(name, forest).fit(pd.concat([X] * 10), pd.concat([y] * 10))
        large = rulekit.build(name, forest).fit(pd.concat([X] * 40), pd.concat([y] * 40))
        assert len(pickle.dumps(large)) < 1.1 * len(pickle.dumps(small))

    def test_a_pickled_model_carries_no_sample(self, data, forest):
        X, y = data
        carried = pickle.dumps(rulekit.build("rcprob", forest).fit(X, y))
        assert not any(value.tobytes() in carried for value in X.to_numpy()[:, 0])

    def test_with_keep_index_size_grows_with_the_samples(self, data, forest):
        X, y = data
        model = rulekit.build("rcprob", forest, keep_index=True)
        small = len(pickle.dumps(model.fit(X, y)))
        large = len(pickle.dumps(model.fit(pd.concat([X] * 40), pd.concat([y] * 40))))
        assert large > small + 39 * len(y)

    def test_with_keep_index_a_pickled_model_predicts_the_same(self, data, forest):
        model = rulekit.build("rcprob", forest, keep_index=True).fit(*data)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(model.predict_proba(data[0]), copy.predict_proba(data[0]))
