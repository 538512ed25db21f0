"""The files of a plugin, from templates: `$name` and the like stand for what its author has chosen."""

from importlib.resources import files
from string import Template

from rulekit.plugin.kinds import KINDS
from rulekit.scaffold.names import PluginName

#: How a component of a kind is put to use, where its parameter is not called like the kind.
USES = {
    "method": 'rulekit.build("$name")',
    "ensemble": 'rulekit.build("rcprob", "$name")',
    "probability": 'rulekit.build("rcprob", final_estimator="$name")',
    "score": 'rulekit.build("rcprob", search_score="$name")',
    "measure": 'rulekit.build("rcprob").fit(X, y)\nrulekit.evaluation.evaluate(model, X, y, measures=["$name"])',
    "adapter": 'rulekit.build("rcprob", ensemble)  # an ensemble that the adapter accepts',
    "export": 'rulekit.build("rcprob").fit(X, y)\nmodel.ruleset_.export("rules.md", format="$name")',
    "calibration": 'CalibratedRules(rulekit.build("rcprob"), method="$name")  # from rulekit.calibration',
}


def plugin_files(name: PluginName, kind: str) -> dict[str, str]:
    """The text of every file of a plugin, by its path within the distribution."""
    noun = KINDS[kind]
    words = {
        "distribution": name.distribution,
        "module": name.module,
        "name": name.component,
        "Class": name.class_name,
        "function": name.function,
        "kind": kind,
        "noun": noun,
        "article": "An" if noun[0] in "aeiou" else "A",
    }
    words["use"] = Template(USES.get(kind, f'rulekit.build("rcprob", {kind}="$name")')).substitute(words)
    templates = {
        "pyproject.toml": "pyproject.toml.template",
        "README.md": "README.md.template",
        f"{name.module}.py": f"components/{kind}.py.template",
        f"tests/test_{name.function}.py": f"tests/{kind}.py.template",
    }
    folder = files("rulekit.scaffold") / "templates"
    return {
        path: Template((folder / template).read_text(encoding="utf-8")).substitute(words)
        for path, template in templates.items()
    }
