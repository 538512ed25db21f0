"""What the rules of a study state, and whether it comes true."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from study import toy

from rulekit.study.statistics import (
    band_fractions,
    diagnostics_summary,
    predicted_bands,
    read_rules,
    reliability_bins,
    use_summary,
)


class TestRules:
    def test_rules_of_all_cells_are_pooled(self):
        stored = [
            (toy.key(), toy.document(1.0, 0.8), toy.diagnostics((1.0, 4, 0.25), (0.8, 0, None)), toy.use()),
            (toy.key(dataset="b"), toy.document(0.9995), toy.diagnostics((0.9995, 200, 0.01)), toy.use()),
            (toy.key(dataset="c"), toy.document(), [], toy.use()),
        ]
        row = diagnostics_summary(read_rules(stored)).loc[("rf", "new")]
        assert row["n_non_default_rules"] == 3
        assert row["predicts_1"] == pytest.approx(1 / 3)
        assert row["predicts_at_least_0.999"] == pytest.approx(2 / 3)
        assert row["never_fired"] == pytest.approx(1 / 3)
        assert (row["gap_1-9"], row["gap_>=100"]) == (0.25, 0.01)

    def test_use_is_averaged_over_folds_first_and_then_over_datasets(self):
        stored = [
            (toy.key(fold=0), toy.document(), [], toy.use(n_rules=2)),
            (toy.key(fold=1), toy.document(), [], toy.use(n_rules=4)),
            (toy.key(dataset="b"), toy.document(), [], toy.use(n_rules=9, matches=None)),
        ]
        row = use_summary(read_rules(stored)).loc[("rf", "new")]
        assert row["n_non_default_rules"] == 6
        assert row["matches_per_covered"] == 1.5

    def test_diagnostics_may_be_a_frame(self):
        frame = pd.DataFrame(toy.diagnostics((1.0, 4, 0.25)))
        assert len(read_rules([(toy.key(), toy.document(1.0), frame, toy.use())]).rules) == 1

    def test_equal_rules_have_equal_fingerprints_whatever_the_inference(self):
        documents = [toy.document(0.9), toy.document(0.9, inference="aggregate"), toy.document(0.8)]
        stored = [(toy.key(fold=fold), document, [], toy.use()) for fold, document in enumerate(documents)]
        prints = read_rules(stored).cells["fingerprint"].tolist()
        assert prints[0] == prints[1] != prints[2]

    def test_no_rulesets_give_empty_frames(self):
        facts = read_rules([])
        assert facts.rules.empty
        assert facts.cells.empty
        assert predicted_bands(facts.rules).empty
        assert diagnostics_summary(facts).empty
        assert use_summary(facts).empty

    def test_bands_isolate_claims_of_near_certainty(self):
        predicted = np.array([0.4, 0.5, 0.99, 0.9989, 0.999, 0.99999, 1.0, 1.0])
        assert (band_fractions(predicted) * 8).tolist() == [1, 1, 0, 0, 0, 0, 2, 2, 2]

    def test_bands_are_by_ensemble_and_variant(self):
        rules = pd.DataFrame({"ensemble": "rf", "variant": ["new", "old"], "probability": [0.95, 1.0]})
        assert predicted_bands(rules).loc[("rf", "old"), "= 1"] == 1


class TestReliability:
    def test_bins_hold_what_is_stated_and_what_comes_true(self):
        predicted = np.array([[0.8, 0.2], [0.75, 0.25], [0.1, 0.9], [0.0, 1.0]])
        bins = reliability_bins([(toy.key(), [0, 1, 1, 1], predicted)])
        assert bins["lower"].tolist() == [0.7, 0.8, 0.9]
        assert bins["n_samples"].tolist() == [2, 1, 1]
        assert bins["confidence"].tolist() == pytest.approx([0.775, 0.9, 1.0])
        assert bins["accuracy"].tolist() == [0.5, 1, 1]
        assert bins["fraction"].tolist() == [0.5, 0.25, 0.25]

    def test_the_mean_gap_is_the_confidence_ece(self):
        from rulekit.evaluation import confidence_ece

        rng = np.random.default_rng(0)
        predicted, y = rng.dirichlet([1, 1, 1], 200), rng.integers(0, 3, 200)
        bins = reliability_bins([(toy.key(), y[:90], predicted[:90]), (toy.key(dataset="b"), y[90:], predicted[90:])])
        gap = (bins["fraction"] * (bins["confidence"] - bins["accuracy"]).abs()).sum()
        assert gap == pytest.approx(confidence_ece(y, predicted, [0, 1, 2]))

    def test_variants_and_ensembles_are_apart(self):
        predicted = [[0.8, 0.2]]
        cells = [toy.key(variant=variant, ensemble=ensemble) for variant, ensemble in product("ab", ("rf", "gbm"))]
        assert len(reliability_bins([(cell, [0], predicted) for cell in cells])) == 4

    def test_no_predictions_give_an_empty_frame(self):
        assert reliability_bins([]).empty
