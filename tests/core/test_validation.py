import pandas as pd

from rulekit.core.validation import as_array


def test_a_missing_integer_category_stays_missing_in_an_array():
    """pandas made the smallest integer of it, and `predict_proba` treated that as an unseen category."""
    frame = pd.DataFrame({"grade": pd.Categorical([None, 3], [40, 3]), "n": [1, 2]})
    assert pd.isna(as_array(frame)[0, 0])
    assert as_array(frame)[1].tolist() == [3, 2]
