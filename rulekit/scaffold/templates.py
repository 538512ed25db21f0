"""The files of a plugin, from templates with placeholders such as `$name`."""

from importlib.resources import files
from string import Template

from rulekit.plugin.kinds import KINDS, PARAMETERS
from rulekit.scaffold.names import PluginName

#: How a component of a kind is used, if not simply as the value of a parameter.
USES = {
    "method": 'import rulekit\n\nmodel = rulekit.build("$name")',
    "regressor": 'import rulekit\n\nmodel = rulekit.build("$name")  # with a regressor, or without one',
    "ensemble": 'import rulekit\n\nmodel = rulekit.build("rcprob", "$name")',
    "probability": 'import rulekit\n\nmodel = rulekit.build("rcprob", final_estimator="$name")',
    "measure": (
        "import rulekit\nfrom rulekit.evaluation import evaluate\n\n"
        'model = rulekit.build("rcprob").fit(X, y)\nevaluate(model, X, y, measures=["$name"])'
    ),
    "adapter": 'import rulekit\n\nmodel = rulekit.build("rcprob", ensemble)  # an ensemble that the adapter accepts',
    "export": (
        'import rulekit\n\nmodel = rulekit.build("rcprob").fit(X, y)\nmodel.ruleset_.export("rules.md", format="$name")'
    ),
    "calibration": (
        "import rulekit\nfrom rulekit.calibration import CalibratedRules\n\n"
        'model = CalibratedRules(rulekit.build("rcprob"), method="$name")'
    ),
    "study": (
        "from rulekit.study import run_study\nfrom rulekit.study.ready import ready_study\n\n"
        'study, notes = ready_study("$name", "quick")\nrun_study(study, "$name-quick.sqlite")'
    ),
}


def plugin_files(name: PluginName, kind: str) -> dict[str, str]:
    """The content of every file of a plugin, by its path within the distribution."""
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
    parameter = next((parameter for parameter, of in PARAMETERS.items() if of == kind), kind)
    as_parameter = f'import rulekit\n\nmodel = rulekit.build("rcprob", {parameter}="$name")'
    words["use"] = Template(USES.get(kind, as_parameter)).substitute(words)
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
