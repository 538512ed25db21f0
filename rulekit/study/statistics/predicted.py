"""Distribution of the predicted probabilities of a study's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rulekit.evaluation.predicted import BANDS, band_fractions

if TYPE_CHECKING:
    import pandas as pd


def predicted_bands(rules: pd.DataFrame) -> pd.DataFrame:
    """Fraction of the non-default rules in each band.

    Parameters
    ----------
    rules : DataFrame
        `RuleFacts.rules`.

    Returns
    -------
    fractions : DataFrame
        One row for each (ensemble, variant), one column for each band.
    """
    import pandas as pd

    groups = rules.groupby(["ensemble", "variant"], sort=False)["probability"]
    rows = {key: band_fractions(predicted.to_numpy(dtype=np.float64)) for key, predicted in groups}
    index = pd.MultiIndex.from_tuples(list(rows), names=["ensemble", "variant"]) if rows else None
    return pd.DataFrame(list(rows.values()), index=index, columns=list(BANDS))
