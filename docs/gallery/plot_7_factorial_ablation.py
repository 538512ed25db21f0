"""
A small factorial ablation
==========================

Which part does it: the estimator of the final rules, or the way in which rules inherit the ensemble's belief? Every
combination of both is a variant of one study. Results go to a file, so that a study that was stopped goes on where it
was.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from rulekit.study import CrossValidation, Ensemble, Store, Study, run_study
from rulekit.study.factorial import factorial

parts = {"final_estimator": ["empirical", "m-estimate", "hybrid"], "priors": ["product", "mean"]}
study = Study(
    "parts",
    datasets=["sklearn:breast-cancer", "sklearn:iris", "sklearn:wine"],
    ensembles=[Ensemble("rf", parameters={"n_estimators": 10, "max_depth": 4})],
    variants=factorial("rcprob", parts),
    outer=CrossValidation(splits=3),
)
with tempfile.TemporaryDirectory() as folder:
    store = Path(folder) / "parts.sqlite"
    print(run_study(study, store, n_jobs=1))
    results = Store(store).results()

# %%
# Every fold of every dataset is a row. The estimator matters, the prior combiner changes next to nothing: three
# datasets prove nothing, but they say where to look.

variants = results[results["variant"] != "ensemble"]
losses = variants.pivot_table(index="variant", columns="dataset", values="log_loss", sort=False)
print(losses.round(3).to_string())

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
for name, line in losses.items():
    axes.plot(line, range(len(line)), "o-", label=name)
axes.set_yticks(range(len(losses)), [name.removeprefix("rcprob ").replace(" ", "\n") for name in losses.index])
axes.set(xlabel="log-loss on held-out samples, mean over the folds", xlim=(0, None))
axes.invert_yaxis()
axes.legend()
plt.show()
