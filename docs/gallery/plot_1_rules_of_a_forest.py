"""
Rules of a random forest
========================

A hundred trees become a list of rules that fits on a screen. What a rule states is not its precision on the training records:
RCProb also weighs what the forest believes, and what the rule's conditions say one by one.
"""

import matplotlib.pyplot as plt
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
# What the rules state, what their training records say, and what new records say of them.

from rulekit.evaluation import rule_diagnostics

held_out = rule_diagnostics(model.ruleset_, X_test, y_test)
rules = model.ruleset_[:-1]
covered = [rule.n_covered for rule in rules]

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.scatter(covered, [rule.precision for rule in rules], label="precision on training records", marker="s")
axes.scatter(covered, [rule.probability for rule in rules], label="stated")
axes.scatter(covered, held_out["held_out_precision"], label="precision on new records", marker="x", color="black")
axes.set(xlabel="training records that a rule covers", ylabel="of the rule's class", xscale="log")
axes.legend()
plt.show()
