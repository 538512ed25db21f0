"""
Calibrate rules
===============

RC+ predicts training precision. A map that is learned from samples which neither the ensemble nor the rules have seen
corrects these probabilities; the rules themselves stay as they are.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import rulekit
from rulekit.calibration import CalibratedRules
from rulekit.evaluation import confidence_ece, log_loss

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_dev, X_rest, y_dev, y_rest = train_test_split(X, y, train_size=0.5, stratify=y, random_state=1)
X_cal, X_test, y_cal, y_test = train_test_split(X_rest, y_rest, train_size=0.5, stratify=y_rest, random_state=1)

forest = RandomForestClassifier(50, max_depth=4, random_state=0)
rules = rulekit.build("rc+", forest, min_coverage=0.02).fit(X_dev, y_dev)
calibrated = CalibratedRules(rules, "temperature", prefit=True).fit(X_cal, y_cal)
print(calibrated.ruleset_)

# %%
# Sure rules become less sure, and log-loss on the test part falls.

for name, model in {"predicted": rules, "calibrated": calibrated}.items():
    probabilities = model.predict_proba(X_test)
    print(
        f"{name:11} log-loss {log_loss(y_test, probabilities, [0, 1]):.3f}, "
        f"calibration error {confidence_ece(y_test, probabilities, [0, 1]):.3f}"
    )

# %%
# Rule by rule, on the test samples that it answers for.

answering = rules.ruleset_.first_matches(X_test)
fractions = [np.mean(y_test[answering == position] == rule.label) for position, rule in enumerate(rules.ruleset_)]
names = [f"rule {position}" for position in range(1, len(fractions))] + ["otherwise"]

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot([rule.probability for rule in rules.ruleset_], names, "s", label="predicted")
axes.plot([rule.probability for rule in calibrated.ruleset_], names, "o", label="calibrated")
axes.plot(fractions, names, "kx", label="fraction of test samples")
axes.set(xlabel="probability of the rule's class")
axes.invert_yaxis()
figure.legend(loc="outside lower center", ncols=3)
plt.show()
