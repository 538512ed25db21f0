"""How the site is built: `sphinx-build -W --keep-going docs build/docs`, with the extra `rulekit-rcprob[docs]`."""

import os
import sys
from pathlib import Path
from typing import Any

os.environ["RULEKIT_PLUGINS"] = ""  # the site shows what rulekit brings, whatever else is installed
sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from rulekit import __version__

project = "rulekit"
author = "The rulekit developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "navigation",
    "outside",
]
# The examples become pages of the folder `examples`; all else in the folder `gallery` is their source.
exclude_patterns = ["gallery", "_extensions"]

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

# In docstrings a name in single backticks links to what it names if the reference has it, and is code otherwise.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say what parameters are, with shapes
autodoc_class_signature = "mixed"
# scikit-learn adds methods for metadata, which rules do not take.
autodoc_default_options = {
    "exclude-members": ", ".join(f"set_{name}_request" for name in ("fit", "score", "transform"))
}
numpydoc_show_class_members = False  # the pages name the classes whose methods they show

html_theme = "furo"
html_title = f"rulekit {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": "",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
}


def setup(app: Any) -> None:
    """Show defaults that attrs makes anew for each object as dots rather than as `NOTHING`."""

    def shown(_app: Any, _what: str, _name: str, _object: Any, _options: Any, signature: Any, returned: Any) -> Any:
        return signature and signature.replace("NOTHING", "..."), returned

    app.connect("autodoc-process-signature", shown)
