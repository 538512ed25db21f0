"""Measures of predictions, against hand computation, slow loops and scikit-learn."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    recall_score,
    roc_auc_score,
)
from sklearn.metrics import log_loss as sklearn_log_loss

from rulekit.core.errors import InvalidParameterError
from rulekit.evaluation import (
    accuracy,
    average_precision,
    balanced_accuracy,
    brier,
    classwise_ece,
    confidence_ece,
    fidelity,
    ks,
    lift,
    log_loss,
    macro_f1,
    rarest_class_recall,
    roc_auc,
)

PROBABILITY_MEASURES = [log_loss, brier, confidence_ece, classwise_ece]


@pytest.fixture(params=range(5), ids=lambda seed: f"seed {seed}")
def forecast(request):
    """Labels, probabilities, some of them 0, 1 or on the edge of a bin, and class labels."""
    random = np.random.default_rng(request.param)
    classes = np.array(["a", "b", "c", "d"][: 2 + request.param % 3])
    probabilities = random.dirichlet(np.full(len(classes), 0.5), size=60)
    probabilities[:5] = np.eye(len(classes))[random.integers(len(classes), size=5)]
    probabilities[5:9] = 0.0
    probabilities[5:9, :2] = [[0.7, 0.3], [0.5, 0.5], [0.8, 0.2], [0.1, 0.9]]
    return random.choice(classes, size=60), probabilities, classes


def slow_ece(confidences, hits, n_bins):
    """Bins as half-open intervals, one by one."""
    total = 0.0
    for position in range(n_bins):
        low, high = position / n_bins, (position + 1) / n_bins
        inside = [
            (confidence, hit)
            for confidence, hit in zip(confidences, hits, strict=True)
            if (low < confidence <= high) or (position == 0 and confidence == 0)
        ]
        if inside:
            predicted = sum(confidence for confidence, _ in inside) / len(inside)
            observed = sum(bool(hit) for _, hit in inside) / len(inside)
            total += len(inside) / len(confidences) * abs(predicted - observed)
    return total


class TestLogLoss:
    def test_is_the_mean_of_minus_the_logarithm_by_hand(self):
        expected = -(math.log(0.8) + math.log(0.25)) / 2
        assert log_loss(["no", "yes"], [[0.8, 0.2], [0.75, 0.25]], ["no", "yes"]) == pytest.approx(expected)

    def test_agrees_with_sklearn_where_nothing_is_clipped(self, forecast):
        y, probabilities, classes = forecast
        softened = 0.9 * probabilities + 0.1 / len(classes)
        assert log_loss(y, softened, classes) == pytest.approx(sklearn_log_loss(y, softened, labels=classes))

    def test_counts_an_impossible_truth_as_1e_12(self):
        assert log_loss([1], [[1.0, 0.0]], [0, 1]) == pytest.approx(-math.log(1e-12))

    def test_takes_another_floor(self):
        assert log_loss([1], [[1.0, 0.0]], [0, 1], floor=1e-15) == pytest.approx(-math.log(1e-15))

    def test_does_not_clip_the_other_classes(self):
        assert log_loss([0], [[1.0, 0.0]], [0, 1]) == 0.0


class TestBrier:
    def test_is_summed_over_the_classes_by_hand(self):
        expected = ((0.2**2 + 0.2**2) + (0.75**2 + 0.75**2)) / 2
        assert brier(["no", "yes"], [[0.8, 0.2], [0.75, 0.25]], ["no", "yes"]) == pytest.approx(expected)

    def test_equals_a_slow_loop(self, forecast):
        y, probabilities, classes = forecast
        total = 0.0
        for label, row in zip(y, probabilities, strict=True):
            for name, probability in zip(classes, row, strict=True):
                total += (probability - float(name == label)) ** 2
        assert brier(y, probabilities, classes) == pytest.approx(total / len(y))

    def test_is_twice_sklearns_binary_score(self):
        y, positive = np.array([0, 1, 1, 0]), np.array([0.1, 0.6, 0.9, 0.7])
        expected = 2 * brier_score_loss(y, positive)
        assert brier(y, np.column_stack([1 - positive, positive]), [0, 1]) == pytest.approx(expected)

    def test_is_2_when_certain_and_wrong(self):
        assert brier(["b"], [[1.0, 0.0, 0.0]], ["a", "b", "c"]) == 2.0


class TestConfidenceEce:
    def test_is_the_gap_of_one_bin_by_hand(self):
        probabilities = [[0.85, 0.15], [0.15, 0.85], [0.85, 0.15], [0.85, 0.15]]
        assert confidence_ece([0, 1, 1, 0], probabilities, [0, 1]) == pytest.approx(0.85 - 0.75)

    def test_gaps_of_different_bins_do_not_cancel(self):
        probabilities = [[0.95, 0.05], [0.55, 0.45]]
        assert confidence_ece([1, 0], probabilities, [0, 1]) == pytest.approx((0.95 + 0.45) / 2)

    @pytest.mark.parametrize("n_bins", [1, 10, 15])
    def test_equals_a_slow_loop(self, forecast, n_bins):
        y, probabilities, classes = forecast
        hits = [classes[row.argmax()] == label for label, row in zip(y, probabilities, strict=True)]
        expected = slow_ece([max(row) for row in probabilities], hits, n_bins)
        assert confidence_ece(y, probabilities, classes, n_bins=n_bins) == pytest.approx(expected)

    def test_is_0_for_certainty_that_is_right(self):
        assert confidence_ece(["a", "b"], [[1.0, 0.0], [0.0, 1.0]], ["a", "b"]) == 0.0


class TestClasswiseEce:
    def test_equals_a_slow_loop(self, forecast):
        y, probabilities, classes = forecast
        gaps = [slow_ece(probabilities[:, position], y == name, 10) for position, name in enumerate(classes)]
        assert classwise_ece(y, probabilities, classes) == pytest.approx(sum(gaps) / len(classes))

    def test_is_the_mean_over_the_classes_by_hand(self):
        # Class a: stated 0.9, observed 1; class b: stated 0.1, observed 0.
        assert classwise_ece(["a", "a"], [[0.9, 0.1], [0.9, 0.1]], ["a", "b"]) == pytest.approx(0.1)


def two_samples(p, beside, n_classes=30):
    """A sample right with `p`, one wrong with `beside`, the rest of the probability on classes that play no role."""
    rows = [[top, *[(1 - top) / (n_classes - 1)] * (n_classes - 1)] for top in (p, beside)]
    return [0, 1], rows, list(range(n_classes))


class TestBinEdges:
    """Two samples, one right and one wrong: their gaps partly cancel in one bin, and add up in two."""

    @pytest.mark.parametrize("position", range(1, 10))
    def test_an_upper_edge_belongs_to_the_bin_below(self, position):
        edge, below = position / 10, position / 10 - 0.05
        assert confidence_ece(*two_samples(edge, below)) == pytest.approx(abs(edge - 1 + below) / 2)

    @pytest.mark.parametrize("position", range(1, 10))
    def test_an_upper_edge_does_not_belong_to_the_bin_above(self, position):
        edge, above = position / 10, position / 10 + 0.05
        assert confidence_ece(*two_samples(edge, above)) == pytest.approx((1 - edge + above) / 2)

    @pytest.mark.parametrize("position", range(1, 10))
    def test_the_next_number_above_an_edge_belongs_to_the_bin_above(self, position):
        next_up, above = math.nextafter(position / 10, 1), position / 10 + 0.05
        assert confidence_ece(*two_samples(next_up, above)) == pytest.approx(abs(next_up - 1 + above) / 2)

    def test_1_belongs_to_the_last_bin(self):
        assert confidence_ece(*two_samples(1.0, 0.95)) == pytest.approx(0.95 / 2)

    def test_0_belongs_to_the_first_bin(self):
        # Class a: stated 0 and 0.1, once true. Class b: stated 1 and 0.9, in the last two bins, once true.
        expected = (abs(0.0 - 1 + 0.1) / 2 + (1.0 + 0.1) / 2) / 2
        assert classwise_ece(["a", "b"], [[0.0, 1.0], [0.1, 0.9]], ["a", "b"]) == pytest.approx(expected)

    def test_a_share_of_samples_lies_on_the_edge_that_it_equals(self):
        fractions = [position * size / (10 * size) for position in range(1, 10) for size in range(1, 50)]
        beside = [(position / 10 - 0.05) for position in range(1, 10) for _ in range(1, 50)]
        for fraction, below in zip(fractions, beside, strict=True):
            assert confidence_ece(*two_samples(fraction, below)) == pytest.approx(abs(fraction - 1 + below) / 2)

    @pytest.mark.parametrize("measure", [confidence_ece, classwise_ece])
    @pytest.mark.parametrize("n_bins", [0, -1, 2.5, "10", True])
    def test_a_number_of_bins_that_is_none_is_rejected(self, measure, n_bins):
        with pytest.raises(InvalidParameterError, match=f"n_bins must be an integer of at least 1, got {n_bins!r}"):
            measure(["a"], [[0.5, 0.5]], ["a", "b"], n_bins=n_bins)


class TestMacroF1:
    def test_weighs_classes_alike_by_hand(self):
        # Class a: precision 2/3, recall 1; class b: precision 1, recall 1/2.
        assert macro_f1(["a", "a", "b", "b"], ["a", "a", "a", "b"]) == pytest.approx((0.8 + 2 / 3) / 2)

    def test_counts_a_class_that_is_never_predicted_as_0(self):
        assert macro_f1(["a", "b"], ["a", "a"]) == pytest.approx((2 / 3 + 0) / 2)


def slow_auc(is_positive, scores):
    """Fraction of pairs of a positive and a negative sample that are ranked right; ties count half."""
    pairs = [(one, other) for one in scores[is_positive] for other in scores[~is_positive]]
    return sum((one > other) + 0.5 * (one == other) for one, other in pairs) / len(pairs)


def rarest(y, classes):
    """Position of the class with the fewest samples, the last of equals."""
    counts = [int(np.sum(y == label)) for label in classes]
    return max(position for position, count in enumerate(counts) if count == min(counts))


class TestAreas:
    def test_of_roc_is_the_fraction_of_pairs_that_are_ranked_right(self, forecast):
        y, probabilities, classes = forecast
        areas = [slow_auc(y == label, column) for label, column in zip(classes, probabilities.T, strict=True)]
        assert roc_auc(y, probabilities, classes) == pytest.approx(areas[1] if len(classes) == 2 else np.mean(areas))

    def test_of_roc_is_that_of_scikit_learn(self, forecast):
        y, probabilities, classes = forecast
        scores = probabilities[:, 1] if len(classes) == 2 else probabilities
        expected = roc_auc_score(y, scores, multi_class="ovr", labels=classes)
        assert roc_auc(y, probabilities, classes) == pytest.approx(expected)

    def test_of_precision_and_recall_is_that_of_scikit_learn(self, forecast):
        y, probabilities, classes = forecast
        rarer = rarest(y, classes)
        truth = y == classes[rarer] if len(classes) == 2 else y[:, None] == classes
        scores = probabilities[:, rarer] if len(classes) == 2 else probabilities
        assert average_precision(y, probabilities, classes) == pytest.approx(average_precision_score(truth, scores))

    def test_of_precision_and_recall_is_a_sum_of_steps_by_hand(self):
        # The rarer class b, in order of its probability: precision 1 at recall 1/2, then 2/3 at recall 1.
        scores = np.array([0.9, 0.8, 0.7, 0.2, 0.1])
        found = average_precision(list("babaa"), np.column_stack([1 - scores, scores]), ["a", "b"])
        assert found == pytest.approx(1 * 0.5 + 2 / 3 * 0.5)

    def test_of_precision_and_recall_is_that_of_the_rarer_class_wherever_it_stands(self):
        scores = np.array([0.9, 0.8, 0.7, 0.2, 0.1])
        as_second = average_precision(list("babaa"), np.column_stack([1 - scores, scores]), ["a", "b"])
        as_first = average_precision(list("ababb"), np.column_stack([scores, 1 - scores]), ["a", "b"])
        assert as_first == as_second

    @pytest.mark.parametrize("area", [roc_auc, average_precision, ks, lift])
    @pytest.mark.parametrize(
        ("y", "classes"), [(["a", "a"], ["a", "b"]), (["a", "b"], ["a", "b", "c"]), (["a", "a"], ["a"])]
    )
    def test_is_not_a_number_where_a_class_has_no_sample_or_no_other(self, area, y, classes):
        assert math.isnan(area(y, np.full((2, len(classes)), 1 / len(classes)), classes))

    @pytest.mark.parametrize("area", [roc_auc, average_precision, ks, lift])
    def test_rejects_other_shapes(self, area):
        with pytest.raises(ValueError, match="one row of probabilities per sample and one column per class"):
            area(["a"], [[1.0]], ["a", "b"])


class TestSeparation:
    def test_is_the_statistic_of_scipy(self, forecast):
        y, probabilities, classes = forecast
        found = [
            ks_2samp(column[y == label], column[y != label], method="asymp").statistic
            for label, column in zip(classes, probabilities.T, strict=True)
        ]
        assert ks(y, probabilities, classes) == pytest.approx(found[1] if len(classes) == 2 else np.mean(found))

    def test_by_hand(self):
        # From 0.7 on: both of b, and one of three of a.
        scores = np.array([0.9, 0.8, 0.7, 0.2, 0.1])
        assert ks(list("babaa"), np.column_stack([1 - scores, scores]), ["a", "b"]) == pytest.approx(1 - 1 / 3)


class TestLift:
    def test_is_the_mean_over_all_orders_of_samples_with_equal_probabilities(self):
        scores, is_rare = np.array([0.9, 0.5, 0.5, 0.5, 0.1, 0.1]), np.array([1, 0, 1, 0, 0, 0], dtype=bool)
        y, probabilities = np.where(is_rare, "rare", "usual"), np.column_stack([scores, 1 - scores])
        tops = []
        for order in permutations(range(6)):
            ranked = sorted(order, key=lambda sample: -scores[sample])
            tops.append(is_rare[ranked[:3]].mean() / is_rare.mean())
        assert lift(y, probabilities, ["rare", "usual"], fraction=0.5) == pytest.approx(np.mean(tops))

    def test_at_10_percent_by_hand(self):
        # Two of 20 samples are of the class; one of them is among the two that have its largest probabilities.
        scores = np.linspace(0.95, 0.0, 20)
        y = np.array(["usual"] * 20)
        y[[1, 7]] = "rare"
        assert lift(y, np.column_stack([scores, 1 - scores]), ["rare", "usual"]) == pytest.approx(0.5 / 0.1)

    def test_of_equal_probabilities_is_one(self):
        assert lift(["a", "b", "b", "b"], np.full((4, 2), 0.5), ["a", "b"]) == pytest.approx(1)

    def test_of_the_whole_is_one(self, forecast):
        assert lift(*forecast, fraction=1) == pytest.approx(1)

    @pytest.mark.parametrize("fraction", [0, 1.5, -0.1])
    def test_rejects_what_is_no_fraction(self, fraction):
        with pytest.raises(InvalidParameterError, match="fraction must be a number above 0 and at most 1, got"):
            lift(["a", "b"], np.full((2, 2), 0.5), ["a", "b"], fraction=fraction)


class TestRecallOfTheRarestClass:
    def test_is_that_of_scikit_learn(self, forecast):
        y, probabilities, classes = forecast
        predicted = np.asarray(classes)[probabilities.argmax(axis=1)]
        expected = recall_score(y, predicted, labels=classes, average=None, zero_division=0)[rarest(y, classes)]
        assert rarest_class_recall(y, predicted, classes) == pytest.approx(expected)

    def test_is_not_a_number_where_a_class_has_no_sample(self):
        assert math.isnan(rarest_class_recall(["a", "b"], ["a", "b"], ["a", "b", "c"]))

    def test_takes_the_last_of_equally_frequent_classes(self):
        assert rarest_class_recall(["a", "b"], ["b", "b"], ["a", "b"]) == 1


class TestAccuracy:
    def test_is_the_fraction_of_right_predictions(self):
        assert accuracy(["a", "b", "b", "a"], ["a", "b", "a", "a"]) == 0.75

    def test_if_balanced_is_averaged_over_the_classes(self):
        # Class a: 3 of 3 are right; class b: 0 of 1.
        assert balanced_accuracy(["a", "a", "a", "b"], ["a", "a", "a", "a"]) == 0.5

    def test_if_balanced_is_that_of_scikit_learn(self, forecast):
        y, probabilities, classes = forecast
        predicted = classes[probabilities.argmax(axis=1)]
        assert balanced_accuracy(y, predicted) == pytest.approx(balanced_accuracy_score(y, predicted))

    def test_if_balanced_says_nothing_of_classes_without_samples_and_does_not_warn(self):
        assert balanced_accuracy(["a", "a"], ["a", "b"]) == 0.5


class TestFidelity:
    def test_is_the_share_of_equal_predictions(self):
        assert fidelity(["a", "b", "b", "a"], ["a", "b", "a", "a"]) == 0.75


class TestInput:
    @pytest.mark.parametrize("measure", PROBABILITY_MEASURES)
    def test_columns_may_stand_in_any_order(self, forecast, measure):
        y, probabilities, classes = forecast
        turned = measure(y, probabilities[:, ::-1], classes[::-1])
        if measure is confidence_ece:
            # A tie between two classes goes to the first column, so that only this measure may differ.
            is_tie = np.sort(probabilities, axis=1)[:, -1] == np.sort(probabilities, axis=1)[:, -2]
            y, probabilities = y[~is_tie], probabilities[~is_tie]
            turned = measure(y, probabilities[:, ::-1], classes[::-1])
        assert turned == pytest.approx(measure(y, probabilities, classes))

    @pytest.mark.parametrize("measure", PROBABILITY_MEASURES)
    def test_held_out_samples_may_lack_a_class(self, measure):
        assert measure(["a"], [[1.0, 0.0, 0.0]], ["a", "b", "c"]) == 0.0

    @pytest.mark.parametrize("measure", PROBABILITY_MEASURES)
    def test_labels_without_a_probability_are_named(self, measure):
        with pytest.raises(ValueError, match=r"The true labels \['z'\] are not among the classes .*: \['a', 'b'\]\."):
            measure(["a", "z"], [[0.5, 0.5], [0.5, 0.5]], ["a", "b"])

    @pytest.mark.parametrize("measure", PROBABILITY_MEASURES)
    @pytest.mark.parametrize(
        ("y", "probabilities"), [(["a"], [[0.5, 0.5]] * 2), (["a"], [[1.0]]), ([], np.empty((0, 2)))]
    )
    def test_shapes_that_do_not_fit_are_rejected(self, measure, y, probabilities):
        with pytest.raises(ValueError, match="one row of probabilities per sample and one column per class"):
            measure(y, probabilities, ["a", "b"])
