"""
Swap the estimator
==================

The same rules with the probabilities of every estimator. The search is the same, so only the predicted probabilities
differ; they are compared by log-loss on held-out samples.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

import rulekit
from rulekit.evaluation import log_loss

X, y = load_breast_cancer(return_X_y=True)
ensemble = GradientBoostingClassifier(n_estimators=50, random_state=0)
names = [component.name for component in rulekit.list_components("probability")]

rows = []
for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
    # The ensemble is trained and read once for all of them.
    data = rulekit.build("rcprob", ensemble).prepare(X[train], y[train])
    models = {name: rulekit.build("rcprob", ensemble, final_estimator=name).fit(data, data.y) for name in names}
    rows.append({name: log_loss(y[test], model.predict_proba(X[test]), [0, 1]) for name, model in models.items()})
losses = pd.DataFrame(rows)
print(losses.mean().round(3).to_string())

# %%
# A dot is a fold, a line the mean. The empirical estimator is certain of most of its rules, and pays where they are
# wrong. ``answered`` speaks of the samples that each rule answers, as the log-loss of a list does. The page of each
# estimator explains why the others differ.

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
for position, name in enumerate(names):
    axes.plot(losses[name], [position] * len(losses), "o", alpha=0.5)
    axes.plot(losses[name].mean(), position, "k|", markersize=16)
axes.set_yticks(range(len(names)), names)
axes.set(xlabel="log-loss on held-out samples", xlim=(0, None))
axes.invert_yaxis()
plt.show()
