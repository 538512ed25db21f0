"""Every estimator on data that scikit-learn ships, where the truth is not known: held-out log-loss."""

import pandas as pd
from experiments import ESTIMATORS
from found import Effort
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold

import rulekit
from rulekit import datasets
from rulekit.evaluation import log_loss

DATASETS = ("breast-cancer", "iris", "wine")
NAMES = (*ESTIMATORS, "answered")
ENSEMBLES = {
    "forest": RandomForestClassifier(50, max_depth=5, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=50, random_state=0),
}


def bundled(effort: Effort) -> pd.DataFrame:
    """Means over folds, which are repeated a quarter as often as worlds are."""
    folds = RepeatedStratifiedKFold(n_splits=effort.folds, n_repeats=max(1, effort.repeats // 4), random_state=0)
    rows = {}
    for name in DATASETS:
        data = datasets.load(f"sklearn:{name}")
        for kind, ensemble in ENSEMBLES.items():
            losses = []
            for train, test in folds.split(data.X, data.y):
                # All estimators share an ensemble and its search: only the probabilities of the rules differ.
                training = rulekit.build("rcprob", ensemble).prepare(data.X.iloc[train], data.y.iloc[train])
                models = {each: rulekit.build("rcprob", ensemble, final_estimator=each) for each in NAMES}
                for model in models.values():
                    model.fit(training, training.y)
                held_out, truth = data.X.iloc[test], data.y.iloc[test]
                losses.append(
                    {
                        each: log_loss(truth, model.predict_proba(held_out), model.classes_)
                        for each, model in models.items()
                    }
                )
            rows[name, kind] = pd.DataFrame(losses).mean()
    return pd.DataFrame(rows).T.rename_axis(["dataset", "ensemble"])
