"""How the priors of two combined rules become one."""

from collections.abc import Callable

from .arithmetic import normalised

Prior = tuple[float, ...]
PriorCombiner = Callable[[Prior, Prior], Prior]


def mean_prior(first: Prior, second: Prior) -> Prior:
    """RC+: arithmetic mean."""
    return tuple((a + b) / 2.0 for a, b in zip(first, second, strict=True))


def product_prior(first: Prior, second: Prior) -> Prior:
    """RCProb: normalised elementwise product, the mean where the two leave no class possible."""
    products = [a * b for a, b in zip(first, second, strict=True)]
    if not any(products):
        return mean_prior(first, second)
    return tuple(normalised(products))


PRIOR_COMBINERS: dict[str, PriorCombiner] = {"mean": mean_prior, "product": product_prior}
