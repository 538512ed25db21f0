"""Datasets that come with scikit-learn."""

from rulekit.datasets.dataset import Dataset
from rulekit.datasets.errors import UnknownDatasetError
from rulekit.datasets.spelling import hint, listed
from rulekit.datasets.splitting import split

#: Names and scikit-learn's functions.
BUNDLED = {
    "breast-cancer": "load_breast_cancer",
    "digits": "load_digits",
    "iris": "load_iris",
    "wine": "load_wine",
}


def load_bundled(name: str, *, target: str | None = None) -> Dataset:
    """A dataset that comes with scikit-learn; its labels are the names of the classes.

    Parameters
    ----------
    name : {"breast-cancer", "digits", "iris", "wine"}
    target : str, default="target"
        The column of labels.
    """
    import sklearn
    from sklearn import datasets

    if name not in BUNDLED:
        raise UnknownDatasetError(
            f"scikit-learn has no dataset 'sklearn:{name}'.{hint(name, BUNDLED)} Known: {listed(BUNDLED)}."
        )
    bunch = getattr(datasets, BUNDLED[name])(as_frame=True)
    classes = dict(enumerate(bunch.target_names.tolist()))
    table = bunch.frame.assign(target=bunch.target.map(classes))
    source = f"scikit-learn {sklearn.__version__}, {BUNDLED[name]}"
    return split(table, target or "target", name=name, source=source)
