"""Another score of the search with every preset."""

import pytest
from extractor.worlds import PRESETS, small_forest

import rulekit


@pytest.mark.parametrize("preset", PRESETS)
def test_log_loss_gets_better_with_each_accepted_tree(preset, data):
    model = rulekit.build(preset, small_forest(), search_score="log-loss").fit(*data)
    accepted = [step.score for step in model.history_ if step.accepted and not step.is_refinement]
    assert accepted == sorted(accepted)
    assert all(score <= 0 for score in accepted)
    assert model.score(*data) > 0.6
