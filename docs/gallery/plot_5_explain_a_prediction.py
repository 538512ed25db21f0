"""
Explain a sample
================

Which rule answers for a flower, with which values, how many training samples stand behind it, and which other rules
match.
"""

from sklearn.datasets import load_iris

import rulekit

X, y = load_iris(return_X_y=True, as_frame=True)
y = y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
model = rulekit.build("rclist", "rf", random_state=0).fit(X, y)
print(model.explain(X.iloc[70]))

# %%
# The same as data: the rule, each of its conditions with the sample's value, and the probabilities of all classes.

explanation = model.explain(X.iloc[70])
for condition, value in explanation.checks:
    print(f"{condition.feature}: {value} {condition.operator} {condition.threshold:.3f}")
print(dict(zip(model.classes_.tolist(), explanation.probabilities.round(3).tolist(), strict=True)))
