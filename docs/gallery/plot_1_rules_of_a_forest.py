"""
Rules of a random forest
========================

A hundred trees become a list of rules that fits on a screen. The predicted probability of a rule is not its precision
on the training samples: RCProb also weighs what the forest predicts, and the likelihoods of the rule's conditions.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import rulekit

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)

forest = RandomForestClassifier(100, max_depth=5, random_state=0).fit(X_train, y_train)
model = rulekit.build("rcprob", forest).fit(X_train, y_train)
print(model.ruleset_)

# %%
# The predicted probability of each rule, and the fractions of training samples and of new samples that have its class.
# No rule predicts certainty, not even those without an error in training. But these columns are highly correlated, and
# naive Bayes, a part of the final estimator, counts each of them: most predicted probabilities are still too high.

rules = model.ruleset_[:-1]  # without the default
is_right = np.array([(y_test == rule.label).to_numpy() for rule in rules])
matches = model.ruleset_.matches(X_test)
on_new_samples = (matches & is_right).sum(axis=1) / matches.sum(axis=1)

positions = np.arange(1, len(rules) + 1)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot([rule.precision for rule in rules], positions, "s", label="fraction of training samples")
axes.plot([rule.probability for rule in rules], positions, "o", label="predicted")
axes.plot(on_new_samples, positions, "kx", label="fraction of new samples")
axes.set_yticks(positions)
axes.set(xlabel="probability of the rule's class", ylabel="rule")
axes.invert_yaxis()
figure.legend(loc="outside lower center", ncols=3)
plt.show()
