"""Which probabilities rules state: in tenths, and finer where they claim to be nearly certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rulekit.core.arrays import FloatArray

if TYPE_CHECKING:
    import pandas as pd

#: The lowest probability of each band; the last holds exactly 1.
BANDS: Final[dict[str, float]] = {
    "< 0.5": 0.0,
    "0.5-0.6": 0.5,
    "0.6-0.7": 0.6,
    "0.7-0.8": 0.7,
    "0.8-0.9": 0.8,
    "0.9-0.99": 0.9,
    "0.99-0.999": 0.99,
    "0.999-1": 0.999,
    "= 1": 1.0,
}


def band_shares(probabilities: FloatArray) -> FloatArray:
    """Share of the probabilities in each band, the lower edge included.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rules,)

    Returns
    -------
    shares : ndarray of shape (n_bands,)
        Not a number if there are no rules.

    Examples
    --------
    >>> import numpy as np
    >>> band_shares(np.array([1.0, 0.9995, 0.55, 1.0])).tolist()
    [0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.5]
    """
    bands = np.searchsorted(list(BANDS.values()), probabilities, side="right") - 1
    counts = np.bincount(bands, minlength=len(BANDS)).astype(np.float64)
    return counts / len(probabilities) if len(probabilities) else np.full(len(BANDS), np.nan)


def stated_bands(rules: pd.DataFrame) -> pd.DataFrame:
    """Share of the non-default rules in each band.

    Parameters
    ----------
    rules : DataFrame
        `RuleFacts.rules`.

    Returns
    -------
    shares : DataFrame
        One row for each (ensemble, variant), one column for each band.
    """
    import pandas as pd

    groups = rules.groupby(["ensemble", "variant"], sort=False)["probability"]
    rows = {key: band_shares(stated.to_numpy(dtype=np.float64)) for key, stated in groups}
    index = pd.MultiIndex.from_tuples(list(rows), names=["ensemble", "variant"]) if rows else None
    return pd.DataFrame(list(rows.values()), index=index, columns=list(BANDS))
