"""
Watch a search
==============

An observer is notified of each tree. Here it shows that most trees change nothing: a combined ruleset replaces
the one so far only if its macro-F1 on the training samples is better.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import rulekit


class Growth:
    """Remembers each tree's step."""

    def __init__(self):
        self.steps = []

    @rulekit.hookimpl
    def rulekit_after_tree(self, step):
        """Called once per tree."""
        self.steps.append(step)


X, y = load_breast_cancer(return_X_y=True)
watched = {}
for method in ("rc+", "rcprob"):
    growth = Growth()
    with rulekit.observe(growth):
        rulekit.build(method, "rf", random_state=0).fit(X, y)
    watched[method] = growth.steps
    accepted = sum(step.accepted for step in growth.steps)
    print(f"{method:6} {len(growth.steps)} trees seen, {accepted} of them changed the rules")

# %%
# Macro-F1 of what each tree led to, and of what was kept.

figure, panels = plt.subplots(1, 2, figsize=(7, 3), sharey=True, layout="constrained")
for axes, (method, steps) in zip(panels, watched.items(), strict=True):
    axes.plot([step.score for step in steps], ".", color="silver", label="this tree's rules")
    kept = [step for step in steps if step.accepted]
    axes.step([step.tree for step in kept], [step.score for step in kept], "o-", where="post", label="kept")
    axes.set(title=method, xlabel="tree")
panels[0].set_ylabel("macro-F1 on training samples")
panels[0].legend()
plt.show()
