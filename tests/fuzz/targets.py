"""What is tried, and how much of it in one run of everything."""

import attrs

from .asking import predict, questions
from .commands import command_line
from .documents import document, json_text
from .machine import lives
from .overrides import settings
from .running import Check
from .stores import store_file
from .structured import drawn_from
from .studies import study_file
from .tables_in_files import table_file
from .trials import fit, trials


@attrs.frozen
class Target:
    """Something that takes inputs.

    Attributes
    ----------
    check : callable
        Makes one and looks at what comes of it.
    n_inputs : int
        In one run of everything: many where an input takes less than a millisecond, fewer where it fits an ensemble.
    """

    check: Check
    n_inputs: int


TARGETS = {
    "dict": Target(document, 30_000),
    "json": Target(json_text, 20_000),
    "predict": Target(drawn_from(questions(), predict), 20_000),
    "fit": Target(drawn_from(trials(), fit), 7_000),
    "life": Target(lives(), 1_500),
    "study": Target(study_file, 10_000),
    "store": Target(store_file, 4_000),
    "table": Target(table_file, 4_000),
    "settings": Target(settings, 10_000),
    "command": Target(command_line, 4_000),
}
