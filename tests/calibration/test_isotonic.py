import numpy as np
from sklearn.isotonic import IsotonicRegression

from rulekit.calibration import Isotonic


def pooled(p, hits):
    """Adjacent violators, pooled by hand: share of hits in each block, of shape (n_samples,)."""
    blocks = []
    for value in np.unique(p):
        blocks.append([hits[p == value].sum(), (p == value).sum()])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            n_hits, n_samples = blocks.pop()
            blocks[-1] = [blocks[-1][0] + n_hits, blocks[-1][1] + n_samples]
    fractions = np.repeat([n_hits / n_samples for n_hits, n_samples in blocks], [int(n) for _, n in blocks])
    fitted = np.empty(len(p))
    fitted[np.argsort(p, kind="stable")] = fractions
    return fitted


def test_of_two_classes_it_pools_adjacent_violators(draw):
    predicted, positions = draw(300, 0.4 * np.eye(2))
    calibrated = Isotonic().fit(predicted, positions).transform(predicted)
    np.testing.assert_allclose(calibrated[:, 1], pooled(predicted[:, 1], positions == 1), atol=1e-12)


def test_of_several_classes_it_is_one_staircase_for_each_scaled_to_1(draw):
    predicted, positions = draw(300, 0.4 * np.eye(3))
    calibrated = Isotonic().fit(predicted, positions).transform(predicted)
    stairs = np.column_stack(
        [IsotonicRegression(out_of_bounds="clip").fit(p, positions == k).predict(p) for k, p in enumerate(predicted.T)]
    )
    np.testing.assert_allclose(calibrated, stairs / stairs.sum(axis=1, keepdims=True), atol=1e-12)


def test_where_every_class_is_impossible_all_are_alike():
    """Each class has its own staircase, and nothing keeps all of them from 0 at once."""
    predicted = np.array([[0.5, 0.4, 0.1], [0.1, 0.5, 0.4], [0.4, 0.1, 0.5]])
    fitted = Isotonic().fit(predicted, np.arange(3))
    np.testing.assert_allclose(fitted.transform(predicted), np.eye(3))
    np.testing.assert_allclose(fitted.transform(np.full((1, 3), 1 / 3)), 1 / 3)
