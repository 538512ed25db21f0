"""Linear terms: the winsorised features themselves, in addition to the rules."""

from collections.abc import Collection
from typing import Any, Final, Self

import attrs
import numpy as np

from rulekit.plugin import FloatArray, IntArray

#: The average standard deviation of a rule whose fraction of samples is drawn uniformly: with it, a linear term and
#: such a rule are penalised alike. Section 5 of the paper.
RULE_DEVIATION: Final = 0.4


@attrs.frozen(eq=False)
class LinearTerms:
    """Features that the linear model has in addition to the rules.

    Attributes
    ----------
    features : ndarray of shape (n_terms,)
        Columns of the samples.
    lows, highs : ndarrays of shape (n_terms,)
        Values are clipped to these: equation 24 of the paper.
    centres : ndarray of shape (n_terms,)
        Mean of the training samples; it replaces missing values.
    deviations : ndarray of shape (n_terms,)
        Standard deviation in the training samples.
    """

    features: IntArray
    lows: FloatArray
    highs: FloatArray
    centres: FloatArray
    deviations: FloatArray

    def __len__(self) -> int:
        return len(self.features)

    @classmethod
    def of(cls, X: FloatArray, winsorise: float, excluded: Collection[int]) -> Self:
        """Terms of the features that vary.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        winsorise : float
            Fraction of the samples beyond the limit, on either side.
        excluded : collection of int
            Features that are not quantities.
        """
        known = ~np.isnan(X).all(axis=0) & ~np.isin(np.arange(X.shape[1]), list(excluded))
        features = np.flatnonzero(known)
        lows, highs = np.nanquantile(X[:, features], [winsorise, 1 - winsorise], axis=0)
        clipped = np.clip(X[:, features], lows, highs)
        centres, deviations = np.nanmean(clipped, axis=0), np.nanstd(clipped, axis=0)
        varies = deviations > 1e-12 * np.maximum(np.abs(centres), np.finfo(float).tiny)
        return cls(features[varies], lows[varies], highs[varies], centres[varies], deviations[varies])

    @classmethod
    def none(cls) -> Self:
        """No terms."""
        empty = np.empty(0)
        return cls(np.empty(0, dtype=np.int64), empty, empty, empty, empty)

    @property
    def scales(self) -> FloatArray:
        """Factors of the differences from the centre, of shape (n_terms,)."""
        return RULE_DEVIATION / self.deviations

    def values(self, X: FloatArray) -> FloatArray:
        """The terms of samples, of shape (n_samples, n_terms): 0 at the centre and where a value is missing."""
        return self.scales * np.nan_to_num(np.clip(X[:, self.features], self.lows, self.highs) - self.centres)

    def described(self, per_unit: FloatArray) -> list[dict[str, Any]]:
        """The terms with weights in plain types, as `Linear` takes them; those without a weight are left out.

        Parameters
        ----------
        per_unit : ndarray of shape (n_terms, n_classes)
            Weights per unit of the feature.
        """
        return [
            {
                "feature": int(self.features[term]),
                "low": float(self.lows[term]),
                "high": float(self.highs[term]),
                "centre": float(self.centres[term]),
                "weights": per_unit[term].tolist(),
            }
            for term in np.flatnonzero(per_unit.any(axis=1)).tolist()
        ]
