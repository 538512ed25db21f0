"""
Rules of a random forest
========================

A hundred trees become a list of rules that fits on a screen. The predicted probability of a rule is not its precision
on the training samples: RCList predicts what holds for the samples that a rule answers, those that no earlier rule
covers, and draws it towards what the forest predicts for samples that it did not see.
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
model = rulekit.build("rclist", forest, max_rules=5, random_state=0).fit(X_train, y_train)
print(model.ruleset_)

# %%
# The predicted probability of each rule, and the fractions of the training samples and of the new samples that it
# answers which have its class. The last rule is the default. No rule predicts certainty, not even those without an
# error in training. A fraction of few new samples says little: beside each rule stands how many it answers.

rules = model.ruleset_
answering = rules.first_matches(X_test)
n_new = np.bincount(answering, minlength=len(rules))
on_new_samples = [
    np.mean(y_test[answering == row] == rule.label) if n_new[row] else np.nan for row, rule in enumerate(rules)
]

positions = np.arange(1, len(rules) + 1)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot([rule.answered_precision for rule in rules], positions, "s", label="fraction of training samples")
axes.plot([rule.probability for rule in rules], positions, "o", label="predicted")
axes.plot(on_new_samples, positions, "kx", label="fraction of new samples")
axes.set_yticks(positions, [f"{position} ({n} new)" for position, n in zip(positions, n_new, strict=True)])
axes.set(xlabel="probability of the rule's class", ylabel="rule")
axes.invert_yaxis()
figure.legend(loc="outside lower center", ncols=3)
plt.show()
