"""Random training data that is hard on exact comparisons."""

import numpy as np
from hypothesis import strategies as st

LABELS = {
    "integers": np.array([0, 1, 2, 3]),
    "gaps": np.array([-7, 3, 10, 12]),
    "strings": np.array(["ant", "bee", "cow", "dog"]),
}

VALUES = {
    "continuous": lambda rng, shape: rng.normal(size=shape),
    "integers": lambda rng, shape: rng.integers(5, size=shape).astype(float),
    "decimals": lambda rng, shape: np.round(rng.normal(size=shape), 1),
    "neighbours in float32": lambda rng, shape: 1.0 + rng.integers(12, size=shape) * 2.5e-7,
    "large": lambda rng, shape: rng.normal(size=shape) * 1e30,
    "negative": lambda rng, shape: -np.exp(rng.normal(size=shape) * 5),
}


def random_data(seed, n_classes, values, labels, n_features=4, n_samples=50):
    """Samples and labels; the last class is rare, so that a bootstrap sample may lack it."""
    rng = np.random.default_rng(seed)
    X = VALUES[values](rng, (n_samples, n_features))
    rare = np.full(2, n_classes - 1)
    y = np.concatenate([np.arange(n_classes - 1), rare, rng.integers(n_classes - 1, size=n_samples - n_classes - 1)])
    # Half of the samples follow the first feature, so that trees find something.
    low = X[:, 0] < np.median(X[:, 0])
    y[n_classes + 1 :][low[n_classes + 1 :] & (rng.random(n_samples - n_classes - 1) < 0.5)] = 0
    return X, LABELS[labels][y]


training_data = st.builds(
    random_data,
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    values=st.sampled_from(list(VALUES)),
    labels=st.sampled_from(list(LABELS)),
    n_features=st.integers(1, 5),
)
two_class_data = st.builds(
    random_data,
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.just(2),
    values=st.sampled_from(list(VALUES)),
    labels=st.sampled_from(list(LABELS)),
)
seeds = st.integers(0, 2**31 - 1)
depths = st.sampled_from([None, 1, 2, 4])
